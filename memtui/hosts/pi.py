"""Pi: one JSONL file per session, whose entries form a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import BLOCK_FIELDS, canonical_message, message_entries, result_entry
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, Kind, SourceFile, Tokens
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event, Parser
from memtui.hosts.shape import count_of, joined_text, map_of, pick, text_of, text_or_none
from memtui.hosts.sniffing import head_records

_SILENT = ("thinking_level_change", "custom", "label", "session_info")
_KEPT = 1000


class Pi(HostBase):
    """The host "pi"."""

    name = "pi"
    label = "Pi"

    def root(self, home: HostHome) -> Path:
        """The agent's folder: `PI_CODING_AGENT_DIR`, or `~/.pi/agent`."""
        moved = home.environ.get("PI_CODING_AGENT_DIR")
        return Path(moved).expanduser() if moved else home.home / ".pi" / "agent"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "sessions",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Sessions of all folders, newest first."""
        found = (self.root(home) / "sessions").glob("*/*.jsonl")
        yield from newest_first(
            SourceFile(self.name, path, session=path.stem.rpartition("_")[2]) for path in found
        )

    def sniff(self, head: bytes) -> bool:
        """Whether the first record opens a session."""
        for record in head_records(head):
            return record.get("type") == "session" and "version" in record and "cwd" in record
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return PiParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"pi --session {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Type and content."""
        fields = pick(record, ("type", "summary", "name"))
        if "message" in record:
            fields["message"] = canonical_message(map_of(record["message"]), BLOCK_FIELDS)
        return fields


class PiParser(PlainParser):
    """Reads one session. Only the branch that ends in the last entry is the conversation.

    `after` names for each entry the one that followed it: where another follows, the person went back.
    """

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(source, state)
        saved = map_of((state or {}).get("after"))
        self._after = {key: text_of(value) for key, value in saved.items()}
        self._last = text_of((state or {}).get("last"))

    def state(self) -> dict[str, Any]:
        return {**super().state(), "after": self._after, "last": self._last}

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind, record = text_of(row.get("type")), text_of(row.get("id")) or context.ordinal_id
        at = row.get("timestamp")
        if kind == "session":
            parent = text_of(row.get("parentSession")) or text_of(row.get("branchedFrom"))
            yield from self.begin(
                record,
                cwd=text_or_none(row.get("cwd")),
                parent=Path(parent).stem.rpartition("_")[2] if parent else None,
            )
            return
        yield from self._branch(context, record, text_of(row.get("parentId")))
        if kind == "message":
            yield from self._message(context, record, at, map_of(row.get("message")))
        elif kind in ("compaction", "branch_summary"):
            told = Kind.COMPACTION if kind == "compaction" else Kind.NOTICE
            yield context.entry(told, record, at, text=text_of(row.get("summary")))
        elif kind == "model_change":
            yield from self.begin(model=text_or_none(row.get("modelId")))
        elif kind == "custom_message":
            yield context.entry(Kind.NOTICE, record, at, text=joined_text(row.get("content")))
        elif kind not in _SILENT:
            yield context.skipped("unknown type", kind, self.version)
        if kind == "session_info":
            yield from self.named(text_of(row.get("name")))

    def _branch(self, context: Context, record: str, parent: str) -> Iterator[Event]:
        before, self._last = self._last, record
        first = self._after.get(parent)
        if parent and before and parent != before and first:
            yield context.entry(
                Kind.NOTICE, f"{record}/back", None, text="Went back to an earlier message",
                tool="rewound", input={"record": first},
            )  # fmt: skip
        if parent:
            self._after[parent] = record
            while len(self._after) > _KEPT:
                del self._after[next(iter(self._after))]

    def _message(
        self, context: Context, record: str, at: Any, message: Mapping[str, Any]
    ) -> Iterator[Event]:
        role, content = text_of(message.get("role")), message.get("content")
        if role == "toolResult":
            yield result_entry(
                self, context, record, at, text_of(message.get("toolCallId")), joined_text(content),
                failed=message.get("isError") is True,
            )  # fmt: skip
        elif role == "bashExecution":
            call = f"{record}/bash"
            given = {"command": text_of(message.get("command"))}
            yield self.called(context, record, at, "bash", given, call)
            code = message.get("exitCode")
            yield result_entry(
                self, context, record, at, call, text_of(message.get("output")), part=1,
                exit_code=code if type(code) is int else None,
            )  # fmt: skip
        elif role in ("user", "assistant"):
            model = text_or_none(message.get("model"))
            if model:
                yield from self.begin(model=model)
            shared: dict[str, Any] = {"model": model} if role == "assistant" else {}
            if role == "assistant":
                shared |= {"message": record, "tokens": _tokens(message.get("usage"))}
            yield from message_entries(self, context, record, at, role, content, **shared)
            if message.get("stopReason") == "error":
                said = text_of(message.get("errorMessage")) or "the model's answer failed"
                yield context.entry(Kind.NOTICE, record, at, part=99, text=said, is_error=True)
        else:
            yield context.skipped("unknown type", f"message/{role}", self.version)


def _tokens(usage: Any) -> Tokens | None:
    fields = map_of(usage)
    read, written = count_of(fields.get("cacheRead")), count_of(fields.get("cacheWrite"))
    found = Tokens(
        count_of(fields.get("input")) + read + written, count_of(fields.get("output")), read
    )
    return found if found != Tokens() else None
