"""Qwen Code: a fork of Gemini CLI with transcripts of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import result_entry
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.plain import PlainParser, tokens_from
from memtui.hosts.protocol import Event, Parser
from memtui.hosts.shape import list_of, map_of, pick, text_of, text_or_none
from memtui.hosts.sniffing import head_records

_SILENT = ("ui_telemetry", "at_command", "slash_command", "custom_title", "file_history_snapshot")


class QwenCode(HostBase):
    """The host "qwen-code"."""

    name = "qwen-code"
    label = "Qwen Code"

    def root(self, home: HostHome) -> Path:
        """The host's own folder: `QWEN_HOME`, or `~/.qwen`."""
        moved = home.environ.get("QWEN_HOME")
        return Path(moved).expanduser() if moved else home.home / ".qwen"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "projects",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Chats of all projects, newest first."""
        found = (self.root(home) / "projects").glob("*/chats/*.jsonl")
        yield from newest_first(SourceFile(self.name, path, session=path.stem) for path in found)

    def sniff(self, head: bytes) -> bool:
        """Whether the first record is a message of parts under a session."""
        for record in head_records(head):
            return "sessionId" in record and "parts" in map_of(record.get("message"))
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return QwenParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"qwen --resume {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Type, role and parts."""
        message = map_of(record.get("message"))
        return {**pick(record, ("type", "subtype")), "message": pick(message, ("role", "parts"))}


class QwenParser(PlainParser):
    """Reads one chat. See `memtui.hosts.protocol.Parser`."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind, record = text_of(row.get("type")), text_of(row.get("uuid")) or context.ordinal_id
        at, parts = row.get("timestamp"), list_of(map_of(row.get("message")).get("parts"))
        yield from self.begin(
            text_of(row.get("sessionId")),
            cwd=text_or_none(row.get("cwd")),
            version=text_or_none(row.get("version")),
            model=text_or_none(row.get("model")),
            branch=None if self.session else text_or_none(row.get("gitBranch")),
        )
        if kind == "user":
            text = "\n".join(filter(None, (text_of(map_of(p).get("text")) for p in parts)))
            if text.strip():
                yield context.entry(Kind.PROMPT, record, at, text=text)
        elif kind == "assistant":
            yield from self._answer(context, record, at, row, parts)
        elif kind == "tool_result":
            yield from self._results(context, record, at, row, parts)
        elif kind == "system":
            yield from self._system(context, record, at, row)
        else:
            yield context.skipped("unknown type", kind, self.version)

    def _answer(
        self, context: Context, record: str, at: Any, row: Mapping[str, Any], parts: list[Any]
    ) -> Iterator[Event]:
        usage = row.get("usageMetadata")
        shared: dict[str, Any] = {
            "message": record,
            "model": text_or_none(row.get("model")),
            "tokens": tokens_from(
                usage, "promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount"
            ),
        }
        for number, part in enumerate(map(map_of, parts)):
            call, text = map_of(part.get("functionCall")), text_of(part.get("text"))
            if call:
                yield self.called(
                    context, record, at, text_of(call.get("name")), call.get("args"),
                    text_of(call.get("id")), part=number, **shared,
                )  # fmt: skip
            elif text.strip():
                said = Kind.THINKING if part.get("thought") is True else Kind.ANSWER
                yield context.entry(said, record, at, part=number, text=text, **shared)

    def _results(
        self, context: Context, record: str, at: Any, row: Mapping[str, Any], parts: list[Any]
    ) -> Iterator[Event]:
        told = map_of(row.get("toolCallResult"))
        failed = text_of(told.get("status")) in ("error", "cancelled")
        for number, part in enumerate(map(map_of, parts)):
            answer = map_of(part.get("functionResponse"))
            response = map_of(answer.get("response"))
            error = text_of(response.get("error"))
            call = text_of(answer.get("id")) or text_of(told.get("callId"))
            if answer:
                yield result_entry(
                    self, context, record, at, call, error or text_of(response.get("output")),
                    failed=failed or bool(error), part=number,
                    diff=text_or_none(map_of(told.get("resultDisplay")).get("fileDiff")),
                )  # fmt: skip

    def _system(
        self, context: Context, record: str, at: Any, row: Mapping[str, Any]
    ) -> Iterator[Event]:
        subtype, payload = text_of(row.get("subtype")), map_of(row.get("systemPayload"))
        if subtype == "chat_compression":
            yield context.entry(Kind.COMPACTION, record, at, text="Conversation compacted")
        elif subtype == "custom_title":
            yield from self.named(text_of(payload.get("customTitle")))
        elif subtype not in _SILENT:
            yield context.skipped("unknown type", f"system/{subtype}", self.version)
