"""GitHub Copilot CLI: an events file per session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import result_entry
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first, sub_folders
from memtui.hosts.model import HostHome, Kind, SourceFile, Tokens
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event, Parser
from memtui.hosts.shape import count_of, first_line, map_of, pick, text_of, text_or_none
from memtui.hosts.sniffing import head_records

_SILENT = (
    "assistant.turn_start", "assistant.turn_end", "assistant.message_delta", "assistant.reasoning_delta",
    "hook.start", "tool.execution_progress", "tool.execution_partial_result", "permission.requested",
    "permission.completed", "session.idle", "session.usage_info", "assistant.usage",
    "session.compaction_start", "session.resume", "tool.user_requested", "session.mode_changed",
    "session.title_changed", "session.context_changed", "session.plan_changed",
)  # fmt: skip
_EXIT = re.compile(r"exited with (?:exit )?code:? (-?\d+)")
_FIELD = re.compile(r"^(summary|name|title): *(.+)$", re.MULTILINE)
_CONTENT = (
    "content",
    "transformedContent",
    "toolCallId",
    "toolName",
    "arguments",
    "result",
    "error",
    "success",
)


class CopilotCli(HostBase):
    """The host "copilot-cli"."""

    name = "copilot-cli"
    label = "GitHub Copilot CLI"

    def root(self, home: HostHome) -> Path:
        """The host's own folder: `COPILOT_HOME`, or `~/.copilot`."""
        moved = home.environ.get("COPILOT_HOME")
        return Path(moved).expanduser() if moved else home.home / ".copilot"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "session-state",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """`<session>/events.jsonl`, and the older `<session>.jsonl`; newest first."""
        folder = self.root(home) / "session-state"
        found = [path / "events.jsonl" for path in sub_folders(folder)]
        yield from newest_first(map(self.source, [*found, *folder.glob("*.jsonl")]))

    def source(self, path: Path) -> SourceFile:
        """The folder or file is called like the session; its title is in a file beside it."""
        if path.name != "events.jsonl":
            return SourceFile(self.name, path, session=path.stem)
        title = _title(path.with_name("workspace.yaml"))
        return SourceFile(self.name, path, session=path.parent.name, title=title)

    def sniff(self, head: bytes) -> bool:
        """Whether the first record is an event with dotted type and data."""
        for record in head_records(head):
            kind = text_of(record.get("type"))
            return "." in kind and isinstance(record.get("data"), dict) and "parentId" in record
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return CopilotParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"copilot --resume {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Type and content."""
        return {"type": record.get("type"), **pick(map_of(record.get("data")), _CONTENT)}


class CopilotParser(PlainParser):
    """Reads one events file. See `memtui.hosts.protocol.Parser`."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind, data = text_of(row.get("type")), map_of(row.get("data"))
        record, at = text_of(row.get("id")) or context.ordinal_id, row.get("timestamp")
        if kind == "session.start":
            where = map_of(data.get("context"))
            yield from self.begin(
                text_of(data.get("sessionId")),
                cwd=text_or_none(where.get("cwd")),
                branch=text_or_none(where.get("branch")),
                remote=_remote(where),
                version=text_or_none(data.get("copilotVersion")),
                model=text_or_none(data.get("selectedModel")),
            )
        elif kind == "session.model_change":
            yield from self.begin(model=text_or_none(data.get("newModel")))
        elif kind == "user.message":
            if (text := text_of(data.get("content"))).strip():
                own = text_of(data.get("source")) not in ("", "user")
                yield context.entry(Kind.NOTICE if own else Kind.PROMPT, record, at, text=text)
        elif kind == "assistant.message":
            yield from self._answer(context, record, at, data)
        elif kind.startswith("tool.execution_"):
            yield from self._tool(context, record, at, kind, data)
        elif kind in ("system.message", "session.info", "session.warning"):
            text = text_of(data.get("content")) or text_of(data.get("message"))
            yield context.entry(Kind.NOTICE, record, at, text=text)
        elif kind in ("session.error", "abort"):
            text = text_of(data.get("message")) or text_of(data.get("reason")) or kind
            yield context.entry(
                Kind.NOTICE, record, at, text=text, is_error=kind == "session.error"
            )
        elif kind in ("session.compaction_complete", "session.truncation"):
            text = text_of(data.get("summaryContent")) or "Conversation compacted"
            yield context.entry(Kind.COMPACTION, record, at, text=text)
        elif kind == "subagent.started":
            yield context.entry(
                Kind.SUBAGENT, record, at, call=text_or_none(data.get("toolCallId")),
                agent=text_of(data.get("agentName")) or "subagent",
                text=text_of(data.get("agentDescription")),
            )  # fmt: skip
        elif kind == "hook.end":
            yield from self._hook(context, record, at, data)
        elif not (
            kind in _SILENT or kind.startswith(("session.shutdown", "subagent.", "permission."))
        ):
            yield context.skipped("unknown type", kind, self.version)

    def _answer(
        self, context: Context, record: str, at: Any, data: Mapping[str, Any]
    ) -> Iterator[Event]:
        model = text_or_none(data.get("model"))
        shared: dict[str, Any] = {"message": text_or_none(data.get("messageId")), "model": model}
        if model:
            yield from self.begin(model=model)
        if thought := text_of(data.get("reasoningText")):
            yield context.entry(Kind.THINKING, record, at, text=thought, **shared)
        output = count_of(data.get("outputTokens"))
        tokens = Tokens(output=output) if output else None
        text = text_of(data.get("content"))
        if text.strip():
            yield context.entry(Kind.ANSWER, record, at, part=1, text=text, tokens=tokens, **shared)
        elif tokens is not None:
            yield context.entry(Kind.NOTICE, record, at, part=1, tokens=tokens, **shared)

    def _tool(
        self, context: Context, record: str, at: Any, kind: str, data: Mapping[str, Any]
    ) -> Iterator[Event]:
        call = text_of(data.get("toolCallId"))
        if kind.endswith("_start"):
            tool = text_of(data.get("toolName"))
            yield self.called(context, record, at, tool, data.get("arguments"), call)
        elif kind.endswith("_complete"):
            result, error = map_of(data.get("result")), map_of(data.get("error"))
            text = text_of(result.get("content")) or text_of(error.get("message"))
            found = _EXIT.search(text[-200:]) if self.calls.get(call) == "bash" else None
            yield result_entry(
                self, context, record, at, call, text, failed=data.get("success") is False,
                exit_code=int(found.group(1)) if found else None,
                diff=_diff(result.get("detailedContent")),
            )  # fmt: skip

    def _hook(
        self, context: Context, record: str, at: Any, data: Mapping[str, Any]
    ) -> Iterator[Event]:
        """What a hook added to the conversation, or that it failed."""
        output = map_of(data.get("output"))
        if text := text_of(output.get("additionalContext")):
            yield context.entry(Kind.INJECTION, record, at, text=text)
        if data.get("success") is False:
            said = text_of(map_of(data.get("error")).get("message"))
            name = text_of(data.get("hookType"))
            yield context.entry(Kind.NOTICE, record, at, part=1, text=f"Hook {name} failed: {said}")


def _remote(where: Mapping[str, Any]) -> str | None:
    name, server = text_of(where.get("repository")), text_of(where.get("repositoryHost"))
    return f"https://{server}/{name}" if name and server else None


def _diff(shown: Any) -> str | None:
    return shown if isinstance(shown, str) and "\n@@ " in shown else None


def _title(notes: Path) -> str | None:
    """The session's title in the file that the host keeps beside its events."""
    try:
        with notes.open("rb") as stream:
            found = _FIELD.search(stream.read(16 * 1024).decode("utf-8", "replace"))
    except OSError:
        return None
    return first_line(found.group(2).strip("\"'")) or None if found else None
