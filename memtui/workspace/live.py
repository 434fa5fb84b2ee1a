"""A session that runs beside us: what it received, what its context holds, what failed, what to keep."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.hosts.model import Kind
from memtui.inject.render import handle_in, tokens
from memtui.safety.fence import TAG
from memtui.sessions.rows import KIND_NUMBER, KINDS, MAX_SEQ, Facet, Flag, split_id, turn_id
from memtui.sessions.timeline import Timeline
from memtui.sessions.turn import read_turn
from memtui.workspace.covering import Covered, Covering
from memtui.workspace.model import BankView

if TYPE_CHECKING:
    from memtui.capture.turns import Turn
    from memtui.curate.act import ActResult
    from memtui.curate.candidates import Candidate
    from memtui.curate.curator import Curator
    from memtui.workspace.workspace import Workspace

LIVE_SECONDS = 30 * 60
"""A transcript that changed within this time belongs to a session that may still run."""

_SKEW = 60
"""Seconds that a file's clock may be ahead of ours."""

_SESSIONS = (
    "SELECT s.id, s.host, s.session, COALESCE(s.title, ''), COALESCE(s.model, ''), s.ended, "
    "MAX(f.mtime_ns) FROM sessions s JOIN session_files sf ON sf.session = s.id "
    "JOIN files f ON f.id = sf.file AND NOT f.gone "
    "WHERE s.n_all > 0 AND s.agent = '' AND s.project IN ({}) GROUP BY s.id "
    "ORDER BY 7 DESC, s.ended DESC, 1 LIMIT ?"
)
_ROWS = (
    "SELECT id, kind, flags, at, preview, tool, exit_code, tokens_in FROM turns "
    "WHERE id BETWEEN ? AND ? AND (tokens_in > 0 OR kind IN (?, ?) OR flags & ?) ORDER BY id"
)
_SETTLES = 200
"""Rows behind the newest that may still change: a call gets its result there."""


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session of this project. `changed` is when its transcript was written last, in milliseconds."""

    session: int
    host: str
    id: str
    title: str
    model: str
    ended: int | None
    changed: int

    @property
    def name(self) -> str:
        """`host:session`, as the ledger calls it."""
        return f"{self.host}:{self.id}"

    def is_live(self, now: datetime) -> bool:
        """Whether it may still run."""
        quiet = now.timestamp() - self.changed / 1000
        return -_SKEW < quiet < LIVE_SECONDS


@dataclass(frozen=True, slots=True)
class Received:
    """A text that a hook put into the context. `handles` are memtui's lines in it, none of other hooks'."""

    seq: int
    at: int | None
    tokens: int
    ours: bool
    handles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What hooks sent to a session, as the ledger has it, and what became of the newest of it.

    `outcome` is "" where nothing was sent. `tokens` and `handles` are of all `times` together.
    """

    outcome: str = ""
    detail: str = ""
    times: int = 0
    tokens: int = 0
    handles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Compacted:
    """A compaction. `before` and `after` are the context's tokens around it, 0 where not known.

    `lost` are the handles that memtui had sent and that were not sent again since.
    """

    seq: int
    at: int | None
    before: int = 0
    after: int = 0
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed, or runs, and the card that covers it, if there is one."""

    seq: int
    at: int | None
    tool: str
    text: str
    exit_code: int | None
    covered: Covered | None = None


@dataclass(frozen=True, slots=True)
class LiveView:
    """A session at one moment. `context` has the tokens of each request, oldest first.

    `memory` is how many of them are memtui's block, as far as it is still in the context.
    `repeated` are the calls that run now and that a card names.
    """

    session: LiveSession
    context: tuple[int, ...] = ()
    memory: int = 0
    received: tuple[Received, ...] = ()
    compacted: tuple[Compacted, ...] = ()
    failures: tuple[Failure, ...] = ()
    repeated: tuple[Failure, ...] = ()

    @property
    def handles(self) -> frozenset[str]:
        """What memtui told the session, at any time."""
        return frozenset(handle for told in self.received for handle in told.handles)

    @property
    def share(self) -> float:
        """The part of the context that is memtui's, 0 to 1."""
        return (
            min(1.0, self.memory / self.context[-1]) if self.context and self.context[-1] else 0.0
        )


class Live:
    """Follows one session after the other. Everything blocks; one call at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._covering = Covering(workspace)
        self._followed = -1
        self._db: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._rows: dict[int, tuple[object, ...]] = {}
        self._received: dict[int, Received] = {}
        self._last = -1

    def sessions(self, limit: int = 20) -> tuple[LiveSession, ...]:
        """The sessions of this project, the one written last first. Raises sqlite3.Error."""
        keys = self._workspace.project_keys
        if not keys:
            return ()
        query = _SESSIONS.format(",".join("?" * len(keys)))
        found = self._reader().execute(query, (*keys, limit)).fetchall()
        return tuple(
            LiveSession(row, host, name, title, model, ended, int(changed) // 1_000_000)
            for row, host, name, title, model, ended, changed in found
        )

    def look(self, session: LiveSession, view: BankView | None) -> LiveView:
        """The session as the catalogue knows it now. Raises sqlite3.Error."""
        self._read(self._reader(), session.session)
        made = _Made(self, session)
        for seq, row in sorted(self._rows.items()):
            made.take(seq, row)
        failures = tuple(
            replace(one, covered=self._covering.card_for(session.session, one.seq, one.text, view))
            for one in made.failures
        )
        running = (
            replace(one, covered=self._covering.card_for_command(one.text, view))
            for one in made.running
        )
        return LiveView(
            session,
            tuple(made.context),
            sum(one.tokens for one in made.present if one.ours),
            tuple(made.received),
            tuple(made.compacted),
            failures,
            tuple(one for one in running if one.covered is not None),
        )

    def close(self) -> None:
        """Close the connection that is kept; the next look opens another."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _reader(self) -> sqlite3.Connection:
        """One connection for all looks: opening one costs more than a look. Raises sqlite3.Error."""
        catalogue = self._workspace.catalogue
        try:
            stat = catalogue.path.stat()
        except FileNotFoundError:
            stat = None
        file = (stat.st_dev, stat.st_ino) if stat is not None else (0, 0)
        if self._db is None or file != self._file:
            self.close()
            self._db, self._file = catalogue.reader(), file
        return self._db

    def timeline(self, session: LiveSession) -> Timeline:
        """The rows of one session as a list that grows. Quick."""
        path = self._workspace.catalogue.path
        return Timeline(path, None, Facet.TURNS, only=session.session)

    def receipt(self, session: LiveSession) -> Receipt:
        """What the ledger says of memtui's texts in the session.

        Raises OSError, sqlite3.Error, LedgerError.
        """
        agents = self._workspace.agents
        agents.take_in()
        found = agents.deliveries(session.name)
        if not found:
            return Receipt()
        handles = {handle for one in found for handle, _ in one.injection.lines}
        size = sum(one.injection.tokens for one in found)
        last = found[-1]
        return Receipt(last.outcome.value, last.detail, len(found), size, frozenset(handles))

    def candidates(self, session: LiveSession, view: BankView | None) -> tuple[Candidate, ...]:
        """What could become a card and is not known yet. Raises OSError, sqlite3.Error."""
        from memtui.bank.model import Scope
        from memtui.curate.candidates import candidates
        from memtui.curate.similar import NEAR, similarity

        known = [card.item.title for card in view.cards] if view else []
        scope = Scope(project=self._workspace.project or None)
        return tuple(
            one
            for one in candidates(self._turns(session), scope)
            if not any(similarity(one.draft.title, title) >= NEAR for title in known)
        )

    def promoting(
        self, session: LiveSession, candidate: Candidate
    ) -> Callable[[Curator], ActResult]:
        """The act that makes a card of a candidate, with the cited records sealed. It blocks."""
        from memtui.curate.cited import cited_records
        from memtui.curate.create import create
        from memtui.sessions.citation import Citations

        def act(curator: Curator) -> ActResult:
            workspace = self._workspace
            citations = Citations(workspace.catalogue, workspace.setting.home)
            records = cited_records(candidate.draft, self._turns(session), citations)
            return create(curator, candidate.draft, records)

        return act

    def _turns(self, session: LiveSession) -> list[Turn]:
        from memtui.capture.transcripts import headings, read

        workspace = self._workspace
        found = headings(workspace.catalogue, workspace.project_keys)
        heading = next((one for one in found if one.row == session.session), None)
        return read(heading) if heading is not None else []

    def line_of(self, handle: str, view: BankView) -> str:
        """The line by which an injection would tell of a card, "" for one that is not there."""
        from memtui.index.rows import day_of
        from memtui.inject.render import line_of

        today = day_of(self._workspace.clock())
        found = (one for one in view.snapshot.candidates if one.handle == handle)
        return next((line_of(one, today).text for one in found), "")

    def received_at(self, session: LiveSession, seq: int, at: int | None) -> Received:
        """What an injection row holds; read from the transcript once."""
        known = self._received.get(seq)
        if known is None:
            text = read_turn(self._workspace.catalogue, session.session, seq).text.text
            ours = TAG in text
            lines = (handle_in(line.strip()) for line in text.splitlines()) if ours else ()
            size = tokens(len(text.encode("utf-8", "replace")))
            known = Received(seq, at, size, ours, tuple(filter(None, lines)))
            self._received[seq] = known
        return known

    def _read(self, db: sqlite3.Connection, session: int) -> None:
        """Take in the rows that are new, and those that may have changed."""
        if session != self._followed:
            self._followed, self._last = session, -1
            self._rows.clear()
            self._received.clear()
        begin = max(0, self._last - _SETTLES)
        for seq in [seq for seq in self._rows if seq >= begin]:
            del self._rows[seq]  # a call that has ended well since is no longer of interest
        first = turn_id(session, begin)
        values = (
            KIND_NUMBER[Kind.COMPACTION],
            KIND_NUMBER[Kind.INJECTION],
            int(Flag.ERROR | Flag.PENDING),
        )
        for row in db.execute(_ROWS, (first, turn_id(session, MAX_SEQ), *values)):
            self._rows[split_id(row[0])[1]] = row
        newest = db.execute(
            "SELECT MAX(id) FROM turns WHERE id BETWEEN ? AND ?",
            (turn_id(session, 0), turn_id(session, MAX_SEQ)),
        ).fetchone()[0]
        self._last = split_id(newest)[1] if newest is not None else -1


class _Made:
    """A view while it is being made, row by row."""

    def __init__(self, live: Live, session: LiveSession) -> None:
        self._live = live
        self._session = session
        self.context: list[int] = []
        self.present: list[Received] = []
        self.received: list[Received] = []
        self.compacted: list[Compacted] = []
        self.failures: list[Failure] = []
        self.running: list[Failure] = []

    def take(self, seq: int, row: tuple[object, ...]) -> None:
        """One row of the catalogue."""
        _, number, flags, at, preview, tool, exit_code, sent = row
        when = at if isinstance(at, int) else None
        kind = KINDS[int(str(number))]
        if kind is Kind.INJECTION:
            self._receive(self._live.received_at(self._session, seq, when))
        elif kind is Kind.COMPACTION:
            self._compact(seq, when)
        elif int(str(flags)) & Flag.CALL and int(str(flags)) & Flag.ERROR:
            code = exit_code if isinstance(exit_code, int) else None
            self.failures.append(Failure(seq, when, str(tool or ""), str(preview), code))
        elif int(str(flags)) & Flag.PENDING:
            self.running.append(Failure(seq, when, str(tool or ""), str(preview), None))
        if isinstance(sent, int) and sent > 0:
            self._request(sent)

    def _receive(self, told: Received) -> None:
        self.received.append(told)
        self.present.append(told)
        if self.compacted and told.handles:
            last = self.compacted[-1]
            left = tuple(handle for handle in last.lost if handle not in told.handles)
            self.compacted[-1] = replace(last, lost=left)

    def _compact(self, seq: int, at: int | None) -> None:
        before = self.context[-1] if self.context else 0
        lost = dict.fromkeys(handle for told in self.present for handle in told.handles)
        self.compacted.append(Compacted(seq, at, before, 0, tuple(lost)))
        self.present.clear()

    def _request(self, sent: int) -> None:
        self.context.append(sent)
        if self.compacted and not self.compacted[-1].after:
            self.compacted[-1] = replace(self.compacted[-1], after=sent)
