"""The timeline: all sessions and their rows as one virtual list, read a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memtui.hosts.model import Kind
from memtui.sessions.rows import Facet


class Step(StrEnum):
    """What `Timeline.next` goes to. PAIR: from a failure to the success of the same command, and back."""

    SESSION = "session"
    PROMPT = "prompt"
    FAILURE = "failure"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session. Times are milliseconds since the epoch; `session` is its row id in the catalogue.

    `depth` is 0 for a main session and more for sub-agents, which come right after their parent.
    `count` is the number of rows in the timeline's facet, `counts` in every facet. `parent` is the
    row id of the session that this one was forked from or started by.
    """

    session: int
    host: str
    id: str
    agent: str
    project: str
    title: str
    cwd: str
    branch: str
    remote: str
    version: str
    model: str
    parent: int | None
    started: int | None
    ended: int | None
    count: int
    counts: tuple[int, ...]
    depth: int = 0
    collapsed: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One row of a session, as the catalogue holds it: `preview` is redacted and one line.

    `calls` and `failed` count the tool calls that follow a prompt or answer before the next one.
    `child` is the row id of the sub-agent's session on a row where one starts.
    """

    session: int
    seq: int
    kind: Kind
    flags: int
    record: str
    part: int
    at: int | None
    preview: str
    tool: str | None = None
    exit_code: int | None = None
    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    child: int | None = None


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """Position `index`: a session's heading (`turn` is None) or one of its rows."""

    index: int
    session: SessionRow
    turn: TurnRow | None = None

    @property
    def is_heading(self) -> bool:
        """Whether this is a session's heading."""
        return self.turn is None

    @property
    def at(self) -> int | None:
        """Time in milliseconds since the epoch: of the row, or when the session began."""
        return self.session.started if self.turn is None else self.turn.at

    @property
    def ref(self) -> str:
        """`host:session#record` as evidence cites it; the session alone for a heading."""
        start = f"{self.session.host}:{self.session.id}"
        return start if self.turn is None else f"{start}#{self.turn.record}"


@dataclass(frozen=True, slots=True)
class Change:
    """What `refresh` found. Rows before `first` are as they were; None means nothing changed.

    `sessions` are the row ids that changed, `added` those that are new.
    """

    first: int | None
    before: int
    after: int
    sessions: frozenset[int] = frozenset()
    added: frozenset[int] = frozenset()


class Timeline:
    """A virtual list: newest session last, sub-agents under their parent. One thread at a time.

    `project` is a project key, several (aliases), or None for all. `hidden` are session ids
    (`host:session`) that are left out.
    """

    def __init__(
        self,
        db_path: Path,
        project: str | Sequence[str] | None = None,
        facet: Facet = Facet.TURNS,
        hidden: Iterable[str] = (),
        collapsed: Iterable[int] = (),
    ) -> None: ...

    def __len__(self) -> int: ...

    def row(self, index: int) -> TimelineRow:
        """The row at `index`. Raises IndexError."""
        ...

    def rows(self, start: int, stop: int) -> list[TimelineRow]:
        """The rows from `start` up to `stop`, cut to what there is."""
        ...

    def position_of(
        self, session: int, seq: int | None = None, record: str | None = None
    ) -> int | None:
        """Where a row is (its heading without seq and record); the row before it if not shown."""
        ...

    def next(self, index: int, what: Step, direction: int = 1) -> int | None:
        """The next position of `what` after (1) or before (-1) `index`, or None."""
        ...

    def at_time(self, ms: int) -> int:
        """The position of the last row that is not later than `ms`."""
        ...

    def collapse(self, session: int, collapsed: bool = True) -> None:
        """Hide or show the rows and sub-agents of a session."""
        ...

    def refresh(self) -> Change:
        """Take in what was catalogued since."""
        ...

    def sessions(self) -> list[SessionRow]:
        """The sessions in the order in which they are shown."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
