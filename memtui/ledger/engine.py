"""Connections to `ledger.db`: WAL, full synchronisation, explicit transactions."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, event
from sqlmodel import create_engine

from memtui.ledger.migrations import migrate
from memtui.safety.database import enter_wal

BUSY_SECONDS = 30.0
_BEGIN = "memtui_begin"


def connect(path: Path) -> Engine:
    """An engine on `path` with its tables up to date. Raises LedgerTooNewError, OperationalError."""
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    try:
        _enter_wal(engine)
        with writing(engine).begin() as connection:
            migrate(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def writing(engine: Engine) -> Engine:
    """The same engine with transactions that take the write lock at once.

    A transaction that reads first and writes later cannot wait for another writer: it would fail.
    """
    return engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})


def shrink(engine: Engine) -> None:
    """Rewrite the file without what was deleted and empty the WAL, so that no byte of it remains."""
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("VACUUM")
        busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.close()
    if busy:
        raise OSError("the ledger's WAL could not be emptied: another process is reading it")


def _prepare(raw: sqlite3.Connection, _record: Any) -> None:
    # FULL: in WAL mode NORMAL may lose the last commits on power loss, and an act was acknowledged.
    raw.execute("PRAGMA synchronous = FULL")
    raw.execute("PRAGMA secure_delete = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


def _enter_wal(engine: Engine) -> None:
    raw = engine.raw_connection()
    try:
        enter_wal(cast(sqlite3.Connection, raw.driver_connection), BUSY_SECONDS)
    finally:
        raw.close()
