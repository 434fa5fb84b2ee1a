"""The sessions of a timeline in order, and where each one's rows begin in the list."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from memtui.sessions.rows import Facet
from memtui.sessions.store import COUNTS
from memtui.sessions.timeline_rows import SessionRow

_COLUMNS = (
    "id, host, session, agent, project, COALESCE(title, ''), cwds, COALESCE(branch, ''), "
    "COALESCE(remote, ''), COALESCE(version, ''), COALESCE(model, ''), parent, started, ended, gone, "
    + ", ".join(COUNTS)
)
_FIRST_COUNT = 15


@dataclass(frozen=True, slots=True)
class Filter:
    """Which sessions and rows a timeline shows."""

    projects: tuple[str, ...] | None
    facet: Facet
    hidden: frozenset[str]
    only: int | None = None
    among: frozenset[str] | None = None

    def leaves_out(self, session: SessionRow) -> bool:
        """Whether a session is not to be seen, and with it its sub-agents."""
        chosen = self.among is None or bool(session.agent) or session.ref in self.among
        return session.ref in self.hidden or not chosen


class Order:
    """Sessions in the order in which they are shown, newest last, sub-agents after their parent."""

    def __init__(self, chosen: Filter) -> None:
        self._filter = chosen
        self._known: dict[int, SessionRow] = {}
        self._hidden: set[int] = set()
        self._order: list[int] = []
        self._placed: set[int] = set()
        self._starts: list[int] = [0]
        self._index: dict[int, int] = {}
        self.shown: list[SessionRow] = []

    def __len__(self) -> int:
        return self._starts[-1]

    def load(self, db: sqlite3.Connection, since: int) -> set[int]:
        """Take in the sessions that changed after revision `since`; their row ids."""
        found = db.execute(f"SELECT {_COLUMNS} FROM sessions WHERE rev > ?", (since,))
        return {row[0] for row in found if self._take(row)}

    def _take(self, row: Sequence[Any]) -> bool:
        session = session_row(row, self._filter.facet)
        projects = self._filter.projects
        outside = projects is not None and session.project not in projects
        if self._filter.only is not None:
            outside = session.session != self._filter.only
        if self._filter.leaves_out(session):
            self._hidden.add(session.session)
        if outside or not session.count or session.session in self._hidden:
            return self._known.pop(session.session, None) is not None
        self._known[session.session] = session
        return True

    def arrange(self, collapsed: Collection[int]) -> None:
        """Put new sessions behind those that are there, and compute where each begins."""
        new = [key for key in self._known if key not in self._placed]
        new.sort(key=lambda key: self._age(self._known[key]))
        self._order.extend(new)
        self._placed.update(new)
        children: dict[int, list[int]] = {}
        roots: list[int] = []
        for key in self._order:
            session = self._known.get(key)
            if session is None or (session.agent and session.parent in self._hidden):
                continue
            parent = session.parent
            nested = (
                session.agent and parent is not None and parent != key and parent in self._known
            )
            (children.setdefault(parent, []) if nested and parent is not None else roots).append(
                key
            )
        self.shown = []
        seen: set[int] = set()
        self._place(roots, 0, children, collapsed, seen)
        self._measure()

    def _place(
        self,
        keys: Iterable[int],
        depth: int,
        children: dict[int, list[int]],
        collapsed: Collection[int],
        seen: set[int],
    ) -> None:
        for key in keys:
            if key in seen:
                continue
            seen.add(key)
            session, closed = self._known[key], key in collapsed
            if session.depth != depth or session.collapsed != closed:
                session = self._known[key] = replace(session, depth=depth, collapsed=closed)
            self.shown.append(session)
            if not closed and key in children:
                self._place(children[key], depth + 1, children, collapsed, seen)

    def _measure(self) -> None:
        sizes = (1 if s.collapsed else 1 + s.count for s in self.shown)
        self._starts = list(accumulate(sizes, initial=0))
        self._index = {s.session: number for number, s in enumerate(self.shown)}

    def _age(self, session: SessionRow) -> tuple[int, int]:
        return (session.ended or session.started or 0, session.session)

    def find(self, index: int) -> tuple[SessionRow, int]:
        """The session at a position, and the position inside it (0 = its heading). Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = bisect_right(self._starts, index) - 1
        return self.shown[number], index - self._starts[number]

    def start(self, session: int) -> int | None:
        """The position of a session's heading, or None if it is not shown."""
        number = self._index.get(session)
        return None if number is None else self._starts[number]

    def number(self, index: int) -> int:
        """Which session (counted from 0) holds a position."""
        return bisect_right(self._starts, index) - 1

    def start_of(self, number: int) -> int:
        """The position of the heading of the session with this number."""
        return self._starts[number]

    def known(self, session: int) -> SessionRow | None:
        """A session that is shown or inside a collapsed one."""
        return self._known.get(session)


def session_row(row: Sequence[Any], facet: Facet) -> SessionRow:
    """A session from the columns that `Order` selects."""
    counts = tuple(row[_FIRST_COUNT:])
    cwds = json.loads(str(row[6]))
    session, host, session_id, agent, project, title = row[:6]
    branch, remote, version, model, parent, started, ended = row[7:14]
    return SessionRow(
        session, host, session_id, agent, project, title, cwds[0] if cwds else "",
        branch, remote, version, model, parent, started, ended, counts[facet.number], counts,
        gone=bool(row[14]),
    )  # fmt: skip
