"""What says nearly the same: neighbours of an item, of a draft, and pairs within a bank.

By cosine of the vectors where there are some, else by the cosine of the words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Protocol

from memtui.recall import lexical
from memtui.recall.bank_vectors import BankVectors, embedded_text
from memtui.recall.corpus import Condition, Corpus, eligible
from memtui.recall.embed import EmbedderError
from memtui.recall.model import Document, Pair, Similar, Stage
from memtui.recall.neighbours import VectorIndexError
from memtui.recall.query import Query, words_of
from memtui.recall.scoring import bag_of_words_cosine
from memtui.recall.semantic import Semantic

RELATED = 0.45
"""From here on two texts are about the same thing: update the old one, or write a new one?"""
SAME = 0.9
"""From here on they say the same: nothing new."""

WIDE = 50
"""Candidates that are compared word by word."""

_LIVE = Condition(Stage.STATUS, "stale means absent", "i.live = 1")


class Engine(Protocol):
    """What of the engine is needed here."""

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        """The banks; the first is at home."""
        ...

    @property
    def vectors(self) -> Mapping[str, BankVectors]:
        """The vectors by bank key."""
        ...

    @property
    def semantic(self) -> Semantic:
        """Semantic search."""
        ...


def similar(engine: Engine, word: str, limit: int) -> list[Similar]:
    """Live neighbours of an item at home, by handle or name. Raises KeyError, CorpusError."""
    corpus = engine.corpora[0]
    with corpus.reading() as db:
        row = corpus.find(db, word)
        if row is None:
            raise KeyError(word)
        document = corpus.documents(db, [row])[row]
    vectors = engine.vectors[corpus.bank.key]
    blob = _stored(vectors, row)
    return _alike(corpus, vectors, document.title, document.body, blob, limit, {row})


def nearest(engine: Engine, title: str, body: str, limit: int) -> list[Similar]:
    """Live items at home like a text that is not there yet. Raises CorpusError."""
    corpus = engine.corpora[0]
    try:
        blob = engine.semantic.query_vector(embedded_text(title, body))
    except EmbedderError:
        # Comparing words is the answer without a model; the state of the model is shown elsewhere.
        blob = None
    return _alike(corpus, engine.vectors[corpus.bank.key], title, body, blob, limit, set())


def duplicates(engine: Engine, threshold: float, limit: int) -> list[Pair]:
    """Pairs of live items at home from `threshold` on, most alike first. Raises CorpusError.

    With vectors all pairs are compared (10,000 items: some seconds); without, each item with those
    that share its words. For a worker.
    """
    corpus = engine.corpora[0]
    vectors = engine.vectors[corpus.bank.key]
    with corpus.reading() as db:
        live = sorted(eligible(db, [_LIVE]))
    try:
        vectors.use_stored()
        scores, measure = _vector_pairs(vectors, live, threshold), "cosine"
    except (sqlite3.Error, VectorIndexError):
        scores, measure = {}, "words"
    if not scores:
        scores, measure = _word_pairs(corpus, live, threshold), "words"
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    with corpus.reading() as db:
        documents = corpus.documents(db, sorted({row for pair, _ in best for row in pair}))
    return [
        Pair(documents[a], documents[b], score, measure, score >= SAME)
        for (a, b), score in best
        if a in documents and b in documents
    ]


def _alike(
    corpus: Corpus,
    vectors: BankVectors,
    title: str,
    body: str,
    blob: bytes | None,
    limit: int,
    without: set[int],
) -> list[Similar]:
    scores = {} if blob is None else _by_vector(vectors, blob)
    measure = "cosine" if scores else "words"
    with corpus.reading() as db:
        if not scores:
            scores = _by_words(db, corpus, f"{title}\n{body}")
        live = eligible(db, [_LIVE], list(scores))
        found = corpus.documents(db, [row for row in scores if row in live and row not in without])
    best = [
        Similar(document, scores[row], scores[row] >= SAME, measure)
        for row, document in found.items()
        if scores[row] >= RELATED
    ]
    return sorted(best, key=lambda item: (-item.similarity, item.document.key))[:limit]


def _stored(vectors: BankVectors, row: int) -> bytes | None:
    """The vector of a row, of the model in use or else of the one that was; None compares words."""
    try:
        vectors.use_stored()
        digest = vectors.map().digests.get(row, "")
        return vectors.scan.vector(digest) if vectors.scan is not None else None
    except (sqlite3.Error, VectorIndexError):
        # What is wrong with the vectors, a search says in its notes.
        return None


def _by_vector(vectors: BankVectors, blob: bytes) -> dict[int, float]:
    rows = vectors.map().rows
    try:
        neighbours, _ = vectors.nearest(blob, WIDE)
    except VectorIndexError:
        # Without usable vectors the words are compared.
        return {}
    return {row: n.cosine for n in neighbours for row in rows.get(n.digest, ())}


def _by_words(db: sqlite3.Connection, corpus: Corpus, text: str) -> dict[int, float]:
    query = Query(raw="", words=words_of(text))
    rows = list(lexical.candidates(db, query, WIDE).words)
    return {
        row: bag_of_words_cosine(text, _text(document))
        for row, document in corpus.documents(db, rows).items()
    }


def _vector_pairs(
    vectors: BankVectors, live: Iterable[int], threshold: float
) -> dict[tuple[int, int], float]:
    if vectors.scan is None:
        return {}
    known, wanted = vectors.map(), set(live)
    digests = {known.digests[row] for row in wanted if row in known.digests}
    pairs: dict[tuple[int, int], float] = {}
    for (left, right), score in vectors.scan.pairs(digests, threshold).items():
        for a in known.rows[left]:
            pairs |= {(min(a, b), max(a, b)): score for b in known.rows[right]}
    for digest in digests:
        # Items with the very same text share one vector.
        rows = known.rows[digest]
        pairs |= {(a, b): 1.0 for at, a in enumerate(rows) for b in rows[at + 1 :]}
    return {pair: score for pair, score in pairs.items() if wanted.issuperset(pair)}


def _word_pairs(
    corpus: Corpus, live: Iterable[int], threshold: float
) -> dict[tuple[int, int], float]:
    pairs: dict[tuple[int, int], float] = {}
    wanted = set(live)
    with corpus.reading() as db:
        for row in sorted(wanted):
            document = corpus.documents(db, [row])[row]
            for other, score in _by_words(db, corpus, _text(document)).items():
                if other != row and other in wanted and score >= threshold:
                    pairs[min(row, other), max(row, other)] = score
    return pairs


def _text(document: Document) -> str:
    return f"{document.title}\n{document.body}"
