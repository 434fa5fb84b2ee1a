"""Titles that a host keeps outside its transcripts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memtui.hosts.model import SourceFile
from memtui.sessions.store import next_rev
from memtui.sessions.texts import clean

_RANK = 50
"""As good as a title that a person gave."""


def apply_titles(db: sqlite3.Connection, sources: Iterable[SourceFile]) -> None:
    """Give sessions the titles that discovery found; the caller holds the transaction."""
    for source in sources:
        title = clean(source.title)
        if not title or not source.session:
            continue
        name = (source.host, source.session, source.agent or "")
        found = db.execute(
            "SELECT id FROM sessions WHERE host = ? AND session = ? AND agent = ? "
            "AND title_rank <= ? AND title IS NOT ?",
            (*name, _RANK, title),
        ).fetchone()
        if found is not None:
            db.execute(
                "UPDATE sessions SET title = ?, title_rank = ?, rev = ? WHERE id = ?",
                (title, _RANK, next_rev(db), found[0]),
            )
