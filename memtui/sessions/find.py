"""Find in the timeline: every row of some sessions that holds all words, wherever in its text.

Two ways that add up: the full text (whole records, whole words) as far as it was read, and what the
rows show (title, tool, preview), where a part of a word counts too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing

from memtui.sessions.catalogue import Catalogue
from memtui.sessions.fulltext import FullText
from memtui.sessions.rows import TITLE, split_id

Place = tuple[int, int]
"""Session and sequence number."""


def find_places(
    catalogue: Catalogue, sessions: Collection[int], words: Sequence[str]
) -> frozenset[Place]:
    """The rows of `sessions` that hold all of `words`. Raises sqlite3.Error if there is no catalogue."""
    wanted = frozenset(sessions)
    terms = [word for word in words if word]
    if not terms or not wanted:
        return frozenset()
    text = FullText(catalogue)
    with closing(catalogue.reader()) as db:
        db.create_function("holds", 2, _holds, deterministic=True)
        # Word by word: a row is made of several records, and each may hold another word.
        each = [{*text.find(wanted, term), *_shown(db, term, wanted)} for term in terms]
        return frozenset((*set.intersection(*each), *_titled(db, terms, wanted)))


def _shown(db: sqlite3.Connection, term: str, wanted: frozenset[int]) -> list[Place]:
    where, values = _all_of("COALESCE(tool, '') || ' ' || preview", (term,))
    found = db.execute(f"SELECT id FROM turns WHERE {where}", values)
    return [place for (turn,) in found if (place := split_id(turn))[0] in wanted]


def _titled(db: sqlite3.Connection, terms: Sequence[str], wanted: frozenset[int]) -> list[Place]:
    where, values = _all_of("COALESCE(title, '')", terms)
    found = db.execute(f"SELECT id FROM sessions WHERE {where}", values)
    return [(session, TITLE) for (session,) in found if session in wanted]


def _all_of(text: str, terms: Sequence[str]) -> tuple[str, list[str]]:
    """SQL that all terms stand in `text` in any case. LIKE knows only the case of ASCII letters."""
    conditions, values = [], []
    for term in terms:
        if term.isascii():
            conditions.append(f"{text} LIKE ? ESCAPE '\\'")
            escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            values.append(f"%{escaped}%")
        else:
            conditions.append(f"holds({text}, ?)")
            values.append(term.casefold())
    return " AND ".join(conditions), values


def _holds(text: str, term: str) -> bool:
    return term in text.casefold()
