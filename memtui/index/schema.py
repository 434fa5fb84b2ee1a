"""The tables of `index.db`: derived from a bank's text, deleted and rebuilt whenever they do not fit.

`item` has one row per card and page with everything that an injection needs. `text` holds what is
searched, and the full-text tables `words` (porter stems) and `grams` (trigrams) index it by the same
row ids. `drift` caches what git said, `audited` what the redaction rules found in a line, by its digest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memtui.index.reader import VERSION
from memtui.safety.database import enter_wal, make_once, version_of
from memtui.safety.private import private_file, private_folder

ITEM_COLUMNS = (
    "handle",
    "name",
    "title",
    "layer",
    "type",
    "tags",
    "tier",
    "score",
    "importance",
    "created_day",
    "used_day",
    "pinned",
    "project",
    "branch",
    "origin",
    "states",
    "expires_day",
    "causes",
    "status",
    "path",
    "mtime_ns",
    "size",
    "digest",
    "owner",
    "checked",
    "live",
    "fit",
    "room",
)
"""Columns of `item` after its row id.

The first seventeen are those of an injection candidate, in its order. `tags`, `states` and `causes`
are JSON lists of texts (a cause for each state), "" for none. `path` is relative to the bank, as
bytes; `mtime_ns` is 0 when the file was not seen with this content. `owner` is the project under which
scope is decided (aliases resolved, the bank's own where the item names none). `checked`: its tier earns
the checked section. `live`: no state keeps it absent. `fit`: live, of a type that the policy injects,
and not of unconfirmed external origin. `room`: its injected line has at least so many bytes.
"""

TEXT_COLUMNS = ("name", "title", "body", "tags", "quotes", "parts")
"""Columns of `text` and `words`; `grams` has the first three and `quotes`. `parts` are identifiers
taken apart (`getUserById2` -> `get user by id 2`), in the order of the text."""

_GRAMS = ("name", "title", "body", "quotes")

_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE item (
  seq INTEGER PRIMARY KEY,
  {", ".join(ITEM_COLUMNS)},
  UNIQUE (path)
);
CREATE INDEX item_fit ON item
  (pinned, checked, owner, branch, expires_day, room, importance, score, used_day) WHERE fit = 1;
CREATE INDEX item_live ON item (owner, branch, expires_day) WHERE live = 1;
CREATE INDEX item_handle ON item (handle);
CREATE INDEX item_name ON item (name);
CREATE TABLE text (seq INTEGER PRIMARY KEY, {", ".join(TEXT_COLUMNS)});
CREATE VIRTUAL TABLE words USING fts5 (
  {", ".join(TEXT_COLUMNS)}, content='text', content_rowid='seq', tokenize='porter unicode61'
);
CREATE VIRTUAL TABLE grams USING fts5 (
  {", ".join(_GRAMS)}, content='text', content_rowid='seq', tokenize='trigram'
);
CREATE TABLE drift (
  card TEXT NOT NULL, head TEXT NOT NULL, digest TEXT NOT NULL, anchor INTEGER NOT NULL,
  verdict TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (card)
) WITHOUT ROWID;
CREATE TABLE audited (
  line TEXT PRIMARY KEY, rules TEXT NOT NULL, kinds TEXT NOT NULL
) WITHOUT ROWID;
"""


def _trigger(event: str, table: str, columns: tuple[str, ...]) -> str:
    """The statement that keeps one full-text table in step with `text`."""
    names = ", ".join(columns)
    if event == "INSERT":
        values = ", ".join(f"new.{column}" for column in columns)
        return f"INSERT INTO {table} (rowid, {names}) VALUES (new.seq, {values});"
    values = ", ".join(f"old.{column}" for column in columns)
    return f"INSERT INTO {table} ({table}, rowid, {names}) VALUES ('delete', old.seq, {values});"


def _triggers(event: str) -> str:
    bodies = _trigger(event, "words", TEXT_COLUMNS) + _trigger(event, "grams", _GRAMS)
    return f"CREATE TRIGGER text_{event.lower()} AFTER {event} ON text BEGIN {bodies} END"


_STEPS = (_triggers("INSERT"), _triggers("DELETE"))
BUSY_SECONDS = 5.0
"""How long another writer is waited for."""


@contextmanager
def bulk_text(connection: sqlite3.Connection) -> Iterator[None]:
    """Inside, writing `text` leaves the full-text tables alone; at the end they are built anew.

    Within an open transaction; for thousands of rows this takes a third of the time.
    """
    connection.execute("DROP TRIGGER text_insert")
    connection.execute("DROP TRIGGER text_delete")
    yield
    for table in ("words", "grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    for step in _STEPS:
        connection.execute(step)


def open_index(db_path: Path) -> sqlite3.Connection:
    """Open or create `index.db` for writing; one that is damaged or of another version is rebuilt.

    Raises sqlite3.OperationalError when another process keeps it locked, OSError when the folder
    cannot be made.
    """
    private_folder(db_path.parent)
    if db_path.exists() and not _fits(db_path):
        delete_index(db_path)
    connection = _connect(db_path)
    try:
        make_once(connection, VERSION, _make)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    for statement in (*_TABLES.split(";\n"), *_STEPS):
        connection.execute(statement)


def _fits(db_path: Path) -> bool:
    """Whether an existing file is an index of this version (or empty). Raises when it is locked."""
    try:
        with closing(_connect(db_path)) as connection:
            version = version_of(connection)
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False
    return bool(version == VERSION or (version == 0 and tables == 0))


def delete_index(db_path: Path) -> None:
    """Delete the database with its side files; missing ones are fine."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{db_path}{suffix}").unlink(missing_ok=True)


def _connect(db_path: Path) -> sqlite3.Connection:
    private_file(db_path)
    connection = sqlite3.connect(db_path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        enter_wal(connection, BUSY_SECONDS)
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection
