"""One row of the catalogue in a few words: enough to list it outside its timeline."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memtui.sessions.rows import turn_id

_ROW = (
    "SELECT s.host, s.session, s.title, t.at, t.record FROM turns t"
    " JOIN sessions s ON s.id = t.id >> 24 WHERE t.id = ?"
)


@dataclass(frozen=True, slots=True)
class Brief:
    """`ref` is the record's, `title` the session's, `at` in milliseconds since the epoch."""

    ref: str
    title: str
    at: int | None


def read_brief(db: sqlite3.Connection, session: int, seq: int) -> Brief | None:
    """The row `seq` of the session with row id `session`; None where there is none any more."""
    row = db.execute(_ROW, (turn_id(session, seq),)).fetchone()
    if row is None:
        return None
    host, name, title, at, record = row
    return Brief(f"{host}:{name}#{record}", title or "", at)
