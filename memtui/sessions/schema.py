"""The tables of the catalogue. Another schema version means: drop everything and read again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from memtui.safety.database import enter_wal, make_once, version_of
from memtui.safety.private import private_file, private_folder

VERSION = 3

BUSY_MS = 5_000
"""How long a connection waits for the writer's lock."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  session TEXT, parent TEXT, agent TEXT,
  compressed INTEGER NOT NULL DEFAULT 0,
  device INTEGER NOT NULL DEFAULT 0,
  inode INTEGER NOT NULL DEFAULT 0,
  size INTEGER NOT NULL DEFAULT 0,
  mtime_ns INTEGER NOT NULL DEFAULT 0,
  born_ns INTEGER NOT NULL DEFAULT 0,
  offset INTEGER NOT NULL DEFAULT 0,
  ordinal INTEGER NOT NULL DEFAULT 0,
  head_length INTEGER NOT NULL DEFAULT 0,
  head BLOB, tail BLOB,
  state TEXT,
  started INTEGER,
  gone INTEGER NOT NULL DEFAULT 0,
  text_offset INTEGER NOT NULL DEFAULT 0,
  text_ordinal INTEGER NOT NULL DEFAULT 0,
  text_state TEXT
);

CREATE INDEX files_inode ON files (inode);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '', cwds TEXT NOT NULL DEFAULT '[]',
  branch TEXT, remote TEXT, title TEXT, title_rank INTEGER NOT NULL DEFAULT -1,
  version TEXT, model TEXT,
  parent_id TEXT, parent INTEGER,
  started INTEGER, ended INTEGER,
  gone INTEGER NOT NULL DEFAULT 0,
  next_seq INTEGER NOT NULL DEFAULT 0,
  fold TEXT NOT NULL DEFAULT '{}',
  rev INTEGER NOT NULL DEFAULT 0,
  n_turns INTEGER NOT NULL DEFAULT 0, n_all INTEGER NOT NULL DEFAULT 0,
  n_prompts INTEGER NOT NULL DEFAULT 0, n_calls INTEGER NOT NULL DEFAULT 0,
  n_errors INTEGER NOT NULL DEFAULT 0, n_diffs INTEGER NOT NULL DEFAULT 0,
  n_thinking INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0,
  UNIQUE (host, session, agent)
);
CREATE INDEX sessions_rev ON sessions (rev);
CREATE INDEX sessions_agent ON sessions (agent) WHERE agent <> '';
CREATE INDEX sessions_parent ON sessions (host, parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE session_files (
  session INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (session, file)
) WITHOUT ROWID;
CREATE INDEX session_files_file ON session_files (file);

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL, flags INTEGER NOT NULL, facets INTEGER NOT NULL,
  file INTEGER NOT NULL,
  record TEXT NOT NULL, part INTEGER NOT NULL, at INTEGER,
  message TEXT, call TEXT, tool TEXT, exit_code INTEGER, agent TEXT,
  tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0,
  tokens_cached INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
  carrier INTEGER, command INTEGER,
  preview TEXT NOT NULL
);

CREATE TABLE blocks (
  session INTEGER NOT NULL, block INTEGER NOT NULL,
  n_turns INTEGER NOT NULL, n_all INTEGER NOT NULL, n_prompts INTEGER NOT NULL,
  n_calls INTEGER NOT NULL, n_errors INTEGER NOT NULL, n_diffs INTEGER NOT NULL,
  PRIMARY KEY (session, block)
) WITHOUT ROWID;

CREATE TABLE records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key INTEGER NOT NULL, turn INTEGER NOT NULL, part INTEGER NOT NULL, kind INTEGER NOT NULL,
  file INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  ordinal INTEGER NOT NULL
);
CREATE INDEX records_key ON records (key);
CREATE INDEX records_turn ON records (turn);
CREATE INDEX records_file ON records (file, offset);

CREATE TABLE copies (
  key INTEGER NOT NULL, file INTEGER NOT NULL, session INTEGER NOT NULL,
  offset INTEGER NOT NULL, length INTEGER NOT NULL,
  PRIMARY KEY (key, file, offset)
) WITHOUT ROWID;
CREATE INDEX copies_file ON copies (file);
CREATE INDEX copies_session ON copies (session);

CREATE TABLE skipped (
  host TEXT NOT NULL, version TEXT NOT NULL, label TEXT NOT NULL, reason TEXT NOT NULL,
  file INTEGER NOT NULL, count INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  PRIMARY KEY (host, version, label, reason, file)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
  text, content='', tokenize='porter unicode61 remove_diacritics 2'
);
"""


def open_writer(path: Path) -> sqlite3.Connection:
    """The connection that writes, on a catalogue of this version (made new where it is not).

    Raises sqlite3.Error, OSError.
    """
    private_folder(path.parent)
    try:
        return _prepared(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
    remove(path)
    return _prepared(path)


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises sqlite3.Error if there is no catalogue of this version."""
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
    )
    try:
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        connection.execute("PRAGMA query_only=1")
        connection.execute("PRAGMA cache_size=-8000")
        found = version_of(connection)
        if found != VERSION:
            raise sqlite3.DatabaseError(f"the catalogue has version {found}, not {VERSION}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def remove(path: Path) -> None:
    """Delete the catalogue with its side files. Raises OSError."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _prepared(path: Path) -> sqlite3.Connection:
    private_file(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        enter_wal(connection, BUSY_MS / 1000)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA cache_size=-32000")
        connection.execute("PRAGMA secure_delete=1")
        make_once(connection, VERSION, _rebuild)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _rebuild(connection: sqlite3.Connection) -> None:
    """Drop what another version left and make the tables."""
    _drop_all(connection)
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _drop_all(connection: sqlite3.Connection) -> None:
    """Virtual tables go first: they take their shadow tables with them."""
    for condition in ("sql LIKE 'CREATE VIRTUAL%'", "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"):
        found = connection.execute(
            f"SELECT name FROM sqlite_master WHERE type = 'table' AND {condition}"
        ).fetchall()
        for (name,) in found:
            connection.execute(f'DROP TABLE IF EXISTS "{name}"')
