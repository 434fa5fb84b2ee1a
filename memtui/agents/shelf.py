"""What agents may read of a bank: items that hold now, judged by the injection's own rule.

Rows come from the index; the text of an item always from its file, so that one that a person marked
stale a moment ago is already absent.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui import reasons
from memtui.bank.cards import parse_card
from memtui.bank.evidence import EvidenceError, read_excerpt
from memtui.bank.model import Evidence, Item, Status
from memtui.bank.pages import parse_page
from memtui.index.reader import IndexMissing, Reader
from memtui.inject.model import Candidate, Request, Snapshot
from memtui.inject.plan import judge
from memtui.inject.snapshot import build

MAX_FILE = 1024 * 1024


class AbsentError(LookupError):
    """There is nothing to show: the text says why, in words for an agent."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bank lies. `evidence` are the folders in which excerpts may be."""

    root: Path
    index: Path
    evidence: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that holds: its row, and its file as it is now."""

    candidate: Candidate
    item: Item


class Shelf:
    """Reads items of one bank. Every use opens the index anew, so it may be refreshed in between."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def get(self, word: str, request: Request) -> Shown:
        """The item called by handle or name. Raises AbsentError."""
        with self._reader() as reader:
            seq = _find(reader, word)
            if seq is None:
                raise AbsentError(
                    f"nothing here is called {word[:60]!r}; memory_search finds handles"
                )
            return self._shown(reader, seq, request)

    def holding(self, seqs: Sequence[int], request: Request) -> dict[int, Shown]:
        """Those of the index's rows that hold, by row id. Raises AbsentError without an index."""
        found = {}
        with self._reader() as reader:
            for seq in seqs:
                try:
                    found[seq] = self._shown(reader, seq, request)
                except AbsentError:
                    continue
        return found

    def excerpt(self, cited: Evidence) -> str:
        """The kept excerpt of a citation, or the quote where no excerpt is kept."""
        if not cited.excerpt:
            return cited.quote
        try:
            return read_excerpt(self.place.evidence, cited.excerpt).text
        except EvidenceError:
            return cited.quote

    def _reader(self) -> Reader:
        try:
            return Reader(self.place.index)
        except IndexMissing as error:
            raise AbsentError("the memory has no index yet; opening memtui makes one") from error

    def _shown(self, reader: Reader, seq: int, request: Request) -> Shown:
        row = reader.items([seq]).get(seq)
        if row is None:
            raise AbsentError("the item is gone")
        candidate = Candidate._make(row)
        bank = _any_type(build(reader.head()), candidate)
        reason, _ = judge(candidate, bank, request)
        item = self._read(_path(reader, seq), candidate)
        reason = reason or _reason_in(item)
        if reason:
            raise AbsentError(
                f"{candidate.handle} is not shown: {reasons.MEANING.get(reason, reason)}"
            )
        return Shown(candidate, item)

    def _read(self, path: bytes, candidate: Candidate) -> Item:
        """The item's file. Links that lead out of the bank are not followed."""
        root = os.path.realpath(os.fsencode(self.place.root))
        file = os.path.realpath(root + b"/" + path)
        if not file.startswith(root + b"/"):
            raise AbsentError(f"{candidate.handle} lies outside the memory's folder")
        place = Path(os.fsdecode(file))
        try:
            with place.open("rb") as stream:
                data = stream.read(MAX_FILE)
        except OSError as error:
            raise AbsentError(f"{candidate.handle} is gone") from error
        return (parse_page if candidate.layer == "page" else parse_card)(place, data)


def _find(reader: Reader, word: str) -> int | None:
    for column in ("handle", "name"):
        sql = f"SELECT seq FROM item WHERE {column} = ? ORDER BY seq LIMIT 1"
        row = reader.connection.execute(sql, (word.encode("utf-8", "replace").decode(),)).fetchone()
        if row:
            return int(row[0])
    return None


def _path(reader: Reader, seq: int) -> bytes:
    (path,) = reader.connection.execute("SELECT path FROM item WHERE seq = ?", (seq,)).fetchone()
    return bytes(path)


def _any_type(bank: Snapshot, candidate: Candidate) -> Snapshot:
    """The bank with a policy that lets the item's type through: types are a matter of injection only."""
    return bank._replace(policy=bank.policy._replace(types=(candidate.type,)))


def _reason_in(item: Item) -> str:
    """What the file itself says against showing it, which the index may not know yet."""
    if item.conflict:
        return reasons.CONFLICT
    if item.status is Status.ACTIVE:
        return ""
    return reasons.STALE if item.status is Status.STALE else reasons.RETIRED
