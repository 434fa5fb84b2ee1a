"""The vectors of one bank, tied to the rows of its index."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtui.recall.corpus import Corpus, Stamp
from memtui.recall.model import Note
from memtui.recall.neighbours import ExactScan, Neighbour, VectorIndex, VectorIndexError
from memtui.recall.vectors import ModelKey, VectorStore, text_digest
from memtui.safety.removal import remove_folder

_EMBEDDED_CHARS = 4000
"""More of a text than any of the small models reads."""


def embedded_text(title: str, body: str) -> str:
    """What of an item is embedded: title and body, nothing that a curation step changes."""
    return f"{title}\n{body}".strip()[:_EMBEDDED_CHARS]


DEAD = 50
"""Vectors of texts that no item holds any more, kept until there are more than a tenth as well."""


@dataclass(frozen=True, slots=True)
class RowMap:
    """Which rows of the index hold which text: rows by digest, and the digest of each row."""

    rows: Mapping[str, tuple[int, ...]]
    digests: Mapping[int, str]


class BankVectors:
    """The vectors of one bank: the store, the exact scan, and an optional faster index.

    The files of both lie in the bank's cache: `vectors.db` and `chroma/`.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.key = corpus.bank.key
        self.store = VectorStore(corpus.bank.cache / "vectors.db")
        self.index: VectorIndex | None = None
        self.scan: ExactScan | None = None
        self._map = _DigestMap(corpus)

    @property
    def chroma_root(self) -> Path:
        """Where Chroma's files of this bank lie."""
        return self.corpus.bank.cache / "chroma"

    def use(self, key: ModelKey, index: VectorIndex | None) -> None:
        """Answer with the vectors of this model from now on."""
        self.scan, self.index = ExactScan(self.store, key), index

    def use_stored(self) -> None:
        """Answer with the vectors that most items have, where no model is loaded: to compare items with
        each other takes none. Nothing changes where there are none. Raises sqlite3.Error.
        """
        if self.scan is not None or not self.store.path.exists():
            return
        if models := self.store.models():
            self.use(max(models, key=lambda key: (models[key], key.model, key.revision)), None)

    def map(self) -> RowMap:
        """Rows and digests of their texts, as of now. Raises CorpusError."""
        return self._map.current()

    def nearest(self, vector: bytes, k: int) -> tuple[list[Neighbour], str]:
        """The `k` nearest, and which index answered. Raises VectorIndexError."""
        if self.scan is None:
            raise VectorIndexError("no model is in use")
        if self.index is not None:
            try:
                return self.index.query(vector, k), self.index.state().backend
            except VectorIndexError:
                # Not current, owned elsewhere or broken (`notes` says which): the scan is exact.
                pass
        with _readable():
            return self.scan.query(vector, k), "exact"

    def cosines(self, vector: bytes, digests: Iterable[str]) -> dict[str, float]:
        """The exact cosine of each of these digests that has a vector. Raises VectorIndexError."""
        if self.scan is None:
            return {}
        with _readable():
            return self.scan.cosines(vector, digests)

    def prune(self, without: Collection[int] = ()) -> int:
        """Forget the vectors that no row holds, as if the rows `without` were gone; bytes included.

        Raises CorpusError, sqlite3.Error, OSError.
        """
        gone = set(without)
        live = {digest for digest, rows in self.map().rows.items() if not gone.issuperset(rows)}
        pruned = self.store.prune(live)
        if pruned and (self.index is None or not self.index.sync()):
            # Whoever owns the files notices and builds them again.
            remove_folder(self.chroma_root)
        return pruned

    def tidy(self) -> int:
        """Forget the vectors of texts that changed, once they are many: each deletion makes Chroma
        build anew. Raises as `prune` does.
        """
        live = self.map().rows
        dead = sum(digest not in live for digest in self.store.digests())
        return self.prune() if dead > max(DEAD, len(live) // 10) else 0

    def notes(self, key: ModelKey | None) -> list[Note]:
        """What is not as it should be: vectors missing or of another model, an index not current."""
        try:
            models, items = self.store.models(), len(self.map().rows)
        except sqlite3.Error as error:
            return [Note("vectors", f"the stored vectors cannot be read ({error})", "see the log")]
        notes: list[Note] = []
        have = 0 if key is None else models.get(key, 0)
        if have < items:
            message = f"bank {self.key}: {items - have} of {items} texts have no vector yet"
            notes.append(Note("vectors", message, "they are embedded in the background"))
        others = {other: count for other, count in models.items() if other != key}
        if others:
            names = ", ".join(sorted(f"{other.model} ({other.revision})" for other in others))
            message = f"{sum(others.values())} vectors of another model take no part: {names}"
            notes.append(
                Note(
                    "models",
                    message,
                    "choose that model in the settings, or delete vectors.db in the cache",
                )
            )
        return notes + self._index_notes()

    def _index_notes(self) -> list[Note]:
        if self.index is None or (state := self.index.state()).current:
            return []
        message = f"{state.backend} does not answer ({state.note}); the exact scan does"
        return [Note("vectors", message, "it is brought up to date in the background")]

    def close(self) -> None:
        """Let go of the index and its lock."""
        if self.index is not None:
            self.index.close()
        if self.scan is not None:
            self.scan.close()


@contextmanager
def _readable() -> Iterator[None]:
    """Errors of the store, which must not be taken for errors of the index that is open meanwhile."""
    try:
        yield
    except sqlite3.Error as error:
        raise VectorIndexError(f"the stored vectors cannot be read: {error}") from error


def bank_texts(corpus: Corpus, rows: Mapping[str, int]) -> dict[str, str]:
    """The texts to embed by digest; rows that changed since are left for the next refresh."""
    with corpus.reading() as db:
        documents = corpus.documents(db, list(rows.values()))
    texts: dict[str, str] = {}
    for digest, row in rows.items():
        document = documents.get(row)
        text = "" if document is None else embedded_text(document.title, document.body)
        if document is not None and text_digest(text) == digest:
            texts[digest] = text
    return texts


class _DigestMap:
    """Rows by the digest of their text. Follows the index; reads again only the items that changed."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lock = threading.Lock()
        self._stamp: Stamp = ()
        self._known: dict[tuple[int, str], str] = {}
        self._map = RowMap({}, {})

    def current(self) -> RowMap:
        """The map as of now. Raises CorpusError."""
        with self._lock:
            stamp = self._corpus.stamp()
            if stamp != self._stamp or not stamp:
                self._read()
                self._stamp = stamp
            return self._map

    def _read(self) -> None:
        with self._corpus.reading() as db:
            items = db.execute("SELECT seq, digest FROM item").fetchall()
            known = {item: self._known[item] for item in items if item in self._known}
            new = [seq for seq, digest in items if (seq, digest) not in known]
            files = dict(items)
            for seq, title, body in _titles_and_bodies(db, new):
                known[seq, files[seq]] = text_digest(embedded_text(title or "", body or ""))
        rows: dict[str, list[int]] = {}
        for (seq, _), digest in known.items():
            rows.setdefault(digest, []).append(seq)
        self._known = known
        self._map = RowMap(
            {digest: tuple(seqs) for digest, seqs in rows.items()},
            {seq: digest for (seq, _), digest in known.items()},
        )


def _titles_and_bodies(
    db: sqlite3.Connection, seqs: Sequence[int]
) -> Iterable[tuple[int, str | None, str | None]]:
    chunk = 500
    for start in range(0, len(seqs), chunk):
        part = seqs[start : start + chunk]
        marks = ",".join("?" * len(part))
        yield from db.execute(f"SELECT seq, title, body FROM text WHERE seq IN ({marks})", part)
