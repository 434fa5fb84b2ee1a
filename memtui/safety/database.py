"""What a SQLite file needs that several processes make at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

_PAUSE = 0.01


def enter_wal(connection: sqlite3.Connection, seconds: float) -> None:
    """Switch a database to a write-ahead log, trying for `seconds`: SQLite does not wait for this lock.

    Raises sqlite3.OperationalError where another process kept it for as long.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables, 0 for a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def make_once(
    connection: sqlite3.Connection, version: int, make: Callable[[sqlite3.Connection], None]
) -> None:
    """Let `make` make the tables of this version, as one transaction, unless another process did meanwhile.

    Raises sqlite3.Error, and what `make` raises; then nothing was made.
    """
    if version_of(connection) == version:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version_of(connection) != version:
            make(connection)
            connection.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
