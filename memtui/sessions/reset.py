"""Forgetting what was read from files that were replaced, with everything that rests on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memtui.hosts.model import Kind
from memtui.sessions.rows import BLOCK_BITS, FACETS, KIND_NUMBER, MAX_SEQ, turn_id
from memtui.sessions.store import COUNTS, next_rev

_COUNTED = ", ".join(f"SUM(facets >> {n} & 1)" for n in range(len(FACETS)))
_TOTALS = ", ".join(
    f"{name} = (SELECT COALESCE(SUM({name}), 0) FROM blocks WHERE session = ?1)" for name in COUNTS
)
_FORGET = (
    "UPDATE sessions SET title = NULL, title_rank = -1, branch = NULL, remote = NULL, version = NULL, "
    "model = NULL, cwds = '[]', project = '', parent_id = NULL, parent = NULL, started = NULL, "
    "ended = NULL WHERE id = ?1 AND n_all = 0"
)


def reset_files(db: sqlite3.Connection, files: Iterable[int]) -> set[int]:
    """Forget `files` and those that share sessions with them or hold copies of their records.

    Returns the row ids of all files that must be read again from the start. Files that are gone
    keep their rows: they could not be read again.
    """
    chosen, sessions = _closure(db, set(files))
    marks = ",".join(str(file) for file in sorted(chosen))
    for session in sessions:
        bounds = (turn_id(session, 0), turn_id(session, MAX_SEQ))
        db.execute(f"DELETE FROM records WHERE turn BETWEEN ? AND ? AND file IN ({marks})", bounds)
        db.execute(f"DELETE FROM turns WHERE id BETWEEN ? AND ? AND file IN ({marks})", bounds)
    for table in ("copies", "skipped", "session_files"):
        db.execute(f"DELETE FROM {table} WHERE file IN ({marks})")
    db.execute(
        "UPDATE files SET offset = 0, ordinal = 0, state = NULL, started = NULL, head_length = 0, "
        f"head = NULL, tail = NULL, text_offset = 0, text_ordinal = 0, text_state = NULL "
        f"WHERE id IN ({marks})"
    )
    recount(db, sessions)
    return chosen


def recount(db: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Count the rows of `sessions` again, and drop what is known of those that have none."""
    rev = next_rev(db)
    for session in sessions:
        bounds = (turn_id(session, 0), turn_id(session, MAX_SEQ))
        db.execute("DELETE FROM blocks WHERE session = ?", (session,))
        db.execute(
            f"INSERT INTO blocks SELECT id >> 24, (id & {MAX_SEQ}) >> {BLOCK_BITS}, {_COUNTED} "
            "FROM turns WHERE id BETWEEN ? AND ? GROUP BY 1, 2",
            bounds,
        )
        db.execute(
            f"UPDATE sessions SET {_TOTALS}, fold = '{{}}', rev = ?2, n_thinking = (SELECT COUNT(*) "
            "FROM turns WHERE id BETWEEN ?3 AND ?4 AND kind = ?5) WHERE id = ?1",
            (session, rev, *bounds, KIND_NUMBER[Kind.THINKING]),
        )
        db.execute(_FORGET, (session,))


def _closure(db: sqlite3.Connection, files: set[int]) -> tuple[set[int], set[int]]:
    """Files to read again and the sessions that they fill."""
    chosen, todo, sessions = set(files), list(files), set[int]()
    while todo:
        file = todo.pop()
        for (session,) in db.execute(
            "SELECT session FROM session_files WHERE file = ?", (file,)
        ).fetchall():
            if session in sessions:
                continue
            sessions.add(session)
            found = db.execute(
                "SELECT f.id FROM files f WHERE f.gone = 0 AND f.id IN ("
                "SELECT file FROM session_files WHERE session = ?1 "
                "UNION SELECT file FROM copies WHERE session = ?1)",
                (session,),
            ).fetchall()
            new = {row[0] for row in found} - chosen
            chosen |= new
            todo.extend(new)
    return chosen, sessions
