"""Semantic search as a service: loads the model in a worker, keeps vectors up to date, never waits.

A search asks `ready` and goes on without it. All slow work (loading, embedding, building Chroma)
happens in `refresh`, which a worker calls, or which `start` runs in a thread of its own.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from memtui.recall.bank_vectors import BankVectors, bank_texts
from memtui.recall.corpus import CorpusError
from memtui.recall.embed import Embedder, EmbedderError, load_embedder
from memtui.recall.model import Note, SemanticState
from memtui.recall.neighbours import Progress, VectorIndex, VectorIndexError
from memtui.recall.vectors import ModelKey

BATCH = 8
"""Texts per call of the model, at about 10 ms a text: what a query waits for at most."""

_CACHED_QUERIES = 256


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What one refresh did. `pruned` vectors belonged to no item any more."""

    embedded: int = 0
    kept: int = 0
    pruned: int = 0
    cancelled: bool = False


class Semantic:
    """The state of semantic search over some banks, and the work that makes it ready."""

    def __init__(
        self,
        banks: Sequence[BankVectors],
        load: Callable[[], Embedder] | None = load_embedder,
        index: Callable[[BankVectors, ModelKey], VectorIndex | None] | None = None,
        off: Note | None = None,
    ) -> None:
        """`load` of None switches semantic search off, and `off` says why; `index` makes the faster
        index of a bank.
        """
        self.banks = tuple(banks)
        self._load = load
        self._make_index = index
        self._embedder: Embedder | None = None
        self._state = SemanticState.OFF if load is None else SemanticState.COLD
        self._failure = off or Note(
            "semantic", "semantic search is switched off", "set a model in settings"
        )
        self._working = threading.Lock()
        self._model = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._queries: OrderedDict[str, bytes] = OrderedDict()
        self._problems: dict[str, Note] = {}

    @property
    def state(self) -> SemanticState:
        """Whether queries can be embedded at this moment."""
        return self._state

    @property
    def key(self) -> ModelKey | None:
        """The model in use, once it is loaded."""
        embedder = self._embedder
        return None if embedder is None else ModelKey(embedder.model, embedder.revision)

    def note(self) -> Note | None:
        """What is missing and how to get it; None when ready."""
        if self._state is SemanticState.READY:
            return None
        if self._state is SemanticState.COLD:
            return Note("semantic", "the model is not loaded", "it loads in the background")
        if self._state is SemanticState.LOADING:
            return Note("semantic", "the model is being loaded", "results follow in some seconds")
        return self._failure

    def start(self, progress: Progress | None = None) -> None:
        """Load and refresh in a daemon thread; nothing when one is running."""
        if self._load is None or (self._thread is not None and self._thread.is_alive()):
            return
        self._stop.clear()
        self._thread = threading.Thread(
            target=self._run, args=(progress,), name="memtui-semantic", daemon=True
        )
        self._thread.start()

    def _run(self, progress: Progress | None) -> None:
        try:
            self.refresh(progress)
        except Exception as error:  # noqa: BLE001 - a thread's traceback would be drawn over the screen
            self._failure = Note(
                "semantic", f"semantic search stopped: {error!r}", "start it again"
            )
            self._state = SemanticState.FAILED

    def close(self, seconds: float = 10.0) -> None:
        """Stop the work after its present batch, and let go of indexes and locks."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)
        # A refresh that still runs would take the locks again.
        with self._working:
            for bank in self.banks:
                bank.close()

    def load(self) -> bool:
        """Load the model if it is not. False when that is not possible: `note` says why."""
        with self._working:
            return self._loaded()

    def refresh(self, progress: Progress | None = None) -> Refreshed:
        """Load the model, embed what has no vector, prune what is gone, bring the indexes up to date.

        Blocking: for a worker. `progress` gets (done, of) texts after each batch and cancels by False;
        what is embedded by then is kept.
        """

        def going_on(done: int, of: int) -> bool:
            return (progress is None or progress(done, of)) and not self._stop.is_set()

        with self._working:
            if not self._loaded():
                return Refreshed()
            total = Refreshed()
            for bank in self.banks:
                total = _sum(total, self._try_bank(bank, going_on))
                if total.cancelled:
                    break
            return total

    def query_vector(self, text: str, patience: float = 0.15) -> bytes | None:
        """The vector of a query. None when the model is not ready, or busy for all of `patience`
        seconds. Raises EmbedderError.
        """
        cached = self._queries.get(text)
        embedder = self._embedder
        if cached is not None or embedder is None:
            return cached
        if not self._model.acquire(timeout=patience):
            return None
        try:
            vector = embedder.embed([text])[0]
            self._queries[text] = vector
            while len(self._queries) > _CACHED_QUERIES:
                self._queries.popitem(last=False)
        finally:
            self._model.release()
        return vector

    def notes(self) -> list[Note]:
        """What is not as it should be about vectors: missing, of several models, index not current."""
        key = self.key
        own = self.note()
        notes = [*([own] if own else []), *self._problems.values()]
        for bank in self.banks if key is not None else ():
            notes += bank.notes(key)
        return notes

    def prune(self, bank: str, without: Collection[int] = ()) -> int:
        """Forget every vector that no item of this bank holds, as if the rows `without` were gone.

        Deletes the bytes in `vectors.db` and in the files of the index. For purges; needs no model.
        Returns how many went. Raises CorpusError, sqlite3.Error, OSError.
        """
        return sum(vectors.prune(without) for vectors in self.banks if vectors.key == bank)

    def _loaded(self) -> bool:
        if self._embedder is not None:
            return True
        if self._load is None:
            return False
        self._state = SemanticState.LOADING
        try:
            embedder = self._load()
        except EmbedderError as error:
            self._failure = Note("semantic", str(error), error.fix)
            self._state = SemanticState.FAILED
            return False
        key = ModelKey(embedder.model, embedder.revision)
        for bank in self.banks:
            bank.use(key, None if self._make_index is None else self._make_index(bank, key))
        self._embedder = embedder
        self._state = SemanticState.READY
        return True

    def _try_bank(self, bank: BankVectors, progress: Progress) -> Refreshed:
        try:
            done = self._refresh_bank(bank, progress)
        except CorpusError as error:
            self._problems[bank.key] = error.note
        except (EmbedderError, VectorIndexError, sqlite3.Error, OSError) as error:
            message = f"bank {bank.key}: vectors were not brought up to date ({error})"
            self._problems[bank.key] = Note(
                "vectors", message, "it is tried again at the next refresh"
            )
        else:
            self._problems.pop(bank.key, None)
            return done
        return Refreshed()

    def _refresh_bank(self, bank: BankVectors, progress: Progress) -> Refreshed:
        key = self.key
        if key is None:
            return Refreshed()
        rows = bank.map().rows
        missing = sorted(set(rows) - bank.store.present(key))
        embedded = self._embed_missing(bank, key, missing, rows, progress)
        cancelled = embedded < len(missing)
        # What was purged while it was embedded must not be kept by its vector.
        if gone := set(missing[:embedded]).difference(bank.map().rows):
            bank.store.forget(gone)
        pruned = 0 if cancelled else bank.tidy()
        if bank.index is not None and not cancelled:
            bank.index.sync(progress)
        return Refreshed(embedded, len(rows) - len(missing), pruned, cancelled)

    def _embed_missing(
        self,
        bank: BankVectors,
        key: ModelKey,
        missing: Sequence[str],
        rows: Mapping[str, tuple[int, ...]],
        progress: Progress,
    ) -> int:
        embedder = self._embedder
        done = 0
        for start in range(0, len(missing), BATCH):
            if embedder is None:
                break
            texts = bank_texts(bank.corpus, {d: rows[d][0] for d in missing[start : start + BATCH]})
            with self._model:
                blobs = embedder.embed(list(texts.values()))
            bank.store.add(key, dict(zip(texts, blobs, strict=True)))
            done = min(start + BATCH, len(missing))
            if not progress(done, len(missing)):
                break
        return done


def _sum(left: Refreshed, right: Refreshed) -> Refreshed:
    return Refreshed(
        left.embedded + right.embedded,
        left.kept + right.kept,
        left.pruned + right.pruned,
        left.cancelled or right.cancelled,
    )
