"""Search over all projects: cards and pages of every bank by words, and the turns of every session."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.bank.marks import read_marks
from memtui.recall.corpus import Bank
from memtui.recall.engine import Recall
from memtui.recall.model import Hit, Mode, Note, SearchScope
from memtui.workspace.finding import FoundTurn
from memtui.workspace.known_banks import KnownBank, KnownBanks

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

CARDS = 30
TURNS = 50


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card or page of any bank: `bank` is its folder, `project` what the bank is called."""

    hit: Hit
    bank: Path
    project: str


@dataclass(frozen=True, slots=True)
class Anywhere:
    """The answer to one search. `folders` names each turn's project folder, by session row id.

    `searched` are the banks that took part: memtui has read them at least once.
    """

    query: str
    cards: tuple[FoundCard, ...] = ()
    turns: tuple[FoundTurn, ...] = ()
    folders: Mapping[int, str] | None = None
    notes: tuple[Note, ...] = ()
    searched: frozenset[Path] = frozenset()


class Everywhere:
    """Searches all banks as memtui last read them. Safe from several threads; blocks."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._made: tuple[Recall, dict[str, KnownBank]] | None = None
        self._hidden: frozenset[str] = frozenset()

    def search(self, query: str) -> Anywhere:
        """Cards and pages, then turns, best first. Never raises for what is typed."""
        if not query.strip():
            return Anywhere(query)
        notes: list[Note] = []
        with self._lock:
            if self._made is None:
                self._make()
            cards = self._cards(query, notes)
            banks = self._made[1].values() if self._made is not None else ()
        found = self._workspace.finding.search(query, None, self._hidden, TURNS)
        turns, folders = found.turns, self._folders(found.turns)
        searched = frozenset(bank.root for bank in banks)
        return Anywhere(query, cards, turns, folders, (*notes, *found.degraded), searched)

    def _make(self) -> None:
        where = self._workspace.setting.places
        banks: dict[str, KnownBank] = {}
        hidden = set(self._workspace.hidden)
        for bank in KnownBanks(where).everything:
            state = bank.state(where)
            if bank.config is None or state is None:
                continue
            hidden |= read_marks(state).hidden
            cache = where.bank_cache(bank.config.id, bank.root)
            if Bank(cache.name, cache).index.exists():
                banks[cache.name] = bank
        self._hidden = frozenset(hidden)
        if banks:
            known = [Bank(key, where.cache / key) for key in banks]
            engine = Recall(known, load=None, clock=self._workspace.clock)
            self._made = engine, banks

    def _cards(self, query: str, notes: list[Note]) -> tuple[FoundCard, ...]:
        if self._made is None:
            return ()
        engine, banks = self._made
        scope = SearchScope(everywhere=True)
        results = engine.search(query, scope=scope, limit=CARDS, mode=Mode.LEXICAL)
        notes += results.degraded
        found = []
        for hit in results.hits:
            bank = banks[hit.document.bank]
            name = bank.config.project if bank.config is not None else ""
            found.append(FoundCard(hit, bank.root, name or bank.root.name))
        return tuple(found)

    def _folders(self, turns: tuple[FoundTurn, ...]) -> dict[int, str]:
        wanted = sorted({turn.session for turn in turns})
        if not wanted:
            return {}
        marks = ", ".join("?" * len(wanted))
        try:
            with closing(self._workspace.catalogue.reader()) as db:
                sql = f"SELECT id, project FROM sessions WHERE id IN ({marks})"
                return dict(db.execute(sql, wanted).fetchall())
        except sqlite3.Error:
            return {}  # the search itself has said that the catalogue cannot be read

    def close(self) -> None:
        """Give files back."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            made[0].close()
