"""What a timeline shows: sessions, their rows, and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memtui.hosts.model import Kind
from memtui.sessions.rows import turn_id


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

    @property
    def ref(self) -> str:
        """`host:session`, as evidence and marks name it."""
        return f"{self.host}:{self.id}"


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

    @property
    def id(self) -> int:
        """The row id in the catalogue."""
        return turn_id(self.session, self.seq)


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
        start = self.session.ref
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
