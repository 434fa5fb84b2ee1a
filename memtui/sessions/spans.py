"""From a row of the catalogue back to the raw records it was read from."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memtui.hosts.access import open_lines
from memtui.hosts.model import Entry, Kind, Skipped, SourceFile, Span
from memtui.hosts.read import read_record
from memtui.hosts.registry import host
from memtui.sessions.catalogue import source_of
from memtui.sessions.keys import record_key
from memtui.sessions.rows import KINDS


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry that a row was read from: where its record lies, and which part of it.

    `key` is the record's (see `keys.record_key`) in the session called `session`.
    """

    source: SourceFile
    span: Span
    ordinal: int
    key: int
    session: str
    part: int
    kind: Kind


def pieces_of(db: sqlite3.Connection, turn: int) -> list[Piece]:
    """What the row with this id was read from, in the order in which it came."""
    sources: dict[int, SourceFile | None] = {}
    pieces: list[Piece] = []
    for file, offset, length, ordinal, key, session, part, kind in db.execute(
        "SELECT r.file, r.offset, r.length, r.ordinal, r.key, s.session, r.part, r.kind "
        "FROM records r JOIN sessions s ON s.id = r.turn >> 24 WHERE r.turn = ? ORDER BY r.id",
        (turn,),
    ).fetchall():
        if file not in sources:
            sources[file] = source_of(db, file)
        source = sources[file]
        if source is not None:
            span = Span(source.path, offset, length)
            pieces.append(Piece(source, span, ordinal, key, session, part, KINDS[kind]))
    return pieces


def read_piece(piece: Piece) -> Entry | None:
    """The entry of one piece, or None if the record no longer holds it. Raises OSError, EOFError.

    A record that tells nothing by itself is read again with everything before it in its file.
    """
    _, entries = read_record(piece.source, piece.span, piece.ordinal)
    return _pick(entries, piece) or _pick(_read_through(piece), piece)


def _read_through(piece: Piece) -> list[Entry]:
    parser = host(piece.source.host).parser(piece.source)
    for line in open_lines(piece.source):
        if isinstance(line, Skipped):
            continue
        if line.offset > piece.span.offset:
            break
        events = list(parser.feed(line))
        if piece.span.offset < line.offset + len(line.data):
            return [event for event in events if isinstance(event, Entry)]
    return []


def _pick(entries: list[Entry], piece: Piece) -> Entry | None:
    for entry in entries:
        same = entry.kind is piece.kind and entry.part == piece.part
        if same and record_key(piece.source.host, piece.session, entry.record) == piece.key:
            return entry
    return None
