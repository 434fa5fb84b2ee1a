"""The Codex parser: one line of a rollout into events, whatever its era."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memtui.hosts.codex_calls import CALL_TYPES, OUTPUT_TYPES
from memtui.hosts.codex_events import SILENT_EVENTS, event_entries
from memtui.hosts.codex_forks import follow_copy
from memtui.hosts.codex_items import At, item_entries, item_type, legacy_items
from memtui.hosts.codex_state import CodexState
from memtui.hosts.codex_texts import cwd_in
from memtui.hosts.feeding import Context, feed_line
from memtui.hosts.model import Entry, Kind, RawLine, SessionInfo, SourceFile
from memtui.hosts.protocol import Event
from memtui.hosts.shape import first_line, list_of, map_of, millis, text_of

TITLE_NAMED, TITLE_FIRST_PROMPT = 50, 10

ENVELOPES = frozenset(
    {
        "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
        "inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score",
        "realtime_item", "token_usage_record",
    }
)  # fmt: skip
"""The types of enveloped records: `{timestamp, type, payload}`."""

_ITEM_TYPES = CALL_TYPES | OUTPUT_TYPES | {"message", "reasoning"}


class CodexParser:
    """Reads one rollout. See `memtui.hosts.protocol.Parser`."""

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        self._source = source
        self._state = CodexState.load(state)

    def state(self) -> dict[str, Any]:
        return self._state.dump()

    def feed(self, line: RawLine) -> list[Event]:
        return feed_line(self._source, line, self._record, self._state.version)

    def _record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        kind = row.get("type")
        if isinstance(kind, str) and kind in ENVELOPES:
            yield from self._enveloped(context, kind, row)
        elif isinstance(row.get("items"), list) and isinstance(row.get("session"), dict):
            yield from self._document(context, row)
        elif (isinstance(kind, str) and kind in _ITEM_TYPES) or "role" in row:
            yield from self._titled(item_entries(At.of(context, row), row, self._state))
        elif "record_type" in row:
            return
        elif not kind and isinstance(row.get("id"), str) and "timestamp" in row:
            yield from self._meta(row)
        else:
            yield context.skipped("unknown type", text_of(kind), self._state.version)

    def _document(self, context: Context, row: Mapping[str, Any]) -> Iterator[Event]:
        """The TypeScript era: the whole session is one JSON document. Records are numbered items."""
        session = map_of(row.get("session"))
        yield from self._meta(session)
        for number, item in enumerate(list_of(row.get("items"))):
            place = At(context, str(number), None)
            for fields in legacy_items(map_of(item)):
                yield from self._titled(item_entries(place, fields, self._state))

    def _enveloped(self, context: Context, kind: str, row: Mapping[str, Any]) -> Iterator[Event]:
        payload = map_of(row.get("payload"))
        if kind == "session_meta":
            yield from self._session_meta(payload, row)
            return
        if self._state.parent:
            follow_copy(self._state, row, payload, row.get("timestamp"))
        handle = _HANDLERS.get(kind)
        if handle is not None and not self._state.copying:
            yield from self._titled(handle(self, At.of(context, row), payload))

    def _session_meta(self, payload: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[Event]:
        """The first one is the session's own; a second one opens a copy of the parent's history."""
        if not self._state.session:
            yield from self._meta(payload)
            return
        other = text_of(payload.get("id")) or text_of(payload.get("session_id"))
        if other and other != self._state.session:
            self._state.parent = self._state.parent or other
            self._state.copying = True
            self._state.copied_at = millis(row.get("timestamp")) or 0

    def _meta(self, meta: Mapping[str, Any]) -> Iterator[Event]:
        state, git = self._state, map_of(meta.get("git"))
        if state.session:
            return
        state.session = (
            text_of(meta.get("id"))
            or text_of(meta.get("session_id"))
            or self._source.session
            or self._source.path.stem
        )
        spawned = map_of(map_of(map_of(meta.get("source")).get("subagent")).get("thread_spawn"))
        parent = (
            text_of(spawned.get("parent_thread_id"))
            or text_of(meta.get("parent_thread_id"))
            or text_of(meta.get("forked_from_id"))
        )
        agent = text_of(meta.get("agent_nickname")) or text_of(spawned.get("agent_nickname"))
        role = text_of(meta.get("agent_role")) or text_of(spawned.get("agent_role"))
        state.started = millis(meta.get("timestamp")) or 0
        state.parent = parent
        state.cwd, state.model = text_of(meta.get("cwd")), text_of(meta.get("model"))
        state.version, state.branch = text_of(meta.get("cli_version")), text_of(git.get("branch"))
        yield SessionInfo(
            state.session,
            title=self._source.title,
            title_rank=TITLE_NAMED if self._source.title else 0,
            cwd=state.cwd or None,
            branch=state.branch or None,
            remote=text_of(git.get("repository_url")) or None,
            version=state.version or None,
            model=state.model or None,
            parent=parent or None,
            agent=agent or role or ("subagent" if spawned else None),
        )

    def _titled(self, events: Iterator[Event]) -> Iterator[Event]:
        """`events`, with what they tell of the session: its id, its title, its folder."""
        for event in events:
            if isinstance(event, Entry):
                if not self._state.session:
                    yield from self._meta({})
                if event.kind is Kind.NOTICE and (cwd := cwd_in(event.text)):
                    yield from self._moved(cwd=cwd)
            yield event
            if isinstance(event, Entry) and event.kind is Kind.PROMPT and not self._state.prompted:
                self._state.prompted = True
                if title := first_line(event.text):
                    yield SessionInfo(
                        self._state.session, title=title, title_rank=TITLE_FIRST_PROMPT
                    )

    def _started(self) -> Iterator[Event]:
        """A session whose first line is missing still gets its id, from the path."""
        if not self._state.session:
            yield from self._meta({})

    def _moved(self, cwd: str = "", model: str = "") -> Iterator[Event]:
        state = self._state
        new_cwd = cwd if cwd != state.cwd else ""
        new_model = model if model != state.model else ""
        if new_cwd or new_model:
            state.cwd, state.model = new_cwd or state.cwd, new_model or state.model
            yield SessionInfo(state.session, cwd=new_cwd or None, model=new_model or None)

    def _turn_context(self, place: At, payload: Mapping[str, Any]) -> Iterator[Event]:
        yield from self._started()
        yield from self._moved(cwd=text_of(payload.get("cwd")), model=text_of(payload.get("model")))

    def _item(self, place: At, payload: Mapping[str, Any]) -> Iterator[Event]:
        if item_type(payload) not in _ITEM_TYPES and item_type(payload) not in SILENT_EVENTS:
            yield place.context.skipped(
                "unknown type", f"response_item/{item_type(payload)}", self._state.version
            )
            return
        yield from item_entries(place, payload, self._state)

    def _event(self, place: At, payload: Mapping[str, Any]) -> Iterator[Event]:
        name = text_of(payload.get("thread_name"))
        if payload.get("type") == "thread_name_updated" and name:
            yield from self._started()
            yield SessionInfo(self._state.session, title=name, title_rank=TITLE_NAMED)
            return
        yield from event_entries(place, payload, self._state)

    def _compacted(self, place: At, payload: Mapping[str, Any]) -> Iterator[Event]:
        if self._state.is_first("response", "compaction", ""):
            text = text_of(payload.get("message")) or "Conversation compacted"
            yield place.entry(Kind.COMPACTION, text=text)


_HANDLERS: dict[str, Callable[[CodexParser, At, Mapping[str, Any]], Iterator[Event]]] = {
    "response_item": CodexParser._item,
    "event_msg": CodexParser._event,
    "turn_context": CodexParser._turn_context,
    "compacted": CodexParser._compacted,
}
