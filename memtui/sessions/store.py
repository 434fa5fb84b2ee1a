"""One batch of changed rows, kept in memory until it is written in a single transaction."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from memtui.sessions.known_keys import KnownKeys
from memtui.sessions.rows import BLOCK_BITS, FACETS, facets_of, split_block, split_id, turn_id

COUNTS = tuple(f"n_{facet}" for facet in FACETS)
_SUMS = ", ".join(f"{name} = {name} + ?" for name in COUNTS)


class Row(msgspec.Struct, gc=False):
    """A row of `turns`; the fields are its columns, in order."""

    id: int
    kind: int
    flags: int
    facets: int
    file: int
    record: str
    part: int
    at: int | None
    message: str | None = None
    call: str | None = None
    tool: str | None = None
    exit_code: int | None = None
    agent: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    calls: int = 0
    failed: int = 0
    carrier: int | None = None
    command: int | None = None
    preview: str = ""


_FIELDS = Row.__struct_fields__
_COLUMNS = ", ".join(_FIELDS)
_PUT = f"INSERT OR REPLACE INTO turns ({_COLUMNS}) VALUES ({', '.join('?' * len(_FIELDS))})"


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a record lies: `ordinal` counts the lines of its file from 0."""

    file: int
    offset: int
    length: int
    ordinal: int


@dataclass(slots=True)
class Fold:
    """What a session carries from one row to the next; sequence numbers of its rows.

    `carrier`: the last prompt or answer; `calls`: calls without a result by call id; `messages`:
    the rows of the last messages by kind and message id; `failures`: commands that failed and have
    not succeeded since.
    """

    carrier: int | None = None
    calls: dict[str, int] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """A row of `sessions` while it is being written."""

    id: int
    host: str
    session: str
    agent: str
    project: str
    cwds: list[str]
    branch: str | None
    remote: str | None
    title: str | None
    title_rank: int
    version: str | None
    model: str | None
    parent_id: str | None
    started: int | None
    ended: int | None
    next_seq: int
    thinking: int
    fold: Fold
    dirty: bool = False

    def meet(self, at: int | None) -> None:
        """Widen the session's time span."""
        if at is None:
            return
        if self.started is None or at < self.started:
            self.started = at
        if self.ended is None or at > self.ended:
            self.ended = at


_SESSION_COLUMNS = (
    "id, host, session, agent, project, cwds, branch, remote, title, title_rank, version, model, "
    "parent_id, started, ended, next_seq, n_thinking, fold"
)
_SAVE_SESSION = (
    "UPDATE sessions SET project = ?, cwds = ?, branch = ?, remote = ?, title = ?, title_rank = ?, "
    "version = ?, model = ?, parent_id = ?, started = ?, ended = ?, next_seq = ?, n_thinking = ?, "
    "fold = ?, rev = ?, gone = 0 WHERE id = ?"
)


class Store:
    """Rows and sessions changed since the last `flush`, over the writer's connection.

    With `known`, which a scan of much sets, records that are new are not looked up in the database.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.known: KnownKeys | None = None
        self.pending = 0
        self.forgotten = False
        self._rows: dict[int, Row] = {}
        self._counted: dict[int, int] = {}
        self._sessions: dict[tuple[str, str, str], Session] = {}
        self._records: list[tuple[int, int, int, int, int, int, int, int]] = []
        self._keys: dict[int, tuple[int, int, int]] = {}
        self._copies: list[tuple[int, int, int, int, int]] = []
        self._skipped: dict[tuple[str, str, str, str, int], list[int]] = {}

    def session(self, host: str, session: str, agent: str) -> Session:
        """The session of that name, made if it is new."""
        key = (host, session, agent)
        found = self._sessions.get(key)
        if found is None:
            found = self._sessions[key] = self._load_session(key) or self._new_session(key)
        return found

    def held(self, session: int) -> Session | None:
        """The session with this row id, if it is in memory."""
        return next((s for s in self._sessions.values() if s.id == session), None)

    def add(self, row: Row) -> None:
        """A new row."""
        self._rows[row.id] = row
        self._counted[row.id] = 0

    def row(self, session: Session, seq: int) -> Row:
        """A row to change: whatever is set on it is written with the batch. Raises KeyError."""
        key = turn_id(session.id, seq)
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = self._load_row(key)
            self._counted[key] = found.facets
        return found

    def row_of_call(self, session: Session, call: str) -> Row | None:
        """The row of a call whose result came before: looked up by scanning the session."""
        for row in self._rows.values():
            if row.call == call and split_id(row.id)[0] == session.id:
                return row
        found = self.db.execute(
            "SELECT id FROM turns WHERE id BETWEEN ? AND ? AND call = ? LIMIT 1",
            (turn_id(session.id, 0), turn_id(session.id + 1, 0) - 1, call),
        ).fetchone()
        return self.row(session, split_id(found[0])[1]) if found else None

    def add_record(self, key: int, turn: int, part: int, kind: int, place: Place) -> None:
        """A raw record that a row was read from."""
        where = (place.file, place.offset, place.length, place.ordinal)
        self._records.append((key, turn, part, kind, *where))
        self._keys.setdefault(key, (split_id(turn)[0], place.file, place.offset))

    def add_copy(self, key: int, owner: int, place: Place) -> None:
        """A record that the session `owner` holds already."""
        self._copies.append((key, place.file, owner, place.offset, place.length))

    def owner(self, key: int) -> tuple[int, int, int] | None:
        """Session, file and offset under which a record is known."""
        found = self._keys.get(key)
        if found is not None or (self.known is not None and not self.known.may_have(key)):
            return found
        row = self.db.execute(
            "SELECT turn, file, offset FROM records WHERE key = ? LIMIT 1", (key,)
        ).fetchone()
        return (split_id(row[0])[0], row[1], row[2]) if row else None

    def skip(self, key: tuple[str, str, str, str, int], offset: int, length: int) -> None:
        """Count a record that was not understood: host, version, label, reason and file."""
        seen = self._skipped.setdefault(key, [0, offset, length])
        seen[0] += 1

    def forget(self) -> None:
        """Drop what is held of sessions, after their rows were changed behind this store."""
        self._sessions.clear()
        if self.known is not None:
            self.known.catch_up(self.db)
        self.forgotten = True

    def flush(self) -> None:
        """Write everything held; the caller holds the transaction."""
        self._flush_rows()
        self._flush_lists()
        self._flush_sessions()
        self.pending = 0

    def _flush_rows(self) -> None:
        changes: Counter[tuple[int, int, int]] = Counter()
        for row in self._rows.values():
            before, row.facets = self._counted[row.id], facets_of(row.flags)
            if before != row.facets:
                changes[row.id >> BLOCK_BITS, before, row.facets] += 1
        deltas: dict[tuple[int, int], list[int]] = {}
        for (block, before, after), number in changes.items():
            counts = deltas.setdefault(split_block(block), [0] * len(FACETS))
            _count(counts, before, after, number)
        self.db.executemany(_PUT, map(msgspec.structs.astuple, self._rows.values()))
        add_counts(self.db, deltas)
        self._rows.clear()
        self._counted.clear()

    def _flush_lists(self) -> None:
        self.db.executemany(
            "INSERT INTO records (key, turn, part, kind, file, offset, length, ordinal) "
            "VALUES (?,?,?,?,?,?,?,?)",
            self._records,
        )
        if self.known is not None:
            self.known.add(self._keys)
            self.known.written(self.db)
        self.db.executemany(
            "INSERT OR REPLACE INTO copies (key, file, session, offset, length) VALUES (?,?,?,?,?)",
            self._copies,
        )
        self.db.executemany(
            "INSERT INTO skipped VALUES (?,?,?,?,?,?,?,?) "
            "ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [(*key, *seen) for key, seen in self._skipped.items()],
        )
        self._records.clear()
        self._keys.clear()
        self._copies.clear()
        self._skipped.clear()

    def _flush_sessions(self) -> None:
        dirty = [session for session in self._sessions.values() if session.dirty]
        if not dirty:
            return
        rev = next_rev(self.db)
        self.db.executemany(_SAVE_SESSION, [(*_session_values(s), rev, s.id) for s in dirty])
        for session in dirty:
            session.dirty = False
        self._link(dirty)
        if len(self._sessions) > 64:
            self._sessions.clear()

    def _link(self, dirty: list[Session]) -> None:
        """Point sessions to their parent's row, and children that came first to theirs."""
        self.db.executemany(
            "UPDATE sessions SET parent = (SELECT p.id FROM sessions p WHERE p.host = sessions.host "
            "AND p.session = sessions.parent_id AND p.id <> sessions.id "
            "AND (p.agent = '' OR p.session <> sessions.session) ORDER BY p.agent <> '' LIMIT 1) "
            "WHERE id = ?",
            [(s.id,) for s in dirty if s.parent_id is not None],
        )
        self.db.executemany(
            "UPDATE sessions SET parent = ?1 WHERE host = ?2 AND parent_id = ?3 AND parent IS NULL "
            "AND id <> ?1 AND (?4 = '' OR session <> ?3)",
            [(s.id, s.host, s.session, s.agent) for s in dirty],
        )

    def _load_row(self, key: int) -> Row:
        found = self.db.execute(f"SELECT {_COLUMNS} FROM turns WHERE id = ?", (key,)).fetchone()
        if found is None:
            raise KeyError(key)
        return Row(*found)

    def _load_session(self, key: tuple[str, str, str]) -> Session | None:
        found = self.db.execute(
            f"SELECT {_SESSION_COLUMNS} FROM sessions WHERE host = ? AND session = ? AND agent = ?",
            key,
        ).fetchone()
        return _session(found) if found else None

    def _new_session(self, key: tuple[str, str, str]) -> Session:
        self.db.execute(
            "INSERT INTO sessions (host, session, agent, fold) VALUES (?, ?, ?, '{}')", key
        )
        created = self._load_session(key)
        if created is None:
            raise KeyError(key)
        created.dirty = True
        return created


def next_rev(db: sqlite3.Connection) -> int:
    """A new revision number: sessions that changed carry it, so that readers find them."""
    found = db.execute(
        "INSERT INTO meta VALUES ('rev', 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value"
    ).fetchone()
    return int(found[0])


def add_counts(db: sqlite3.Connection, deltas: dict[tuple[int, int], list[int]]) -> None:
    """Add per-facet counts to blocks (`session, block`) and to their sessions."""
    db.executemany(
        f"INSERT INTO blocks (session, block, {', '.join(COUNTS)}) VALUES (?,?,?,?,?,?,?,?) "
        f"ON CONFLICT DO UPDATE SET {', '.join(f'{n} = {n} + excluded.{n}' for n in COUNTS)}",
        [(*key, *counts) for key, counts in deltas.items()],
    )
    db.executemany(
        f"UPDATE sessions SET {_SUMS} WHERE id = ?",
        [(*counts, session) for (session, _), counts in deltas.items()],
    )


def _count(counts: list[int], before: int, after: int, rows: int) -> None:
    for number in range(len(FACETS)):
        counts[number] += rows * ((after >> number & 1) - (before >> number & 1))


def _session(found: tuple[Any, ...]) -> Session:
    values = list(found)
    values[5] = json.loads(values[5])
    values[-1] = Fold(**json.loads(values[-1]))
    return Session(*values)


def _session_values(session: Session) -> tuple[Any, ...]:
    fold = session.fold
    return (
        session.project,
        json.dumps(session.cwds),
        session.branch,
        session.remote,
        session.title,
        session.title_rank,
        session.version,
        session.model,
        session.parent_id,
        session.started,
        session.ended,
        session.next_seq,
        session.thinking,
        json.dumps(
            {
                "carrier": fold.carrier,
                "calls": fold.calls,
                "messages": fold.messages,
                "failures": fold.failures,
            }
        ),
    )
