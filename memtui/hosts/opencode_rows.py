"""The OpenCode parser: records of `opencode_stream` into events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind, Tokens
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event
from memtui.hosts.shape import count_of, int_or_none, list_of, map_of, text_of, text_or_none

_NAMES = {"file": "filename", "agent": "name"}


class OpenCodeParser(PlainParser):
    """Reads one session. See `memtui.hosts.protocol.Parser`."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind = text_of(row.get("type"))
        record, at = text_of(row.get("id")) or context.ordinal_id, row.get("at")
        shared: dict[str, Any] = {
            "message": text_or_none(row.get("message")),
            "model": text_or_none(row.get("model")),
        }
        if kind == "opencode.session":
            yield from self.begin(
                text_of(row.get("id")),
                cwd=text_or_none(row.get("directory")),
                version=text_or_none(row.get("version")),
                parent=text_or_none(row.get("parentID")),
                agent="subagent" if row.get("parentID") else None,
            )
            return
        if shared["model"]:
            yield from self.begin(model=shared["model"])
        if kind == "user":
            yield from self._user(context, record, at, list_of(row.get("parts")))
        elif kind in ("text", "reasoning"):
            said = Kind.COMPACTION if row.get("summary") is True else Kind.ANSWER
            yield context.entry(
                Kind.THINKING if kind == "reasoning" else said, record, at,
                text=text_of(row.get("text")), **shared,
            )  # fmt: skip
        elif kind == "call":
            yield self.called(
                context, record, at, text_of(row.get("tool")), row.get("input"),
                text_of(row.get("call")), **shared,
            )  # fmt: skip
        elif kind == "result":
            yield from self._result(context, f"{record}/result", at, row, shared)
        elif kind == "end":
            yield from self._end(context, f"{record}/end", at, row, shared)
        else:
            yield from self._other(context, record, at, kind, row)

    def _user(self, context: Context, record: str, at: Any, parts: list[Any]) -> Iterator[Event]:
        typed: list[str] = []
        notes: list[str] = []
        for part in map(map_of, parts):
            kind, text = text_of(part.get("type")), text_of(part.get("text"))
            if kind == "compaction":
                yield context.entry(Kind.NOTICE, record, at, part=2, text="Compaction asked for")
            elif part.get("synthetic") is True or part.get("ignored") is True:
                notes.append(text)
            elif kind == "text":
                typed.append(text)
            elif name := text_of(part.get(_NAMES.get(kind, ""))) or text_of(part.get("prompt")):
                typed.append(f"[{kind}] {name}")
        if any(text.strip() for text in typed):
            yield context.entry(Kind.PROMPT, record, at, text="\n".join(filter(None, typed)))
        if any(text.strip() for text in notes):
            yield context.entry(
                Kind.NOTICE, record, at, part=1, text="\n".join(filter(None, notes))
            )

    def _result(
        self,
        context: Context,
        record: str,
        at: Any,
        row: Mapping[str, Any],
        shared: Mapping[str, Any],
    ) -> Iterator[Entry]:
        """A shell's failure is its exit code, a tool that does not exist is called "invalid"."""
        told, tool = map_of(row.get("metadata")), text_of(row.get("tool"))
        code = int_or_none(told.get("exit"))
        failed = row.get("status") == "error" or tool == "invalid" or code not in (None, 0)
        call = text_of(row.get("call"))
        self.calls.pop(call, None)
        yield context.entry(
            Kind.RESULT, record, at, call=call or None, tool=tool or None,
            text=text_of(row.get("output")) or text_of(row.get("error")),
            is_error=failed, exit_code=code, diff=text_or_none(told.get("diff")), **shared,
        )  # fmt: skip
        if child := text_of(told.get("sessionId")):
            yield context.entry(Kind.SUBAGENT, record, at, part=1, call=call, agent=child)

    def _end(
        self,
        context: Context,
        record: str,
        at: Any,
        row: Mapping[str, Any],
        shared: Mapping[str, Any],
    ) -> Iterator[Entry]:
        counts = map_of(row.get("tokens"))
        if counts:
            cache = map_of(counts.get("cache"))
            read, written = count_of(cache.get("read")), count_of(cache.get("write"))
            tokens = Tokens(
                count_of(counts.get("input")) + read + written, count_of(counts.get("output")), read
            )
            yield context.entry(Kind.NOTICE, record, at, tokens=tokens, **shared)
        if error := map_of(row.get("error")):
            text = text_of(map_of(error.get("data")).get("message")) or text_of(error.get("name"))
            stopped = text_of(error.get("name")) == "MessageAbortedError"
            yield context.entry(
                Kind.NOTICE, record, at, part=1, text=text or "error", is_error=not stopped
            )

    def _other(
        self, context: Context, record: str, at: Any, kind: str, row: Mapping[str, Any]
    ) -> Iterator[Event]:
        if kind == "patch":
            return
        if kind == "retry":
            said = text_of(map_of(map_of(row.get("error")).get("data")).get("message"))
            yield context.entry(Kind.NOTICE, record, at, text=said or "retry", is_error=True)
        elif kind == "compaction":
            yield context.entry(Kind.NOTICE, record, at, text="Compaction")
        elif kind == "subtask":
            task = text_of(row.get("description")) or text_of(row.get("prompt"))
            yield context.entry(Kind.NOTICE, record, at, text=f"subtask: {task}")
        elif kind not in ("file", "agent"):
            yield context.skipped("unknown type", kind, self.version)
