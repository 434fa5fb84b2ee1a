"""The Claude Code parser: one row of a transcript into events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from memtui.hosts.claude_attachments import attachment_entries, system_entries
from memtui.hosts.claude_messages import assistant_entries, user_entries
from memtui.hosts.claude_noise import (
    SILENT_TYPES,
    ProgressAgent,
    agent_told,
    progress_agent,
    row_type_of_noise,
)
from memtui.hosts.claude_state import ClaudeState
from memtui.hosts.claude_text import is_wrapped, notification
from memtui.hosts.feeding import Context, feed_line
from memtui.hosts.model import Entry, Kind, RawLine, SessionInfo, Skipped, SourceFile
from memtui.hosts.protocol import Event
from memtui.hosts.shape import first_line, map_of, text_of, text_or_none

TITLE_CUSTOM, TITLE_AI, TITLE_SUMMARY, TITLE_FIRST_PROMPT, TITLE_LAST_PROMPT = 50, 40, 30, 20, 10
TITLE_UNMATCHED_SUMMARY = 5
"""A summary may describe another session: it counts fully once the row that it names was seen."""

_QUEUED_PROMPTS_SAVED = (2, 1, 97)

_TELLING = ("sessionId", "cwd", "gitBranch", "version", "session_id", "forkedFrom")
"""The keys whose values tell of the session: rows with the same values tell nothing new."""


_FOLLOWED = (Kind.INJECTION, Kind.PROMPT)


class _Row(msgspec.Struct, frozen=True):
    context: Context
    fields: dict[str, Any]
    type: str


class ClaudeParser:
    """Reads one transcript, main or sub-agent. See `memtui.hosts.protocol.Parser`."""

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        self._source = source
        self._state = ClaudeState.load(state)
        self._told: list[Any] = []

    def state(self) -> dict[str, Any]:
        return self._state.dump()

    def feed(self, line: RawLine) -> list[Event]:
        noise = row_type_of_noise(line.data)
        if noise == "progress":
            context = Context(self._source, line.ordinal, 0, line.offset, len(line.data))
            return list(self._announced(context, progress_agent(line.data)))
        if noise is not None:
            return []
        return feed_line(self._source, line, self._record, self._state.version)

    def _announced(self, context: Context, found: ProgressAgent | None) -> Iterator[Event]:
        if found is not None and self._state.is_new_agent(found.agent):
            yield context.entry(
                Kind.SUBAGENT,
                found.record or context.ordinal_id,
                found.at,
                text=found.prompt,
                call=found.call,
                agent=found.agent,
            )

    def _record(self, context: Context, fields: dict[str, Any]) -> Iterator[Event]:
        row = _Row(context, fields, text_of(fields.get("type")))
        handle = _HANDLERS.get(row.type)
        if handle is None:
            yield from self._unhandled(row)
            return
        if row.type != "progress":
            yield from self._session(row)
        for event in handle(self, row):
            yield event
            if isinstance(event, Entry) and event.kind in _FOLLOWED:
                yield from self._after(event)

    def _unhandled(self, row: _Row) -> Iterator[Event]:
        if row.type not in SILENT_TYPES:
            yield row.context.skipped(
                "unknown type", row.type, text_of(row.fields.get("version")) or self._state.version
            )

    def _session(self, row: _Row) -> Iterable[Event]:
        """What the row says about its session, as far as it is new."""
        fields = row.fields
        uuid = text_of(fields.get("uuid"))
        summary = self._state.remember_row(uuid) if uuid else None
        titles = (self._title(summary, TITLE_SUMMARY),) if summary else ()
        told = [fields.get(key) for key in _TELLING]
        if told == self._told and self._model(row) in ("", self._state.model):
            return titles
        self._told = told
        return (*titles, *self._news(row))

    def _news(self, row: _Row) -> Iterator[Event]:
        state, fields = self._state, row.fields
        news: dict[str, Any] = {}
        owner = text_of(fields.get("sessionId"))
        if not state.session:
            state.session = self._source.session or owner or self._source.path.stem
            news["agent"] = self._source.agent
            if self._source.title:
                news["title"], news["title_rank"] = self._source.title, TITLE_AI
        told = (
            ("cwd", state.cwd, text_of(fields.get("cwd"))),
            ("branch", state.branch, text_of(fields.get("gitBranch"))),
            ("version", state.version, text_of(fields.get("version"))),
            ("model", state.model, self._model(row)),
            ("parent", state.parent, self._parent(owner, fields)),
        )
        for name, known, value in told:
            if value and value != known:
                setattr(state, name, value)
                news[name] = value
        if news:
            yield SessionInfo(state.session, **news)

    def _parent(self, owner: str, fields: Mapping[str, Any]) -> str:
        if self._source.agent:
            return self._source.parent or owner
        forked = text_of(map_of(fields.get("forkedFrom")).get("sessionId"))
        former = text_of(fields.get("session_id"))
        found = forked or (former if owner and former != owner else "")
        return found if found != self._state.session else ""

    def _model(self, row: _Row) -> str:
        if row.type != "assistant":
            return ""
        model = text_of(map_of(row.fields.get("message")).get("model"))
        return "" if model == "<synthetic>" else model

    def _after(self, entry: Entry) -> Iterator[Event]:
        """What follows from an entry: the title that a first prompt gives."""
        if entry.kind is Kind.INJECTION:
            self._state.remember_injected(entry.text)
        if entry.kind is Kind.PROMPT and not self._state.prompted:
            if entry.agent and not self._source.agent:
                return
            self._state.prompted = True
            if title := first_line(entry.text):
                yield self._title(title, TITLE_FIRST_PROMPT)

    def _title(self, title: str, rank: int) -> SessionInfo:
        return SessionInfo(self._state.session, title=title, title_rank=rank)

    def _user(self, row: _Row) -> Iterator[Event]:
        return user_entries(row.context, row.fields, self._state, self._source.agent)

    def _assistant(self, row: _Row) -> Iterator[Event]:
        return assistant_entries(row.context, row.fields, self._source.agent)

    def _attachment(self, row: _Row) -> Iterator[Event]:
        return attachment_entries(row.context, row.fields, self._state, self._source.agent)

    def _system(self, row: _Row) -> Iterator[Event]:
        return system_entries(row.context, row.fields, self._state, self._source.agent)

    def _queue(self, row: _Row) -> Iterator[Event]:
        """Typed while the agent worked. Old versions kept such a prompt nowhere else."""
        state, content = self._state, text_of(row.fields.get("content"))
        operation = row.fields.get("operation")
        told = notification(content)
        task = told.get("task-id", "")
        if task and state.is_new_agent(task):
            yield row.context.entry(
                Kind.SUBAGENT,
                row.context.ordinal_id,
                row.fields.get("timestamp"),
                text=told.get("summary", ""),
                call=text_or_none(told.get("tool-use-id")),
                agent=task,
            )
        if operation == "enqueue":
            state.enqueue(content)
        elif operation == "popAll":
            state.queue.clear()
        elif operation in ("dequeue", "remove") and state.queue:
            text = state.queue.pop(0)
            lost = operation == "remove" and _older(state.version, _QUEUED_PROMPTS_SAVED)
            if lost and text and not text.startswith("/") and not is_wrapped(text):
                yield row.context.entry(
                    Kind.PROMPT, row.context.ordinal_id, row.fields.get("timestamp"), text=text
                )

    def _progress(self, row: _Row) -> Iterator[Event]:
        told = [row.fields.get(key) for key in ("data", "parentToolUseID", "uuid", "timestamp")]
        yield from self._announced(row.context, agent_told(*told))

    def _custom_title(self, row: _Row) -> Iterator[Event]:
        yield from self._titled(row, "customTitle", TITLE_CUSTOM)

    def _ai_title(self, row: _Row) -> Iterator[Event]:
        yield from self._titled(row, "aiTitle", TITLE_AI)

    def _last_prompt(self, row: _Row) -> Iterator[Event]:
        yield from self._titled(row, "lastPrompt", TITLE_LAST_PROMPT)

    def _titled(self, row: _Row, key: str, rank: int) -> Iterator[Event]:
        if title := first_line(text_of(row.fields.get(key))):
            yield self._title(title, rank)

    def _summary(self, row: _Row) -> Iterator[Event]:
        title = first_line(text_of(row.fields.get("summary")))
        leaf = text_of(row.fields.get("leafUuid"))
        if not title:
            return
        if leaf in self._state.recent:
            yield self._title(title, TITLE_SUMMARY)
            return
        if leaf:
            self._state.remember_leaf(leaf, title)
        yield self._title(title, TITLE_UNMATCHED_SUMMARY)


def _older(version: str, than: tuple[int, ...]) -> bool:
    """Whether `version` is known and below `than`."""
    numbers = version.split(".")
    if len(numbers) != 3 or not all(n.isascii() and n.isdigit() and len(n) < 9 for n in numbers):
        return False
    return tuple(map(int, numbers)) < than


_HANDLERS: dict[str, Callable[[ClaudeParser, _Row], Iterator[Entry | SessionInfo | Skipped]]] = {
    "user": ClaudeParser._user,
    "assistant": ClaudeParser._assistant,
    "attachment": ClaudeParser._attachment,
    "system": ClaudeParser._system,
    "queue-operation": ClaudeParser._queue,
    "custom-title": ClaudeParser._custom_title,
    "ai-title": ClaudeParser._ai_title,
    "last-prompt": ClaudeParser._last_prompt,
    "summary": ClaudeParser._summary,
    "progress": ClaudeParser._progress,
}
