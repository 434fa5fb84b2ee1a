"""A parser for hosts whose records need little memory from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memtui.hosts.feeding import Context, feed_line
from memtui.hosts.model import Entry, Kind, RawLine, SessionInfo, SourceFile, Tokens
from memtui.hosts.protocol import Event
from memtui.hosts.render import render_call
from memtui.hosts.shape import count_of, first_line, map_of, text_of

TITLE_NAMED, TITLE_FIRST_PROMPT = 50, 10

_REMEMBERED = 400


class PlainParser:
    """Keeps the session's id, whether it has a title, its version and folder, and tools of open calls.

    A subclass reads one record in `record`. See `memtui.hosts.protocol.Parser`.
    """

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        saved = dict(state or {})
        self.source = source
        self.session = text_of(saved.get("session"))
        self.version = text_of(saved.get("version"))
        self.model = text_of(saved.get("model"))
        self.cwd = text_of(saved.get("cwd"))
        self.prompted = saved.get("prompted") is True
        self.calls = {key: text_of(tool) for key, tool in map_of(saved.get("calls")).items()}

    def state(self) -> dict[str, Any]:
        """See `Parser.state`."""
        return {
            "session": self.session,
            "version": self.version,
            "model": self.model,
            "cwd": self.cwd,
            "prompted": self.prompted,
            "calls": self.calls,
        }

    def feed(self, line: RawLine) -> list[Event]:
        """See `Parser.feed`."""
        return feed_line(self.source, line, self._titled, self.version)

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        """The events of one record."""
        raise NotImplementedError

    def session_name(self) -> str:
        """The session's id where no record tells it."""
        return self.source.session or self.source.path.stem

    def begin(
        self,
        session: str = "",
        *,
        cwd: str | None = None,
        version: str | None = None,
        model: str | None = None,
        **more: str | None,
    ) -> Iterator[Event]:
        """What a record says of the session (see `SessionInfo`): told when it is new or has changed."""
        name = session or self.session or self.session_name()
        told = {"cwd": cwd, "version": version, "model": model}
        news = {key: new for key, new in told.items() if new and new != getattr(self, key)}
        for key, value in news.items():
            setattr(self, key, value)
        if name == self.session and not news and not any(more.values()):
            return
        self.session = name
        yield SessionInfo(
            name,
            cwd=news.get("cwd"),
            version=news.get("version"),
            model=news.get("model"),
            branch=more.get("branch") or None,
            remote=more.get("remote") or None,
            parent=more.get("parent") or None,
            agent=more.get("agent") or None,
        )

    def named(self, title: str) -> Iterator[Event]:
        """A title that the host keeps."""
        if line := first_line(title):
            yield SessionInfo(
                self.session or self.session_name(), title=line, title_rank=TITLE_NAMED
            )

    def called(
        self, context: Context, record: str, at: Any, tool: str, values: Any, call: str, **more: Any
    ) -> Entry:
        """The CALL of a tool; its name is kept for its result."""
        given = map_of(values)
        rendered = render_call(tool, given)
        if call:
            self.calls[call] = tool
            while len(self.calls) > _REMEMBERED:
                del self.calls[next(iter(self.calls))]
        return context.entry(
            Kind.CALL,
            record,
            at,
            call=call or None,
            tool=tool or None,
            input=given,
            text=rendered.text,
            diff=rendered.diff,
            paths=rendered.paths,
            **more,
        )

    def _titled(self, context: Context, row: dict[str, Any]) -> Iterable[Event]:
        """The record's events, after what must be known of the session, with its first prompt as title."""
        for event in self.record(context, row):
            if isinstance(event, Entry) and not self.session:
                yield from self.begin()
            yield event
            if isinstance(event, Entry) and event.kind is Kind.PROMPT and not self.prompted:
                self.prompted = True
                if title := first_line(event.text):
                    yield SessionInfo(self.session, title=title, title_rank=TITLE_FIRST_PROMPT)


def tokens_from(counts: Any, sent: str, output: str, cached: str = "") -> Tokens | None:
    """Token counts stored under these names; None where there are none."""
    fields = map_of(counts)
    found = Tokens(
        count_of(fields.get(sent)), count_of(fields.get(output)), count_of(fields.get(cached))
    )
    return found if found != Tokens() else None
