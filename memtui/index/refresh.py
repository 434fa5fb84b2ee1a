"""Bringing `index.db` in step with a bank: only rows that differ are written."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.bank.model import BankContents, Item
from memtui.index.identifiers import parts_of
from memtui.index.rows import Entry, Facts, entries_of, policy_tuple, storable
from memtui.index.schema import ITEM_COLUMNS, TEXT_COLUMNS, open_index

_PATH = ITEM_COLUMNS.index("path")
_MTIME = ITEM_COLUMNS.index("mtime_ns")
_DIGEST = ITEM_COLUMNS.index("digest")
_PUT_ITEM = (
    f"INSERT INTO item ({', '.join(ITEM_COLUMNS)}) VALUES ({', '.join('?' * len(ITEM_COLUMNS))})"
)
_PUT_TEXT = (
    f"INSERT INTO text (seq, {', '.join(TEXT_COLUMNS)}) "
    f"VALUES ({', '.join('?' * (len(TEXT_COLUMNS) + 1))})"
)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh wrote: rows of items, of which `texts` had a new text, and rows taken out."""

    items: int
    texts: int
    removed: int
    generation: int


def refresh(db_path: Path, contents: BankContents, facts: Facts) -> Refreshed:
    """Make the index at `db_path` say what `contents` and `facts` say. One transaction.

    Raises sqlite3.Error when another process keeps it locked, OSError when it cannot be made.
    """
    with closing(open_index(db_path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            done = _Refresh(connection, contents).run(entries_of(contents, facts))
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        return done


def version_of(contents: BankContents) -> str:
    """What names the text of a bank: twelve hex digits over the digests of its files."""
    digests = sorted(item.digest for item in (*contents.cards, *contents.pages))
    return sha256("".join(digests).encode()).hexdigest()[:12]


class _Refresh:
    def __init__(self, connection: sqlite3.Connection, contents: BankContents) -> None:
        self.db = connection
        self.contents = contents
        columns = ", ".join(ITEM_COLUMNS)
        rows = connection.execute(f"SELECT seq, {columns} FROM item").fetchall()
        self.old = {row[1 + _PATH]: (row[0], row[1:]) for row in rows}

    def run(self, entries: Iterable[Entry]) -> Refreshed:
        """Write what differs and count it."""
        items = texts = 0
        present: set[bytes] = set()
        for entry in entries:
            row = _stamped(entry)
            path = row[_PATH]
            present.add(path)
            seq, before = self.old.get(path, (None, None))
            if before == row:
                continue
            items += 1
            seq = self._put(seq, row)
            if before is None or before[_DIGEST] != row[_DIGEST]:
                texts += 1
                self._put_text(seq, entry.item)
        gone = [seq for path, (seq, _) in self.old.items() if path not in present]
        self._drop(gone)
        generation = self._meta(changed=bool(items or gone))
        return Refreshed(items, texts, len(gone), generation)

    def _put(self, seq: int | None, row: tuple[Any, ...]) -> int:
        if seq is None:
            return self.db.execute(_PUT_ITEM, row).lastrowid or 0
        changes = ", ".join(f"{column} = ?" for column in ITEM_COLUMNS)
        self.db.execute(f"UPDATE item SET {changes} WHERE seq = ?", (*row, seq))
        return seq

    def _put_text(self, seq: int, item: Item) -> None:
        self.db.execute("DELETE FROM text WHERE seq = ?", (seq,))
        self.db.execute(_PUT_TEXT, (seq, *_text_row(item)))

    def _drop(self, seqs: list[int]) -> None:
        for seq in seqs:
            self.db.execute("DELETE FROM text WHERE seq = ?", (seq,))
            self.db.execute("DELETE FROM item WHERE seq = ?", (seq,))

    def _meta(self, changed: bool) -> int:
        config = self.contents.config
        wanted = {
            "bank": storable(config.id),
            "project": storable(config.project),
            "aliases": json.dumps([storable(alias) for alias in config.aliases]),
            "policy": json.dumps(policy_tuple(config.policy)),
            "root": storable(str(self.contents.root)),
            "layout": self.contents.layout.value,
            "version": version_of(self.contents),
        }
        old = dict(self.db.execute("SELECT key, value FROM meta"))
        generation = int(old.get("generation", "0"))
        if changed or any(old.get(key) != value for key, value in wanted.items()):
            generation += 1
            rows = [*wanted.items(), ("generation", str(generation))]
            self.db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", rows)
        return generation


def _stamped(entry: Entry) -> tuple[Any, ...]:
    """The row with its file's time and size; a file that is gone by now is to be looked at again."""
    row = list(entry.row)
    try:
        stat = os.stat(entry.item.path)  # noqa: PTH116 - called for every file of a bank
        row[_MTIME], row[_MTIME + 1] = stat.st_mtime_ns, stat.st_size
    except OSError:
        row[_MTIME], row[_MTIME + 1] = 0, 0
    return tuple(row)


def _text_row(item: Item) -> tuple[str, ...]:
    quotes = "\n".join(cited.quote for cited in item.evidence if cited.quote)
    tags = " ".join((*item.tags, *item.scope.paths))
    parts = parts_of("\n".join((item.name, item.title, item.body, tags, quotes)))
    return tuple(map(storable, (item.name, item.title, item.body, tags, quotes, parts)))
