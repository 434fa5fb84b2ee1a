"""Reads `index.db` for the session-start hook: sqlite3 and json, nothing heavier.

Everything comes out as plain tuples; `memtui.inject.snapshot` makes a snapshot of them.
"""

from __future__ import annotations

import json
import os
import sqlite3
from typing import Any, NamedTuple

VERSION = 4
"""`user_version` of the databases that this code reads; any other one is rebuilt."""

CANDIDATE_WIDTH = 17
_CANDIDATE = (
    "handle, name, title, layer, type, tags, tier, score, importance, created_day, used_day, pinned,"
    " project, branch, origin, states, expires_day"
)
_CHUNK = 500
"""Row ids in one statement: old SQLite builds take 999 parameters."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class IndexMissing(Exception):  # noqa: N818 - it says what is the case
    """There is no index, or none of this version: the bank has to be refreshed first."""


class Ingredients(NamedTuple):
    """What a snapshot is built from. `items` are tuples in the order of an injection candidate.

    `policy` has the fields of the injection's policy in their order. `total` is None when `items` is
    the whole bank.
    """

    bank: str
    project: str
    aliases: tuple[str, ...]
    policy: tuple[Any, ...]
    items: tuple[tuple[Any, ...], ...]
    total: int | None = None


def decoded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row of `item` in the types of a candidate: tags and states as tuples, pinned as a bool."""
    values = list(row)
    values[5] = tuple(json.loads(row[5])) if row[5] else ()
    values[11] = bool(row[11])
    values[15] = tuple(json.loads(row[15])) if row[15] else ()
    return tuple(values)


class Reader:
    """One read-only look at an index. Close it, or use it in a `with` statement."""

    def __init__(self, db_path: str | os.PathLike[str]) -> None:
        """Raises IndexMissing when the file is absent, locked, damaged or of another version."""
        self.connection = _open(db_path)
        self.meta: dict[str, str] = dict(self.connection.execute("SELECT key, value FROM meta"))

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def head(self) -> Ingredients:
        """Bank, project, aliases and policy, without any item."""
        types, *rest = json.loads(self.meta["policy"])
        return Ingredients(
            self.meta["bank"],
            self.meta["project"],
            tuple(json.loads(self.meta["aliases"])),
            (tuple(types), *rest),
            (),
        )

    def everything(self) -> Ingredients:
        """The whole bank, sorted by layer, name and path."""
        rows = self.connection.execute(f"SELECT {_CANDIDATE} FROM item ORDER BY layer, name, path")
        return self.head()._replace(items=tuple(map(decoded, rows)))

    def best(
        self,
        scope: tuple[str, str, int],
        weights: tuple[float, float, float, float],
        wanted: tuple[int, int, float, int, int],
    ) -> list[tuple[int, float]]:
        """Row ids with their rank, best first, of items that only room can hold back.

        A scope is (owner, branch, today): the project with aliases resolved, the branch, the day.
        `weights` are those of importance, trust and recency, and what is left of recency after a day.
        `wanted` is (pinned, checked, highest rank, most bytes of a line, how many).
        """
        pinned, checked, highest, room, size = wanted
        values = (*weights, scope[2], pinned, checked, *_bound(scope), room, highest, size)
        return self.connection.execute(_BEST, values).fetchall()

    def total(self, scope: tuple[str, str, int]) -> int:
        """How many items hold in this scope."""
        sql = f"SELECT count(*) FROM item WHERE live = 1 AND {_IN_SCOPE}"
        return int(self.connection.execute(sql, _bound(scope)).fetchone()[0])

    def items(self, seqs: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """The candidates of these row ids."""
        return {row[0]: decoded(row[1:]) for row in self._by_seq(_CANDIDATE, seqs)}

    def extras(self) -> tuple[tuple[Any, ...], ...]:
        """Candidates that no row stands for: none (see `memtui.index.recheck`)."""
        return ()

    def files(self, seqs: Iterable[int]) -> list[tuple[int, bytes, int, int, str]]:
        """(row id, path relative to the bank, mtime in ns or 0 for unknown, size, digest) of files."""
        return self._by_seq("path, mtime_ns, size, digest", seqs)

    def size(self) -> int:
        """How many items are indexed."""
        return int(self.connection.execute("SELECT count(*) FROM item").fetchone()[0])

    def seqs(self) -> list[int]:
        """All row ids."""
        return [row[0] for row in self.connection.execute("SELECT seq FROM item ORDER BY seq")]

    def paths(self) -> dict[bytes, int]:
        """The row ids of all files, by path relative to the bank."""
        return dict(self.connection.execute("SELECT path, seq FROM item"))

    def live(self, scope: tuple[str, str, int], seqs: Iterable[int]) -> int:
        """How many of these rows `total` counts."""
        wanted = list(seqs)
        found = 0
        for at in range(0, len(wanted), _CHUNK):
            part = wanted[at : at + _CHUNK]
            marks = ",".join("?" * len(part))
            sql = f"SELECT count(*) FROM item WHERE live = 1 AND {_IN_SCOPE} AND seq IN ({marks})"
            found += int(self.connection.execute(sql, (*_bound(scope), *part)).fetchone()[0])
        return found

    def words(self, words: Iterable[str]) -> list[tuple[int, str, str]]:
        """(row id, handle, name) of the items that one of these words names."""
        found: list[tuple[int, str, str]] = []
        sql = "SELECT seq, handle, name FROM item WHERE handle = ?1 OR name = ?1"
        for word in words:
            found += self.connection.execute(sql, (_storable(word),))
        return found

    def _by_seq(self, columns: str, seqs: Iterable[int]) -> list[tuple[Any, ...]]:
        wanted = list(seqs)
        rows: list[tuple[Any, ...]] = []
        for at in range(0, len(wanted), _CHUNK):
            part = wanted[at : at + _CHUNK]
            marks = ",".join("?" * len(part))
            sql = f"SELECT seq, {columns} FROM item WHERE seq IN ({marks}) ORDER BY seq"
            rows += self.connection.execute(sql, part)
        return rows


_BEST = """
SELECT seq, ? * importance + ? * score + ? * pow(?, max(0, ? - used_day)) AS rank FROM item
WHERE fit = 1 AND pinned = ? AND checked = ?
AND owner IN ('', ?) AND branch IN ('', ?) AND (expires_day = 0 OR expires_day > ?)
AND room <= ? AND rank <= ? ORDER BY rank DESC LIMIT ?
"""
_IN_SCOPE = "owner IN ('', ?) AND branch IN ('', ?) AND (expires_day = 0 OR expires_day > ?)"


def _bound(scope: tuple[str, str, int]) -> tuple[str, str, int]:
    owner, branch, today = scope
    return _storable(owner), _storable(branch), today


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def injection_rows(db_path: str | os.PathLike[str]) -> Ingredients:
    """The whole bank as the index has it. Raises IndexMissing."""
    with Reader(db_path) as reader:
        return reader.everything()


def _open(db_path: str | os.PathLike[str]) -> sqlite3.Connection:
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(
            f"file:{_quoted(db_path)}?mode=ro", uri=True, timeout=0.5, isolation_level=None
        )
        connection.execute("BEGIN")  # all answers are of one moment
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        _have_pow(connection)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise IndexMissing(str(error)) from error
    if found != VERSION:
        connection.close()
        raise IndexMissing(f"index version {found}, wanted {VERSION}")
    return connection


def _have_pow(connection: sqlite3.Connection) -> None:
    """Some builds of SQLite have no pow()."""
    try:
        connection.execute("SELECT pow(1, 1)")
    except sqlite3.OperationalError:
        connection.create_function("pow", 2, lambda base, exponent: base**exponent)


def _quoted(path: str | os.PathLike[str]) -> str:
    """A path as SQLite's URIs want it, byte by byte."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02x}"
        for byte in os.fsencode(os.path.abspath(path))  # noqa: PTH100 - no pathlib in the hook
    )


_PLAIN = frozenset(b"/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
