"""Reading a host's SQLite database beside the host that writes it: no lock held, no byte written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memtui.hosts.documents import Unreadable
from memtui.hosts.model import Stamp

_WAIT = 2.0
"""Seconds to wait while the host holds its database for itself."""

_WAL = 2
"""The file format number of a database with a write-ahead log, at byte 18."""

Row = dict[str, Any]


class Reading:
    """One short look at a database. Raises Unreadable when it cannot be read now, OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = _connect(path)

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows as column names and values."""
        try:
            with closing(self._db.execute(query, tuple(values))) as found:
                names = [column[0] for column in found.description]
                return [dict(zip(names, row, strict=True)) for row in found]
        except sqlite3.Error as error:
            raise Unreadable(f"{self._path}: {error}") from error

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none when there is no such table."""
        return frozenset(
            row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", [table])
        )


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, and that does not make a log anew that is gone."""
    with path.open("rb") as stream:
        head = stream.read(20)
    options = "mode=ro"
    if head[18:19] == bytes([_WAL]) and not path.with_name(path.name + "-wal").exists():
        options = "mode=ro&immutable=1"
    try:
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?{options}", uri=True, timeout=_WAIT, check_same_thread=False
        )
        db.execute("PRAGMA query_only=1")
    except sqlite3.Error as error:
        raise Unreadable(f"{path}: {error}") from error
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def file_of(path: Path) -> Path | None:
    """The database that a changed file belongs to: itself, or the one whose log it is."""
    name = path.name.removesuffix("-wal")
    return path.with_name(name) if name.endswith(".db") else None


def place_stamp(database: Path, session: str, size: int, changed_ms: int) -> Stamp:
    """The stamp of one session in a database. Raises OSError.

    `changed_ms` 0 means that the database does not tell: then a change of the file counts as one.
    """
    stat = database.stat()
    digest = blake2b(f"{stat.st_ino}\0{session}".encode("utf-8", "replace"), digest_size=7).digest()
    changed = changed_ms * 1_000_000 or latest_change(database)
    return Stamp(stat.st_dev, int.from_bytes(digest, "big"), size, changed)


def latest_change(database: Path) -> int:
    """When the database or its log was written last, in nanoseconds. Raises OSError."""
    changed = database.stat().st_mtime_ns
    try:
        return max(changed, database.with_name(database.name + "-wal").stat().st_mtime_ns)
    except FileNotFoundError:
        return changed


def numbered(rows: list[Row], key: str) -> Iterator[tuple[str, Row]]:
    """The rows with the text under `key`; those without one are left out."""
    for row in rows:
        value = row.get(key)
        if isinstance(value, str) and value:
            yield value, row
