"""What the catalogue knows of a transcript file, and whether the file is still that one."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass, fields
from enum import Enum
from operator import attrgetter
from pathlib import Path
from typing import Any

from memtui.hosts.access import document_of, read_head
from memtui.hosts.documents import Unreadable
from memtui.hosts.model import SourceFile, Stamp
from memtui.sessions.texts import clean_state

HEAD = 4096
"""Bytes at the start of a file by which it is recognised."""

TAIL = 256
"""Bytes before the offset that must be unchanged for reading to go on there."""


UNFINISHED = -1
"""The size of a file that was not read to its end."""


@dataclass(slots=True)
class FileRow:
    """A row of `files`; the fields are its columns, in order. Offsets count decompressed bytes."""

    id: int
    path: str
    host: str
    session: str | None
    parent: str | None
    agent: str | None
    compressed: int
    device: int = 0
    inode: int = 0
    size: int = 0
    mtime_ns: int = 0
    born_ns: int = 0
    offset: int = 0
    ordinal: int = 0
    head_length: int = 0
    head: bytes | None = None
    tail: bytes | None = None
    state: str | None = None
    started: int | None = None
    gone: int = 0

    @property
    def source(self) -> SourceFile:
        """The file as its host knows it."""
        return SourceFile(
            self.host,
            Path(self.path),
            session=self.session,
            parent=self.parent,
            agent=self.agent,
            compressed=bool(self.compressed),
        )

    def parser_state(self) -> dict[str, Any] | None:
        """What the parser needs to go on at `offset`; None at the start."""
        return json.loads(self.state) if self.state else None


COLUMNS = ", ".join(spec.name for spec in fields(FileRow))
_values = attrgetter(*(spec.name for spec in fields(FileRow)))
_PUT = (
    f"INSERT INTO files ({COLUMNS}) VALUES ({', '.join('?' * len(fields(FileRow)))}) "
    "ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{spec.name} = excluded.{spec.name}" for spec in fields(FileRow)[1:])
)


class Fate(Enum):
    """What became of a file since it was last read."""

    SAME = "same"
    GROWN = "grown"
    REPLACED = "replaced"


def load_files(db: sqlite3.Connection) -> dict[str, FileRow]:
    """All known files by path, without their parser states (which are large)."""
    columns = COLUMNS.replace(" state,", " NULL,")
    return {row[1]: FileRow(*row) for row in db.execute(f"SELECT {columns} FROM files")}


def file_at(db: sqlite3.Connection, path: Path) -> FileRow | None:
    """The known file at `path`."""
    found = db.execute(f"SELECT {COLUMNS} FROM files WHERE path = ?", (str(path),)).fetchone()
    return FileRow(*found) if found else None


def load_file(db: sqlite3.Connection, file: int) -> FileRow:
    """One file. Raises KeyError."""
    found = db.execute(f"SELECT {COLUMNS} FROM files WHERE id = ?", (file,)).fetchone()
    if found is None:
        raise KeyError(file)
    return FileRow(*found)


def file_with(db: sqlite3.Connection, device: int, inode: int) -> FileRow | None:
    """The known file with this inode, if it is still where it was."""
    for row in db.execute(
        f"SELECT {COLUMNS} FROM files WHERE inode = ? AND device = ?", (inode, device)
    ):
        known = FileRow(*row)
        try:
            stat = Path(known.path).stat()
        except OSError:
            continue
        if (stat.st_dev, stat.st_ino) == (device, inode):
            return known
    return None


def save_file(db: sqlite3.Connection, row: FileRow) -> None:
    """Write a file's row."""
    db.execute(_PUT, _values(row))


def save_place(db: sqlite3.Connection, row: FileRow) -> None:
    """Write where a file is and what it is called, nothing else."""
    db.execute(
        "UPDATE files SET path = ?, parent = ?, agent = ?, compressed = ?, device = ?, inode = ?, "
        "size = ?, mtime_ns = ?, born_ns = ? WHERE id = ?",
        (
            row.path, row.parent, row.agent, row.compressed, row.device, row.inode,
            row.size, row.mtime_ns, row.born_ns, row.id,
        ),
    )  # fmt: skip


def new_file(db: sqlite3.Connection, source: SourceFile) -> FileRow:
    """Make the row of a file that was never seen."""
    cursor = db.execute(
        "INSERT INTO files (path, host, session, parent, agent, compressed) VALUES (?,?,?,?,?,?)",
        (
            str(source.path),
            source.host,
            source.session,
            source.parent,
            source.agent,
            source.compressed,
        ),
    )
    return load_file(db, int(cursor.lastrowid or 0))


def dump_state(state: dict[str, Any]) -> str:
    """A parser's state as it is stored: redacted."""
    return json.dumps(clean_state(state), separators=(",", ":"))


def fate_of(row: FileRow, stat: Stamp) -> Fate:
    """Compare a known file with what is on disk. Raises OSError."""
    same_place = (row.device, row.inode) == (stat.st_dev, stat.st_ino)
    same_bytes = (row.size, row.mtime_ns) == (stat.st_size, stat.st_mtime_ns)
    if same_place and same_bytes:
        return Fate.SAME
    if row.offset == 0:
        return Fate.REPLACED if row.size else Fate.GROWN
    if row.compressed:
        moved = not same_place or row.size == UNFINISHED
        return Fate.GROWN if moved and has_head(row, row.source) else Fate.REPLACED
    if document_of(row.source) is not None:
        return Fate.GROWN if has_marks(row) else Fate.REPLACED
    return Fate.GROWN if stat.st_size >= row.offset and has_marks(row) else Fate.REPLACED


def has_head(row: FileRow, source: SourceFile) -> bool:
    """Whether `source` begins like the known file, decompressed where needed. Raises OSError.

    A document that cannot be read now counts as unchanged: a host writes it whole, in its own time.
    """
    try:
        head = read_head(source, row.head_length)
    except Unreadable:
        return True
    return bool(row.head_length) and len(head) == row.head_length and _hash(head) == row.head


def has_marks(row: FileRow) -> bool:
    """Whether the file can be read on from the row's offset: its head and what it read last are there."""
    try:
        if not has_head(row, row.source):
            return False
        if row.compressed or row.tail is None:  # these left no tail to compare
            return True
        return tail_hash(Path(row.path), row.offset) == row.tail
    except OSError:
        return False


def note_place(row: FileRow, stat: Stamp) -> None:
    """Remember which file is being read. Until `note_end` it counts as not read to its end."""
    row.device, row.inode = stat.st_dev, stat.st_ino
    row.size = UNFINISHED
    row.born_ns = min(row.born_ns or stat.st_mtime_ns, stat.st_mtime_ns)


def note_end(row: FileRow, stat: Stamp) -> None:
    """Remember how big the file was when it was opened, now that it was read to its end."""
    row.size, row.mtime_ns = stat.st_size, stat.st_mtime_ns


def note_marks(row: FileRow) -> None:
    """Remember the bytes by which the file is recognised: all of a document. Raises OSError."""
    source = row.source
    document = document_of(source) is not None
    if document or row.head_length < HEAD:
        try:
            head = read_head(source, row.offset if document else HEAD)[: row.offset]
        except Unreadable:  # what was known of a document holds until it can be read again
            return
        row.head_length, row.head = len(head), _hash(head)
    row.tail = None if row.compressed or document else tail_hash(source.path, row.offset)


def tail_hash(path: Path, offset: int) -> bytes:
    """A digest of the bytes just before `offset`. Raises OSError."""
    with path.open("rb") as stream:
        start = max(0, offset - TAIL)
        stream.seek(start)
        return _hash(stream.read(offset - start))


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
