"""The documents of one bank, read from its `index.db`. Never writes it, never needs it to be there."""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.index.reader import VERSION
from memtui.recall.model import Document, Note, Stage

REBUILD = "memtui rebuilds it from the bank's files when it opens"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Day 0 of the index."""

_CHUNK = 500
_KEPT = 2
_CACHE_KB = 32_000

_COLUMNS = (
    "i.seq, i.handle, i.layer, i.name, i.title, i.type, t.body, i.tags, i.project, i.branch,"
    " i.status, i.states, i.tier, i.score, i.importance, i.pinned, i.created_day, i.used_day"
)

Stamp = tuple[int, ...]
"""What changes whenever `index.db` does: inode, size and time of the file and of its log."""


@dataclass(frozen=True, slots=True)
class Bank:
    """One bank to search. `key` is unique among them; `cache` is the bank's derived folder."""

    key: str
    cache: Path

    @property
    def index(self) -> Path:
        """The bank's `index.db`."""
        return self.cache / "index.db"


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that an eligible item meets: SQL over `item i` with its parameters.

    `stage` and `what` say where and why an item that does not meet it fell out.
    """

    stage: Stage
    what: str
    sql: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class _Connection:
    """An open connection and the file that it is open on: device and inode."""

    file: tuple[int, int]
    db: sqlite3.Connection


class CorpusError(Exception):
    """The index cannot be read: `note` says why and what is done about it."""

    def __init__(self, note: Note) -> None:
        super().__init__(note.message)
        self.note = note


class Corpus:
    """Reads one bank's index, which may be deleted or replaced at any time. Safe from any thread.

    A few connections are kept open for their page caches; one whose file is no longer the one at the
    path is not used again.
    """

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _close_all, self._idle)

    def close(self) -> None:
        """Close the connections that are kept open."""
        with self._lock:
            _close_all(self._idle)

    def stamp(self) -> Stamp:
        """The present stamp; empty when there is no index."""
        found: list[int] = []
        for suffix in ("", "-wal"):
            try:
                status = Path(f"{self.bank.index}{suffix}").stat()
            except OSError:
                continue
            found += (status.st_ino, status.st_size, status.st_mtime_ns)
        return tuple(found)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection in one snapshot. Raises CorpusError, also for errors of SQLite in
        the body of the `with` statement.
        """
        connection = self._take()
        try:
            connection.db.execute("BEGIN")
            self._check(connection.db)
            yield connection.db
            connection.db.rollback()
        except sqlite3.Error as error:
            connection.db.close()
            raise self._error(f"the index cannot be read ({error})") from error
        except BaseException:
            connection.db.close()
            raise
        self._give_back(connection)

    def _take(self) -> _Connection:
        try:
            status = self.bank.index.stat()
        except OSError:
            raise self._error("there is no index yet") from None
        file = (status.st_dev, status.st_ino)
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.file == file:
                    return connection
                connection.db.close()
        try:
            return _Connection(file, _connect(self.bank.index))
        except sqlite3.Error as error:
            raise self._error(f"the index cannot be opened ({error})") from error

    def _give_back(self, connection: _Connection) -> None:
        with self._lock:
            if len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.db.close()

    def _check(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise self._error(f"the index has version {version}, wanted {VERSION}")
        if not db.execute("SELECT 1 FROM meta WHERE key = 'version'").fetchone():
            raise self._error("the index is being built")

    def _error(self, what: str) -> CorpusError:
        return CorpusError(Note("index", f"bank {self.bank.key}: {what}", REBUILD))

    def documents(self, db: sqlite3.Connection, seqs: Sequence[int]) -> dict[int, Document]:
        """The documents of these rows, by row id, in the given order."""
        rows: dict[int, Document] = {}
        for start in range(0, len(seqs), _CHUNK):
            chunk = list(seqs[start : start + _CHUNK])
            marks = ",".join("?" * len(chunk))
            found = db.execute(
                f"SELECT {_COLUMNS} FROM item i JOIN text t ON t.seq = i.seq"
                f" WHERE i.seq IN ({marks})",
                chunk,
            )
            rows |= {row[0]: self._document(row) for row in found}
        return {seq: rows[seq] for seq in seqs if seq in rows}

    def find(self, db: sqlite3.Connection, word: str) -> int | None:
        """The row of an item by handle, else by name."""
        for column in ("handle", "name"):
            row = db.execute(
                f"SELECT seq FROM item WHERE {column} = ? ORDER BY seq LIMIT 1", (word,)
            ).fetchone()
            if row:
                return int(row[0])
        return None

    def _document(self, row: Sequence[object]) -> Document:
        (seq, handle, layer, name, title, kind, body, tags, project, branch) = row[:10]
        (status, states, tier, score, importance, pinned, created, used) = row[10:]
        return Document(
            bank=self.bank.key,
            row=_whole(seq),
            id=str(handle),
            layer=str(layer),
            name=str(name),
            title=str(title or ""),
            type=str(kind),
            body=str(body or ""),
            tags=_texts(tags),
            project=str(project or ""),
            branch=str(branch or ""),
            status=str(status),
            states=_texts(states),
            tier=str(tier),
            trust=_number(score),
            importance=_number(importance),
            pinned=bool(pinned),
            created=_day(created),
            used=_day(used),
        )


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    except BaseException:
        db.close()
        raise
    return db


def _close_all(connections: list[_Connection]) -> None:
    while connections:
        connections.pop().db.close()


def where(conditions: Sequence[Condition]) -> tuple[str, tuple[object, ...]]:
    """All conditions as one SQL expression with its parameters; `1` for none."""
    sql = " AND ".join(condition.sql for condition in conditions) or "1"
    return sql, tuple(value for condition in conditions for value in condition.values)


def eligible(
    db: sqlite3.Connection, conditions: Sequence[Condition], seqs: Sequence[int] | None = None
) -> set[int]:
    """The rows that meet all conditions, of `seqs` or of the whole bank."""
    sql, values = where(conditions)
    if seqs is None:
        return {seq for (seq,) in db.execute(f"SELECT i.seq FROM item i WHERE {sql}", values)}
    found: set[int] = set()
    for start in range(0, len(seqs), _CHUNK):
        chunk = seqs[start : start + _CHUNK]
        marks = ",".join("?" * len(chunk))
        # By row id, or SQLite walks a whole index of the scope.
        statement = f"SELECT i.seq FROM item i NOT INDEXED WHERE i.seq IN ({marks}) AND {sql}"
        found.update(seq for (seq,) in db.execute(statement, (*chunk, *values)))
    return found


def first_unmet(
    db: sqlite3.Connection, conditions: Sequence[Condition], seqs: Sequence[int]
) -> dict[int, Condition]:
    """For each of these rows that is not eligible, the first condition that it does not meet."""
    unmet: dict[int, Condition] = {}
    left = list(seqs)
    for condition in conditions:
        if not left:
            break
        met = eligible(db, [condition], left)
        unmet |= {seq: condition for seq in left if seq not in met}
        left = [seq for seq in left if seq in met]
    return unmet


def _texts(value: object) -> tuple[str, ...]:
    try:
        found = json.loads(str(value)) if value else []
    except ValueError:
        return ()
    return tuple(str(part) for part in found) if isinstance(found, list) else ()


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _day(value: object) -> datetime | None:
    """Midnight UTC of a day number, None for 0 or a day that no calendar has."""
    if not isinstance(value, int) or not value:
        return None
    try:
        return EPOCH + timedelta(days=value)
    except OverflowError:
        return None
