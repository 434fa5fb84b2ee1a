"""The timeline: all sessions and their rows as one virtual list, read a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memtui.sessions.keys import record_key
from memtui.sessions.order import Filter, Order
from memtui.sessions.pages import Pages
from memtui.sessions.rows import MAX_SEQ, Facet, Flag, split_id
from memtui.sessions.schema import open_reader
from memtui.sessions.timeline_rows import Change, SessionRow, Step, TimelineRow, TurnRow

__all__ = ["Change", "Facet", "Flag", "SessionRow", "Step", "Timeline", "TimelineRow", "TurnRow"]

_WITHOUT_PROMPTS = (Facet.CALLS, Facet.ERRORS, Facet.DIFFS)


class Timeline:
    """A virtual list: newest session last, sub-agents under their parent. One thread at a time.

    `project` is a project key, several (aliases), or None for all. `hidden` are session ids
    (`host:session`) that are left out, `among` are the only ones to show (None: all); `only` is the row
    id of the one session to show. What it
    shows is the catalogue at one moment: it changes with `refresh` only. Raises
    sqlite3.Error if there is no catalogue.
    """

    def __init__(
        self,
        db_path: Path,
        project: str | Sequence[str] | None = None,
        facet: Facet = Facet.TURNS,
        hidden: Iterable[str] = (),
        collapsed: Iterable[int] = (),
        only: int | None = None,
        among: frozenset[str] | None = None,
    ) -> None:
        projects = (project,) if isinstance(project, str) else project
        self.facet = facet
        self.collapsed = set(collapsed)
        self._db = open_reader(db_path)
        self._db.isolation_level = None
        self._order = Order(
            Filter(
                None if projects is None else tuple(projects),
                facet,
                frozenset(hidden),
                only,
                among,
            )
        )
        self._pages = Pages(self._db, facet)
        self._rev = -1
        self._db.execute("BEGIN")
        self._load()

    def __len__(self) -> int:
        return len(self._order)

    def row(self, index: int) -> TimelineRow:
        """The row at `index`. Raises IndexError."""
        session, place = self._order.find(index)
        turn = self._pages.row(session.session, place - 1) if place else None
        return TimelineRow(index, session, turn)

    def rows(self, start: int, stop: int) -> list[TimelineRow]:
        """The rows from `start` up to `stop`, cut to what there is."""
        return [self.row(index) for index in range(max(0, start), min(stop, len(self)))]

    def position_of(
        self, session: int, seq: int | None = None, record: str | None = None
    ) -> int | None:
        """Where a row is (its heading without seq and record); the row before it if not shown.

        None when the session is not in this timeline, or has no such record.
        """
        start = self._order.start(session)
        known = self._order.known(session)
        if start is None or known is None:
            return None
        if seq is None and record is not None:
            seq = self._seq_of(known, record)
            if seq is None:
                return None
        if seq is None or known.collapsed:
            return start
        return start + 1 + self._pages.place_of(session, seq)

    def next(self, index: int, what: Step, direction: int = 1) -> int | None:
        """The next position of `what` after (1) or before (-1) `index`, or None.

        PAIR ignores the direction: from a failure it goes on to the success of the same command,
        from a success back to the failure before it. Raises IndexError.
        """
        if what is Step.SESSION:
            number = self._order.number(index) + direction
            return self._order.start_of(number) if 0 <= number < len(self._order.shown) else None
        if what is Step.PAIR:
            return self._pair(self.row(index))
        if what is Step.PROMPT and self.facet in _WITHOUT_PROMPTS:
            return None
        wanted = Facet.PROMPTS if what is Step.PROMPT else Facet.ERRORS
        return self._flagged(index, wanted, back=direction < 0)

    def at_time(self, ms: int) -> int:
        """The position of the last row that is not later than `ms`; 0 if all are later."""
        best: SessionRow | None = None
        for session in self._order.shown:
            begun = session.started is not None and session.started <= ms
            if begun and (best is None or (session.started or 0) >= (best.started or 0)):
                best = session
        if best is None:
            return 0
        seq = self._pages.near(best.session, MAX_SEQ, "at <= ?", (ms,), back=True)
        position = self.position_of(best.session, seq)
        return position if position is not None else 0

    def collapse(self, session: int, collapsed: bool = True) -> None:
        """Hide or show the rows and sub-agents of a session."""
        if collapsed:
            self.collapsed.add(session)
        else:
            self.collapsed.discard(session)
        self._order.arrange(self.collapsed)

    def refresh(self) -> Change:
        """Take in what was catalogued since: sessions keep their places, new ones come last."""
        self._db.execute("COMMIT")
        self._db.execute("BEGIN")
        before = len(self)
        if self._current_rev() == self._rev:
            return Change(None, before, before)
        starts = {s.session: self._order.start(s.session) for s in self._order.shown}
        changed = self._load()
        places = [
            place
            for session in changed
            for place in (starts.get(session), self._order.start(session))
            if place is not None
        ]
        added = frozenset(
            s for s in changed if s not in starts and self._order.start(s) is not None
        )
        first = min(places, default=None)
        return Change(first, before, len(self), frozenset(changed), added)

    def sessions(self) -> list[SessionRow]:
        """The sessions in the order in which they are shown."""
        return list(self._order.shown)

    def session(self, session: int) -> SessionRow | None:
        """One session, also if it lies inside a collapsed one."""
        return self._order.known(session)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def _load(self) -> set[int]:
        rev = self._current_rev()
        if rev == self._rev:
            return set()
        changed = self._order.load(self._db, self._rev)
        self._rev = rev
        if changed:
            self._pages.forget(changed)
            self._order.arrange(self.collapsed)
        return changed

    def _current_rev(self) -> int:
        found = self._db.execute("SELECT value FROM meta WHERE key = 'rev'").fetchone()
        return int(found[0]) if found else 0

    def _seq_of(self, session: SessionRow, record: str) -> int | None:
        key = record_key(session.host, session.id, record)
        for (turn,) in self._db.execute(
            "SELECT turn FROM records WHERE key = ? ORDER BY id", (key,)
        ):
            owner, seq = split_id(turn)
            if owner == session.session:
                return seq
        return None

    def _flagged(self, index: int, wanted: Facet, *, back: bool) -> int | None:
        """The nearest row that is of facet `wanted` too, over the sessions from `index` on."""
        here = self.row(index)
        seq = here.turn.seq if here.turn is not None else -1
        number, step = self._order.number(index), -1 if back else 1
        both = self.facet.bit | wanted.bit
        while 0 <= number < len(self._order.shown):
            session = self._order.shown[number]
            found = None
            if session.counts[wanted.number] and not session.collapsed:
                found = self._pages.near(
                    session.session, seq, "facets & ?1 = ?1", (both,), back=back
                )
            if found is not None:
                return self.position_of(session.session, found)
            number += step
            seq = MAX_SEQ if back else -1
        return None

    def _pair(self, row: TimelineRow) -> int | None:
        if row.turn is None or not row.turn.flags & Flag.CALL:
            return None
        failed = bool(row.turn.flags & Flag.ERROR)
        outcome = int(Flag.FOLDED_OK if failed else Flag.ERROR)
        seq = self._pages.near(
            row.turn.session,
            row.turn.seq,
            "flags & ? AND command = (SELECT command FROM turns WHERE id = ?)",
            (outcome, row.turn.id),
            back=not failed,
        )
        return None if seq is None else self.position_of(row.turn.session, seq)
