"""The tables of `ledger.db`, as numbered steps. A step that was released is never changed.

`PRAGMA user_version` holds the number of the last step done. Written for SQLite 3.40.
"""

from __future__ import annotations

from sqlalchemy import Connection

STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE acts (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            writer TEXT NOT NULL,
            verb TEXT NOT NULL,
            items TEXT NOT NULL,
            title TEXT NOT NULL,
            summary TEXT NOT NULL,
            state TEXT NOT NULL,
            undoes TEXT,
            undone_by TEXT,
            redoable BOOLEAN NOT NULL,
            erased BOOLEAN NOT NULL,
            events TEXT NOT NULL
        )""",
        "CREATE INDEX acts_by_writer ON acts (writer, seq)",
        "CREATE INDEX acts_unfinished ON acts (state) WHERE state = 'intent'",
        """CREATE TABLE act_files (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            act TEXT NOT NULL REFERENCES acts (id),
            path TEXT NOT NULL,
            start INTEGER,
            before BLOB,
            after BLOB,
            before_digest TEXT NOT NULL,
            after_digest TEXT NOT NULL
        )""",
        "CREATE INDEX act_files_by_act ON act_files (act)",
        "CREATE INDEX act_files_by_path ON act_files (path)",
        "CREATE INDEX act_files_by_digest ON act_files (after_digest)",
        """CREATE TABLE injections (
            id TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            session TEXT NOT NULL,
            host TEXT NOT NULL,
            source TEXT NOT NULL,
            budget INTEGER NOT NULL,
            tokens INTEGER NOT NULL,
            text TEXT NOT NULL,
            digest TEXT NOT NULL,
            bank_version TEXT NOT NULL,
            lines TEXT NOT NULL,
            decisions TEXT NOT NULL
        )""",
        "CREATE INDEX injections_by_session ON injections (session, at)",
        """CREATE TABLE receipts (
            injection TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            outcome TEXT NOT NULL,
            digest TEXT NOT NULL,
            detail TEXT NOT NULL
        )""",
        """CREATE TABLE retrievals (
            id TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            origin TEXT NOT NULL,
            session TEXT NOT NULL,
            query TEXT NOT NULL,
            mode TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            ms REAL NOT NULL,
            candidates TEXT NOT NULL,
            shown TEXT NOT NULL
        )""",
        "CREATE INDEX retrievals_by_time ON retrievals (at)",
        """CREATE TABLE proposals (
            id TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            key TEXT NOT NULL,
            proposer TEXT NOT NULL,
            session TEXT NOT NULL,
            verb TEXT NOT NULL,
            title TEXT NOT NULL,
            nearest TEXT NOT NULL,
            status TEXT NOT NULL,
            decided_at TEXT,
            payload TEXT NOT NULL,
            evidence TEXT NOT NULL
        )""",
        "CREATE INDEX proposals_by_status ON proposals (status, at)",
        "CREATE INDEX proposals_by_key ON proposals (key)",
    ),
    (
        """CREATE TABLE captured (
            session TEXT PRIMARY KEY,
            mark TEXT NOT NULL,
            at TEXT NOT NULL,
            status TEXT NOT NULL,
            detail TEXT NOT NULL,
            observed INTEGER NOT NULL,
            proposed INTEGER NOT NULL,
            title TEXT NOT NULL,
            outcome TEXT NOT NULL,
            steps TEXT NOT NULL
        )""",
        """CREATE TABLE sightings (
            subject TEXT NOT NULL,
            record TEXT NOT NULL,
            session TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (subject, record)
        )""",
        """CREATE TABLE sleeps (
            id TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            read INTEGER NOT NULL,
            report TEXT NOT NULL
        )""",
    ),
    (
        """CREATE TABLE draftings (
            session TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            drafter TEXT NOT NULL,
            status TEXT NOT NULL,
            detail TEXT NOT NULL,
            sent INTEGER NOT NULL,
            tokens INTEGER NOT NULL,
            received INTEGER NOT NULL,
            seconds REAL NOT NULL,
            cards INTEGER NOT NULL,
            refused INTEGER NOT NULL
        )""",
    ),
)


class LedgerTooNewError(Exception):
    """The ledger was written by a newer memtui: it is left alone."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"ledger format {version} is newer than this memtui understands ({len(STEPS)}); "
            "upgrade memtui"
        )
        self.version = version


def migrate(connection: Connection) -> None:
    """Bring the tables up to date inside the caller's transaction. Raises LedgerTooNewError."""
    version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if version > len(STEPS):
        raise LedgerTooNewError(version)
    for step in STEPS[version:]:
        for statement in step:
            connection.exec_driver_sql(statement)
    if version < len(STEPS):
        connection.exec_driver_sql(f"PRAGMA user_version = {len(STEPS)}")
