"""What a session's transcript tells about deliveries: the texts that it shows, and when it answered."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from memtui.hosts.model import Entry, Kind, Span
from memtui.sessions.rows import KIND_NUMBER, KINDS, SEQ_BITS
from memtui.sessions.spans import pieces_of, read_piece

_SESSION = "SELECT id, rev, gone FROM sessions WHERE host = ? AND session = ? AND agent = ''"
_ENDED = "SELECT ended FROM sessions WHERE host = ? AND session = ? AND agent = ''"
_ROWS = (
    "SELECT id, kind, record, part, at, preview FROM turns WHERE id BETWEEN ? AND ?"
    " AND kind IN (?, ?, ?, ?) ORDER BY id"
)
_TELLING = (Kind.INJECTION, Kind.NOTICE, Kind.ANSWER, Kind.CALL)
_NOWHERE = Span(Path(), 0, 0)


def revision(db: sqlite3.Connection, key: str) -> int:
    """A number that changes with the transcript of `host:session`, -1 while there is none."""
    row = _session(db, key)
    return -1 if row is None else row[1]


def ended(db: sqlite3.Connection, key: str) -> datetime | None:
    """The time of the newest record of `host:session`, None while there is none."""
    host, _, session = key.partition(":")
    row = db.execute(_ENDED, (host, session)).fetchone()
    return None if row is None or row[0] is None else datetime.fromtimestamp(row[0] / 1000, UTC)


def told(db: sqlite3.Connection, key: str) -> list[Entry]:
    """The entries of `host:session` that tell of deliveries: injections and notices with their text.

    Answers and calls come without text. Nothing where the transcript is gone: then only a receipt
    that was kept can tell.
    """
    row = _session(db, key)
    if row is None or row[2]:
        return []
    first = row[0] << SEQ_BITS
    numbers = [KIND_NUMBER[kind] for kind in _TELLING]
    found = db.execute(_ROWS, (first, first + (1 << SEQ_BITS) - 1, *numbers)).fetchall()
    entries: list[Entry] = []
    for turn, number, record, part, at, preview in found:
        kind = KINDS[number]
        if kind is Kind.NOTICE and not _matters(preview):
            continue
        if kind in (Kind.ANSWER, Kind.CALL):
            entries.append(Entry(kind, record, _NOWHERE, part, at))
            continue
        try:
            pieces = [read_piece(piece) for piece in pieces_of(db, turn)]
        except (OSError, EOFError):
            return []
        read = [piece for piece in pieces if piece is not None]
        entries += read or [Entry(kind, record, _NOWHERE, part, at, preview)]
    return entries


def _matters(preview: str) -> bool:
    """Whether a notice can be about a hook, by its beginning: most are about tokens."""
    words = preview.casefold()
    return "hook" in words or "memtui" in words


def _session(db: sqlite3.Connection, key: str) -> tuple[int, int, int] | None:
    host, _, session = key.partition(":")
    row = db.execute(_SESSION, (host, session)).fetchone()
    return None if row is None else (int(row[0]), int(row[1]), int(row[2]))
