"""SQLite's write-ahead log, entered by several processes at once."""

from __future__ import annotations

import sqlite3
import time

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
