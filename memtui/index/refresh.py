"""Brings `index.db` up to date with a bank in memory, rewriting only the rows that changed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.bank.model import BankContents, Tier
from memtui.bank.trust import trust_by_id
from memtui.clock import Clock, format_time
from memtui.index.days import day_of
from memtui.index.files import (
    UNSEEN,
    Folders,
    Stat,
    event_sizes,
    events_folder,
    look,
    seen_as_loaded,
)
from memtui.index.rows import Entry, Facts, entries_of, policy_tuple, storable
from memtui.index.schema import ITEM_COLUMNS, TEXT_COLUMNS, bulk_text, open_index
from memtui.index.secrets import secrets_in
from memtui.index.states import State, tombstones
from memtui.index.words import text_row
from memtui.reasons import DISPUTED, TOMBSTONED
from memtui.safety.redact import rules_name

_AT = {name: at for at, name in enumerate(ITEM_COLUMNS)}
PATH, MTIME, SIZE, DIGEST, NAME = (
    _AT[name] for name in ("path", "mtime_ns", "size", "digest", "name")
)
_INSERT_ITEM = f"INSERT OR REPLACE INTO item VALUES ({', '.join('?' * (len(ITEM_COLUMNS) + 1))})"
_INSERT_TEXT = f"INSERT INTO text VALUES ({', '.join('?' * (len(TEXT_COLUMNS) + 1))})"

BULK = 1500
"""From so many texts on, building the full-text tables anew is faster than keeping them in step."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did. `generation` counts refreshes that wrote; `version` names the indexed state."""

    items: int
    written: int
    removed: int
    generation: int
    version: str


def refresh(
    db_path: Path,
    contents: BankContents,
    *,
    clock: Clock,
    drift: Mapping[str, str] | None = None,
    evidence_states: Mapping[str, tuple[State, ...]] | None = None,
    used: Mapping[str, int] | None = None,
    secrets: Mapping[str, str] | None = None,
    events: Path | None = None,
    entries: Sequence[Entry] | None = None,
) -> Refreshed:
    """Index `contents`. The mappings are by item id (see `rows.Facts`); without `secrets` the lines
    are looked at here.

    `events` is the folder of the event files where it is not the bank's own, `entries` the rows under
    these very facts where they were made already. Raises sqlite3.OperationalError when another process
    keeps the index locked, OSError when it cannot be made.
    """
    folders = look(contents)
    with closing(open_index(db_path)) as connection:
        facts = Facts(
            now=clock(),
            trust={},
            drift=drift or {},
            evidence=evidence_states or {},
            used=used or {},
            secrets=secrets_in(connection, contents) if secrets is None else secrets,
        )
        meta = _meta(contents, facts, folders, events_folder(contents, events))
        return _Refresh(connection, contents, facts, folders, entries).run(meta)


def _meta(
    contents: BankContents, facts: Facts, folders: Folders, events: Path | None
) -> dict[str, str]:
    config = contents.config
    return {
        "bank": storable(config.id),
        "project": storable(config.project),
        "aliases": json.dumps([storable(alias) for alias in config.aliases]),
        "policy": json.dumps(policy_tuple(config.policy)),
        "root": storable(str(contents.root)),
        "layout": contents.layout.value,
        "folders": json.dumps(folders.times),
        "events": json.dumps(event_sizes(events)),
        "events_folder": storable(str(events or "")),
        "version": version_of(contents, facts),
        "rules": rules_name(),
    }


def version_of(contents: BankContents, facts: Facts) -> str:
    """16 hex digits that name everything the rows are made from. Trust follows from the events."""
    digest = sha256()

    def add(values: Iterable[Any]) -> None:
        digest.update("\n".join(map(str, values)).encode("utf-8", "surrogatepass") + b"\0")

    items = (*contents.cards, *contents.pages)
    add(f"{item.id} {item.digest} {item.name}" for item in items)
    add(event.id for event in contents.events)
    today = day_of(facts.now)
    add(item.id for item in items if item.expires is not None and day_of(item.expires) <= today)
    add((contents.config, contents.root, contents.layout))
    for mapping in (facts.drift, facts.evidence, facts.used, facts.secrets):
        add(sorted(mapping.items(), key=lambda pair: pair[0]))
    return digest.hexdigest()[:16]


class _Refresh:
    """One refresh in one transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        contents: BankContents,
        facts: Facts,
        folders: Folders,
        entries: Sequence[Entry] | None,
    ) -> None:
        self.connection = connection
        self.contents = contents
        self.facts = facts
        self.folders = folders
        self.entries = entries
        self.root = os.fsencode(contents.root)

    def run(self, meta: dict[str, str]) -> Refreshed:
        """Compare, and write what differs. Raises sqlite3.OperationalError."""
        if self._unchanged(meta):
            return self._done(0, 0, self._generation(), meta)
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            # Only now: the check that nothing changed is to be quick.
            self.facts = replace(self.facts, trust=trust_by_id(self.contents.events))
            meta["judged"] = json.dumps(self._judged())
            written, removed = self._write_items()
            same = not written and not removed and self._same_meta(meta)
            generation = self._generation() + (not same)
            meta |= {"generation": str(generation), "refreshed": format_time(self.facts.now)}
            self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")
        return self._done(written, removed, generation, meta)

    def _judged(self) -> dict[str, str]:
        """Ids that are held back whatever their file says, also where there is none at present."""
        trust = self.facts.trust
        judged = {key: DISPUTED for key, found in trust.items() if found.tier is Tier.DISPUTED}
        return judged | dict.fromkeys(tombstones(self.contents.events), TOMBSTONED)

    def _done(self, written: int, removed: int, generation: int, meta: dict[str, str]) -> Refreshed:
        items = len(self.contents.cards) + len(self.contents.pages)
        return Refreshed(items, written, removed, generation, meta["version"])

    def _generation(self) -> int:
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
        return int(row[0]) if row else 0

    def _same_meta(self, meta: dict[str, str]) -> bool:
        old = dict(self.connection.execute("SELECT key, value FROM meta"))
        return all(old.get(key) == value for key, value in meta.items())

    def _unchanged(self, meta: dict[str, str]) -> bool:
        if not self._same_meta(meta):
            return False
        rows = self.connection.execute("SELECT path, mtime_ns, size FROM item")
        inside = os.path.join(self.root, b"")  # noqa: PTH118 - bytes
        files = self.folders.files
        return all(files.get(inside + path) == (mtime, size) for path, mtime, size in rows)

    def _write_items(self) -> tuple[int, int]:
        """Insert, replace and delete rows; returns how many were written and deleted."""
        columns = ", ".join(ITEM_COLUMNS)
        rows = self.connection.execute(f"SELECT seq, {columns} FROM item").fetchall()
        old = {row[1 + PATH]: row for row in rows}
        first_free = free = max((row[0] for row in rows), default=0) + 1
        items: list[tuple[Any, ...]] = []
        texts: list[tuple[Any, ...]] = []
        entries = self.entries
        for entry in entries_of(self.contents, self.facts) if entries is None else entries:
            before = old.pop(entry.row[PATH], None)
            seq, free = (free, free + 1) if before is None else (before[0], free)
            row = (seq, *self._stamped(entry, before))
            if row == before:
                continue
            items.append(row)
            if before is None or not _same_text(before, row):
                texts.append((seq, *text_row(entry.item)))
        gone = [(before[0],) for before in old.values()]
        self.connection.executemany("DELETE FROM item WHERE seq = ?", gone)
        self.connection.executemany(_INSERT_ITEM, items)
        replaced = [row[:1] for row in texts if row[0] < first_free]
        self._write_texts([*gone, *replaced], texts)
        return len(items), len(gone)

    def _write_texts(self, gone: list[tuple[Any, ...]], texts: list[tuple[Any, ...]]) -> None:
        many = len(gone) + len(texts) > BULK
        with bulk_text(self.connection) if many else nullcontext():
            self.connection.executemany("DELETE FROM text WHERE seq = ?", gone)
            self.connection.executemany(_INSERT_TEXT, texts)

    def _stamped(self, entry: Entry, before: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """The row with its file's time and size, read again where the index has not seen the file so."""
        row = entry.row
        stat = self.folders.files.get(os.fsencode(entry.item.path), UNSEEN)
        if before is not None and before[1 + DIGEST] == row[DIGEST]:
            known = Stat(before[1 + MTIME], before[1 + SIZE])
            if known == stat:
                return (*row[:MTIME], *known, *row[SIZE + 1 :])
        seen = seen_as_loaded(entry.item.path, entry.item.digest)
        return (*row[:MTIME], *seen, *row[SIZE + 1 :])


def _same_text(before: tuple[Any, ...], row: tuple[Any, ...]) -> bool:
    """Whether an item's searched text is as it was: it depends on the file's bytes and its name."""
    return bool(before[1 + DIGEST] == row[1 + DIGEST] and before[1 + NAME] == row[1 + NAME])
