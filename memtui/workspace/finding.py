"""Search in the sessions: the turns that hold words and identifiers, ready to be listed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass

from memtui.clock import Clock
from memtui.recall.model import Note
from memtui.recall.session_search import SessionHit, SessionSearch
from memtui.sessions.brief import read_brief
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn that holds the words. `session` and `seq` are its place in the catalogue, `at` is in
    milliseconds, `marks` are the places of the words in the passage, `missing` what it may lack.
    """

    ref: str
    session: int
    seq: int
    title: str
    at: int | None
    passage: str
    marks: tuple[tuple[int, int], ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTurns:
    """The answer to one search, best first. `ms` is the time it took."""

    query: str
    turns: tuple[FoundTurn, ...]
    degraded: tuple[Note, ...] = ()
    ms: float = 0.0


class Finding:
    """Searches the catalogue's full text. Safe from any thread."""

    def __init__(self, catalogue: Catalogue, clock: Clock) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._search = SessionSearch(catalogue)
        self._text = FullText(catalogue)

    def search(
        self,
        query: str,
        projects: Sequence[str] | None,
        hidden: Collection[str] = (),
        limit: int = 20,
    ) -> FoundTurns:
        """The best turns of these projects; None is all. Never raises for what is typed."""
        found = self._search.search(
            query, self._clock(), project=projects, hidden=hidden, limit=limit
        )
        return FoundTurns(query, self._rows(found.hits), found.degraded, found.ms)

    def fill(self, cancelled: Callable[[], bool] | None = None, *, gentle: bool = False) -> bool:
        """Make searchable what was catalogued since. Raises sqlite3.Error."""
        return self._text.fill(cancelled, gentle=gentle)

    def _rows(self, hits: Sequence[SessionHit]) -> tuple[FoundTurn, ...]:
        if not hits:
            return ()
        turns = []
        with closing(self._catalogue.reader()) as db:
            for found in hits:
                hit = found.hit
                brief = read_brief(db, hit.session, hit.seq)
                # None: the session was catalogued anew in between.
                if brief is not None:
                    turns.append(
                        FoundTurn(
                            brief.ref,
                            hit.session,
                            hit.seq,
                            brief.title,
                            brief.at,
                            hit.passage,
                            hit.marks,
                            found.missing,
                        )
                    )
        return tuple(turns)
