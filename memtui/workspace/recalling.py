"""Search in the open bank and its sessions: the one seam that the Recall view and the commands share.

Nothing of the semantic stack is imported before a model is asked for, and the model runs in a process
of its own. Everything but the properties blocks: call it from a worker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.bank.config import ConfigError, derived_bank_id, read_config
from memtui.bank.find import BANKS
from memtui.bank.layout import CONFIG
from memtui.bank.load import BankReader
from memtui.clock import Clock
from memtui.ledger.access import LEDGER_NAME, ledger_faults, open_ledger
from memtui.ledger.model import RetrievalRecord
from memtui.paths import Places
from memtui.recall import retrievals
from memtui.recall.corpus import Bank
from memtui.recall.embed_process import ModelProcess
from memtui.recall.engine import LIMIT, Recall
from memtui.recall.indexes import MakeIndex, folder_index, server_index
from memtui.recall.model import (
    Comparison,
    Explanation,
    Mode,
    Note,
    Pair,
    Results,
    SearchScope,
    SemanticState,
    Settings,
    Similar,
)
from memtui.recall.neighbours import Progress
from memtui.recall.policy import read_policy
from memtui.recall.semantic import Refreshed
from memtui.settings import Semantic as SemanticSettings
from memtui.workspace.semantic import OFF, how_to_switch_on

if TYPE_CHECKING:
    from memtui.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class Searched:
    """A bank that can be searched: its id among them, and where its files lie."""

    bank: Bank
    state: Path
    config: Path


def off_note(settings: SemanticSettings) -> Note | None:
    """Why search by meaning is off and how to switch it on; None when it is not."""
    how = how_to_switch_on(settings)
    if not how:
        return None
    why = "the settings say so" if settings.model == OFF else "it is not installed"
    return Note("semantic", f"semantic search is off: {why}", how)


def home_bank(reader: BankReader, places: Places) -> Searched:
    """The open bank."""
    return _searched(reader.config.id, reader.root, reader.files.config, places)


def other_banks(places: Places, home: Path) -> list[Searched]:
    """The user's own banks of other projects, those that open."""
    found = []
    for config in sorted((places.data / BANKS).glob(f"*/{CONFIG}")):
        root = config.parent.resolve()
        if root == home.resolve():
            continue
        try:
            known = read_config(config, derived_bank_id(root))
        except ConfigError:
            continue  # opening that bank by name says what is wrong with it
        found.append(_searched(known.id, root, config, places))
    return found


def _searched(bank_id: str, root: Path, config: Path, places: Places) -> Searched:
    cache = places.bank_cache(bank_id, root)
    return Searched(Bank(cache.name, cache), places.bank_state(bank_id, root), config)


@dataclass(frozen=True, slots=True)
class Ask:
    """One search: what, where, how. `settings` of None are the bank's own."""

    query: str
    everywhere: bool = False
    branch: str | None = None
    mode: Mode = Mode.AUTO
    limit: int = LIMIT
    settings: Settings | None = None

    @property
    def scope(self) -> SearchScope:
        """Where to look."""
        return SearchScope(branch=self.branch, everywhere=self.everywhere)


class Recalling:
    """The search engine of a workspace, made when first used. Safe from several threads."""

    def __init__(
        self,
        home: Searched,
        others: Callable[[], Sequence[Searched]],
        settings: SemanticSettings,
        clock: Clock,
        behind: Callable[[], str],
    ) -> None:
        """`others` are the user's banks of other projects; `behind` says what the index lacks."""
        self.home = home
        self._others = others
        self._settings = settings
        self._clock = clock
        self._behind = behind
        self._making = threading.Lock()
        self._made: Recall | None = None
        self._logging = threading.Lock()
        self._ledger: Ledger | None = None
        self._process = ModelProcess(settings.model, settings.revision)
        self.last: Ask | None = None

    # How things are, without work

    @property
    def state(self) -> SemanticState:
        """What search by meaning can do now."""
        if off_note(self._settings) is not None:
            return SemanticState.OFF
        return self._made.semantic.state if self._made is not None else SemanticState.COLD

    def note(self) -> Note | None:
        """What search by meaning lacks and how to get it; None when it takes part."""
        off = off_note(self._settings)
        if off is not None:
            return off
        if self._made is None:
            return Note("semantic", "the model is not loaded", "F5 loads it in the background")
        return self._made.semantic.note()

    def policy(self) -> tuple[Settings, tuple[Note, ...]]:
        """The bank's own settings, read from `bank.toml`, with what is wrong with them."""
        return read_policy(self.home.config)

    # Searching

    def search(self, ask: Ask) -> Results:
        """Search cards and pages. Nothing is logged. Never raises for what is typed."""
        settings, notes = self._settings_of(ask)
        self.last = ask if ask.query.strip() else None
        results = self._engine().search(
            ask.query, scope=ask.scope, settings=settings, limit=ask.limit, mode=ask.mode
        )
        if ask.everywhere:
            seen = "other banks are searched as memtui last read them"
            notes = (*notes, Note("scope", seen, "open them to read them again"))
        return self._said(results, notes)

    def compare(self, ask: Ask) -> Comparison:
        """The query under the bank's own settings and under those of `ask`."""
        own, notes = self.policy()
        self.last = ask
        found = self._engine().compare(
            own,
            ask.settings or own,
            ask.query,
            scope=ask.scope,
            limit=ask.limit,
            mode=ask.mode,
        )
        return replace(
            found,
            before=self._said(found.before, notes),
            after=self._said(found.after, notes),
        )

    def explain(self, word: str, ask: Ask) -> Explanation:
        """At which stage an item (handle or name) fell out of a search, or its rank."""
        settings, _ = self._settings_of(ask)
        return self._engine().explain(
            word, ask.query, scope=ask.scope, settings=settings, limit=ask.limit, mode=ask.mode
        )

    def similar(self, word: str, limit: int = 8) -> list[Similar]:
        """The items most like one of them. Raises KeyError, `corpus.CorpusError`."""
        return self._engine().similar(word, limit)

    def duplicates(self, limit: int = 200) -> list[Pair]:
        """Pairs of live items that say nearly the same. Raises `corpus.CorpusError`."""
        return self._engine().duplicates(limit=limit)

    @property
    def engine(self) -> Recall:
        """The engine itself, for the tools that agents call."""
        return self._engine()

    # The model

    def stored(self) -> list[tuple[str, str, int]]:
        """Model, revision and number of the vectors that are stored. Raises sqlite3.Error."""
        models = self._engine().vectors[self.home.bank.key].store.models()
        return sorted((key.model, key.revision, count) for key, count in models.items())

    def warm(self, progress: Progress | None = None) -> Refreshed:
        """Load the model and embed what has no vector yet: seconds to minutes. `progress` cancels."""
        return self._engine().semantic.refresh(progress)

    # The log

    def log(self, results: Results, origin: str = "terminal") -> RetrievalRecord:
        """Keep a search in the ledger. Raises OSError, `access.LedgerError`."""
        record = retrievals.record(results, origin, "", self._clock())
        with self._logged() as ledger:
            ledger.add_retrieval(record)
        return record

    def retrievals(self, limit: int = 1000) -> list[RetrievalRecord]:
        """The newest searches of terminal, hooks and agents, newest first. Raises like `log`."""
        if not (self.home.state / LEDGER_NAME).exists():
            return []
        with self._logged() as ledger:
            return ledger.retrievals(limit)

    def release(self) -> None:
        """Give locks and files back, as a purge needs it; the next search opens them again.

        The model stays.
        """
        with self._making:
            made, self._made = self._made, None
        if made is not None:
            made.close()
        with self._logging:
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None

    def close(self) -> None:
        """End the model's process, and give locks, memory and files back."""
        self._process.close()
        self.release()

    def _engine(self) -> Recall:
        with self._making:
            if self._made is None:
                known = [self.home, *self._others()]
                off = off_note(self._settings)
                self._made = Recall(
                    [searched.bank for searched in known],
                    load=self._process.load if off is None else None,
                    index=self._index(known),
                    clock=self._clock,
                    behind=self._behind,
                    off=off,
                )
            return self._made

    def _index(self, known: Sequence[Searched]) -> MakeIndex | None:
        wanted = self._settings.chroma
        if wanted == OFF:
            return None
        if wanted == "folder":
            return folder_index({searched.bank.key: searched.state for searched in known})
        return server_index(wanted)

    def _settings_of(self, ask: Ask) -> tuple[Settings, tuple[Note, ...]]:
        return self.policy() if ask.settings is None else (ask.settings, ())

    def _said(self, results: Results, notes: Sequence[Note]) -> Results:
        return replace(results, degraded=(*results.degraded, *notes)) if notes else results

    @contextmanager
    def _logged(self) -> Iterator[Ledger]:
        with self._logging, ledger_faults(self.home.state):
            if self._ledger is None:
                self._ledger = open_ledger(self.home.state)
            yield self._ledger
