"""Search in the sessions themselves: the catalogue's full text, by words and identifiers."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from memtui.recall.eligible import called
from memtui.recall.model import Note
from memtui.recall.query import Query, parse
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText, Hit

RELAXED = 6
"""Longest query whose words are left out one at a time when no turn holds them all."""


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A turn that holds the words; `missing` are those that it was allowed to lack."""

    hit: Hit
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionResults:
    """Turns, those with all words first, then by BM25. `ms` is the time it took."""

    query: str
    hits: tuple[SessionHit, ...]
    degraded: tuple[Note, ...] = ()
    ms: float = 0.0


class SessionSearch:
    """Searches the turns of all hosts. Each call opens the catalogue, so it is safe from any thread."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._text = FullText(catalogue)

    def search(
        self,
        query: str,
        now: datetime,
        *,
        project: Sequence[str] | None = None,
        hidden: Collection[str] = (),
        limit: int = 20,
    ) -> SessionResults:
        """The turns that hold the words of the query. `project` are this project's keys, None is all;
        `project:` in the query asks for others; `hidden` are sessions (`host:session`) to leave out.

        Never raises for what is typed or for a catalogue that is missing: `degraded` says so.
        """
        began = perf_counter()
        asked = parse(query, now)
        notes = _unused(asked)
        try:
            projects = self._projects(asked, project, notes)
            hits = self._find(_terms(asked), projects, hidden, limit)
            notes += self._behind()
        except sqlite3.Error as error:
            hits = []
            notes.append(
                Note("sessions", f"the catalogue cannot be read ({error})", "memtui scans it")
            )
        return SessionResults(query, tuple(hits), tuple(notes), (perf_counter() - began) * 1000)

    def _find(
        self,
        terms: Sequence[str],
        projects: Sequence[str] | None,
        hidden: Collection[str],
        limit: int,
    ) -> list[SessionHit]:
        if not terms or projects == []:
            return []
        found = self._all(terms, projects, hidden, limit, ())
        if found or not 1 < len(terms) <= RELAXED:
            return found
        best: dict[tuple[int, int], SessionHit] = {}
        for left in terms:
            rest = [term for term in terms if term != left]
            for hit in self._all(rest, projects, hidden, limit, (left,)):
                best.setdefault((hit.hit.session, hit.hit.seq), hit)
        return sorted(best.values(), key=lambda found: found.hit.score)[:limit]

    def _all(
        self,
        terms: Sequence[str],
        projects: Sequence[str] | None,
        hidden: Collection[str],
        limit: int,
        missing: tuple[str, ...],
    ) -> list[SessionHit]:
        hits = self._text.search(" ".join(terms), projects, hidden=hidden, limit=limit)
        return [SessionHit(hit, missing) for hit in hits]

    def _projects(
        self, asked: Query, project: Sequence[str] | None, notes: list[Note]
    ) -> list[str] | None:
        """Keys of the projects to search; None is all."""
        if not asked.filters.projects:
            return None if project is None else list(project)
        with closing(self._catalogue.reader()) as db:
            known = self._catalogue.projects(db)
        chosen = []
        for name in sorted(asked.filters.projects):
            keys = [view.key for view in known if called(name, [view.key, view.remote or ""])]
            if project is not None and set(project) & set(keys):
                keys = [key for key in keys if key in project]
            if not keys:
                notes.append(
                    Note("scope", f"no session is of a project called {name}", "check the name")
                )
            chosen += keys
        return list(dict.fromkeys(chosen))

    def _behind(self) -> list[Note]:
        with closing(self._catalogue.reader()) as db:
            behind = self._catalogue.view(db).text_behind
        if not behind:
            return []
        message = f"{behind / 1e6:.1f} MB of transcripts are not searched yet"
        return [Note("sessions", message, "they are read in the background")]


def _terms(asked: Query) -> list[str]:
    phrases = [word for phrase in asked.phrases for word in phrase.split()]
    return list(dict.fromkeys([*asked.identifiers, *phrases, *asked.words]))


def _unused(asked: Query) -> list[Note]:
    others = {
        "type": asked.filters.types,
        "tag": asked.filters.tags,
        "trust": asked.filters.tiers,
        "status": asked.filters.statuses,
        "branch": asked.filters.branches,
        "since": asked.filters.since,
    }
    notes = [Note("query", problem, "it is ignored") for problem in asked.problems]
    names = ", ".join(f"{name}:" for name, value in others.items() if value)
    if names:
        notes.append(Note("query", f"{names} does not apply to sessions", "it is ignored"))
    return notes
