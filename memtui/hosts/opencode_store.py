"""OpenCode's database: tables `session`, `message` and `part`, whose `data` is JSON.

Columns differ between versions, so every query asks first which there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.hosts.decode import decode_text
from memtui.hosts.model import SourceFile, Stamp
from memtui.hosts.opencode_stream import session_stream
from memtui.hosts.shape import first_line, map_of, millis, text_of
from memtui.hosts.sqlite import Reading, Row, numbered, place_stamp

_COUNTED = "SELECT session_id AS id, COUNT(*) AS n, MAX(time_updated) AS at FROM {} GROUP BY 1"
_COUNTED_ONE = "SELECT COUNT(*) AS n, MAX(time_updated) AS at FROM {} WHERE session_id = ?"


def sessions_in(host: str, database: Path) -> Iterator[SourceFile]:
    """Every session of a database with its stamp, the one used last first. Raises Unreadable, OSError."""
    with Reading(database) as db:
        counts = {table: _counts(db, table) for table in ("message", "part")}
        rows = db.rows("SELECT * FROM session")
    rows.sort(key=lambda row: -(millis(row.get("time_updated")) or 0))
    for session, row in numbered(rows, "id"):
        told = [counts[table].get(session, (0, 0)) for table in counts]
        yield _source(host, database, session, row, _stamp(database, session, row, told))


def session_in(database: Path, session: str) -> Stamp:
    """The stamp of one session. Raises FileNotFoundError when it is not there, Unreadable, OSError."""
    with Reading(database) as db:
        rows = db.rows("SELECT * FROM session WHERE id = ?", [session])
        told = [_count(db, table, session) for table in ("message", "part")]
    if not rows:
        raise FileNotFoundError(f"{database} has no session {session}")
    return _stamp(database, session, rows[0], told)


def session_records(database: Path, session: str) -> Iterator[dict[str, Any]]:
    """The stream of one session. Raises FileNotFoundError, Unreadable, OSError."""
    with Reading(database) as db:
        rows = db.rows("SELECT * FROM session WHERE id = ?", [session])
        messages = db.rows("SELECT * FROM message WHERE session_id = ?", [session])
        parts = db.rows(
            "SELECT * FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = ?)",
            [session],
        )
    if not rows:
        raise FileNotFoundError(f"{database} has no session {session}")
    about = rows[0]
    header = {
        "id": session,
        "directory": about.get("directory"),
        "parentID": about.get("parent_id"),
        "version": about.get("version"),
    }
    yield from session_stream(header, map(_data, messages), map(_data, parts))


def _data(row: Row) -> dict[str, Any]:
    """A row's JSON with the columns that it leaves out."""
    found = decode_text(text_of(row.get("data")))
    return {
        **map_of(found),
        "id": row.get("id"),
        "messageID": row.get("message_id"),
        "created": row.get("time_created"),
    }


def _counts(db: Reading, table: str) -> dict[str, tuple[int, int]]:
    if not {"session_id", "time_updated"} <= db.columns(table):
        return {}
    return {
        session: (int(row["n"]), millis(row["at"]) or 0)
        for session, row in numbered(db.rows(_COUNTED.format(table)), "id")
    }


def _count(db: Reading, table: str, session: str) -> tuple[int, int]:
    if not {"session_id", "time_updated"} <= db.columns(table):
        return 0, 0
    (row,) = db.rows(_COUNTED_ONE.format(table), [session])
    return int(row["n"]), millis(row["at"]) or 0


def _stamp(database: Path, session: str, row: Row, told: list[tuple[int, int]]) -> Stamp:
    dated = all(at for n, at in told if n) and any(n for n, _ in told)
    changed = max((millis(row.get("time_updated")) or 0, *(at for _, at in told))) if dated else 0
    return place_stamp(database, session, sum(n for n, _ in told), changed)


def _source(host: str, database: Path, session: str, row: Row, stamp: Stamp) -> SourceFile:
    parent = text_of(row.get("parent_id")) or None
    return SourceFile(
        host,
        database / session,
        session=session,
        parent=parent,
        agent="subagent" if parent else None,
        title=first_line(text_of(row.get("title"))) or None,
        stamp=stamp,
    )
