"""Vectors as blobs in SQLite: the store that counts. Everything faster is an index over it.

The file is one of its own beside `index.db`: that one is rebuilt from text in a second whenever its
schema or a card changes, while a lost vector costs the model again (a minute for 5,000 cards). It
can be deleted at any time all the same.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtui.safety.database import enter_wal, make_once, version_of
from memtui.safety.private import private_file, private_folder

SCHEMA_VERSION = 1
BUSY_SECONDS = 10.0
_CHUNK = 500
_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL,
  revision TEXT NOT NULL,
  digest TEXT NOT NULL,
  blob BLOB NOT NULL,
  UNIQUE (model, revision, digest)
);
"""


@dataclass(frozen=True, slots=True)
class ModelKey:
    """A model and the revision of its weights: vectors of two keys are never compared."""

    model: str
    revision: str


@dataclass(frozen=True, slots=True)
class Generation:
    """What a reader compares to know whether its copy is current.

    `epoch` is new whenever the file is; `number` grows with every change, `deletions` with every
    change that took vectors away; `last` is the highest `seq` given out.
    """

    epoch: str
    number: int
    deletions: int
    last: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Some vectors of one model: parallel lists, in the order of `seq`, all of one length."""

    generation: Generation
    digests: tuple[str, ...]
    blobs: tuple[bytes, ...]


def text_digest(text: str) -> str:
    """What a vector is keyed by: the SHA-256 of the very text that was embedded."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class VectorStore:
    """`vectors.db` of one bank. Each call opens and closes the file, so it may vanish in between.

    Safe from any thread and process. A damaged or foreign file is replaced by an empty one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._models: tuple[Generation, dict[ModelKey, int]] | None = None

    def generation(self) -> Generation:
        """The present generation."""
        with self._reading() as db:
            return _generation(db)

    def models(self) -> dict[ModelKey, int]:
        """Every model that left vectors here, with their number. More than one is "mixed"."""
        with self._reading() as db:
            generation, known = _generation(db), self._models
            if known is not None and known[0] == generation:
                return dict(known[1])
            rows = db.execute("SELECT model, revision, count(*) FROM vectors GROUP BY 1, 2")
            counts = {ModelKey(model, revision): count for model, revision, count in rows}
        self._models = generation, counts
        return dict(counts)

    def count(self, key: ModelKey) -> int:
        """How many vectors of this model there are."""
        return self.models().get(key, 0)

    def present(self, key: ModelKey) -> set[str]:
        """The digests that have a vector of this model."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT digest FROM vectors WHERE model = ? AND revision = ?",
                (key.model, key.revision),
            )
            return {digest for (digest,) in rows}

    def digests(self) -> set[str]:
        """The digests that have a vector of any model."""
        with self._reading() as db:
            return {digest for (digest,) in db.execute("SELECT DISTINCT digest FROM vectors")}

    def read(self, key: ModelKey, after: int = 0) -> Batch:
        """All vectors of this model with a `seq` above `after`, as of one moment."""
        with self._reading() as db:
            generation = _generation(db)
            rows = db.execute(
                "SELECT digest, blob FROM vectors WHERE model = ? AND revision = ? AND seq > ?"
                " ORDER BY seq",
                (key.model, key.revision, after),
            ).fetchall()
        return Batch(generation, tuple(row[0] for row in rows), tuple(row[1] for row in rows))

    def add(self, key: ModelKey, vectors: Mapping[str, bytes]) -> int:
        """Keep vectors by digest; those already there stay. Returns how many were new."""
        with self._writing() as db:
            before = db.total_changes
            db.executemany(
                "INSERT OR IGNORE INTO vectors (model, revision, digest, blob) VALUES (?, ?, ?, ?)",
                [(key.model, key.revision, digest, blob) for digest, blob in vectors.items()],
            )
            added = db.total_changes - before
            if added:
                _bump(db, deleted=False)
            return added

    def forget(self, digests: Iterable[str]) -> int:
        """Delete the vectors of these digests, of every model, bytes included. Returns how many."""
        wanted = list(digests)

        def delete(db: sqlite3.Connection) -> int:
            gone = 0
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                gone += db.execute(f"DELETE FROM vectors WHERE digest IN ({marks})", chunk).rowcount
            return gone

        with self._writing() as db:
            gone = delete(db)
            if gone:
                _bump(db, deleted=True)
        self.scrub()
        return gone

    def prune(self, live: Collection[str]) -> int:
        """Forget every vector whose digest is not in `live`. Returns how many went."""
        dead = self.digests().difference(live)
        return self.forget(dead) if dead else 0

    def drop_model(self, key: ModelKey) -> int:
        """Forget all vectors of one model. Returns how many went."""
        with self._writing() as db:
            gone = db.execute(
                "DELETE FROM vectors WHERE model = ? AND revision = ?", (key.model, key.revision)
            ).rowcount
            if gone:
                _bump(db, deleted=True)
        self.scrub()
        return gone

    def scrub(self, seconds: float = 5.0) -> bool:
        """Empty the write-ahead log, where deleted bytes may still stand.

        False when readers held it for all of `seconds`: then it is repeated at the next deletion.
        """
        deadline = time.monotonic() + seconds
        while True:
            with closing(self._open()) as db:
                busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if not busy:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)

    def note(self, key: str) -> str:
        """A remark that an index left about itself, or the empty text."""
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return str(row[0]) if row else ""

    def set_note(self, key: str, value: str) -> None:
        """Leave a remark; it does not change the generation."""
        with self._writing() as db:
            _put(db, key, value)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with closing(self._open()) as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.rollback()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(self._open()) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()

    def _open(self) -> sqlite3.Connection:
        private_folder(self.path.parent)
        try:
            return _connect(self.path)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _CORRUPT:
                raise
        remove_database(self.path)
        return _connect(self.path)


def remove_database(path: Path) -> None:
    """Delete a SQLite file and what lies beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    private_file(path)  # a vector tells much of its text
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA secure_delete = ON")
        if version_of(db) != SCHEMA_VERSION:
            enter_wal(db, BUSY_SECONDS)
            make_once(db, SCHEMA_VERSION, _make)
    except BaseException:
        db.close()
        raise
    return db


def _make(db: sqlite3.Connection) -> None:
    for table in ("vectors", "meta"):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA.split(";"):
        db.execute(statement)
    _put(db, "epoch", secrets.token_hex(8))
    _put(db, "generation", "0")
    _put(db, "deletions", "0")


def _put(db: sqlite3.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def _bump(db: sqlite3.Connection, *, deleted: bool) -> None:
    keys = ("generation", "deletions") if deleted else ("generation",)
    for key in keys:
        db.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = ?", (key,))


def _generation(db: sqlite3.Connection) -> Generation:
    meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
    last = db.execute("SELECT max(seq) FROM vectors").fetchone()[0]
    return Generation(meta["epoch"], int(meta["generation"]), int(meta["deletions"]), last or 0)
