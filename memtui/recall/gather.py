"""The first half of a search: the union of candidates of one bank, and what fell out of it and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from memtui.recall import lexical
from memtui.recall.bank_vectors import BankVectors, RowMap
from memtui.recall.corpus import Condition, Corpus, eligible, first_unmet
from memtui.recall.eligible import reason
from memtui.recall.lexical import Lists
from memtui.recall.model import Document, Dropped, Settings
from memtui.recall.query import Query

ENOUGH = 3
"""Eligible candidates per wanted result, below which the lists are asked again for eligible ones only."""


@dataclass(slots=True)
class Gathered:
    """The candidates of one bank by document key, with what was measured for them."""

    documents: dict[str, Document] = field(default_factory=dict)
    words: dict[str, float] = field(default_factory=dict)
    trigram: dict[str, float] = field(default_factory=dict)
    dense: dict[str, float] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    coverage: float = 0.0
    dropped: list[Dropped] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)

    def add(self, other: Gathered) -> None:
        """Take in the candidates of another bank."""
        self.documents |= other.documents
        self.words |= other.words
        self.trigram |= other.trigram
        self.dense |= other.dense
        self.near |= other.near
        self.coverage = max(self.coverage, other.coverage)
        self.dropped += other.dropped
        for name, spent in other.timings.items():
            self.timings[name] = self.timings.get(name, 0.0) + spent

    def sources(self, key: str) -> tuple[str, ...]:
        """The lists that proposed this item."""
        lists = {"words": self.words, "trigram": self.trigram, "vectors": self.near}
        return tuple(name for name, keys in lists.items() if key in keys)


@dataclass(frozen=True, slots=True)
class Ask:
    """One search in one bank. `vector` of None is a search without vectors; `shares` are the words of
    the query with the share of the items that hold them.
    """

    query: Query
    conditions: Sequence[Condition]
    settings: Settings
    wanted: int
    lexical: bool
    vector: bytes | None
    shares: Mapping[str, float]
    now: datetime


def gather(corpus: Corpus, vectors: BankVectors, ask: Ask) -> Gathered:
    """All candidates of one bank. Raises CorpusError, VectorIndexError, sqlite3.Error."""
    found = Gathered()
    clock = perf_counter()
    rows = RowMap({}, {}) if ask.vector is None else vectors.map()
    with corpus.reading() as db:
        lists = _lexical(db, ask) if ask.lexical else Lists({}, {})
        if ask.vector is not None:
            found.coverage = lexical.coverage(db, ask.shares, lists)
        found.timings["lexical"] = (perf_counter() - clock) * 1000
        clock = perf_counter()
        near = {} if ask.vector is None else _nearest(db, vectors, rows, ask)
        found.timings["vectors"] = (perf_counter() - clock) * 1000
        clock = perf_counter()
        union = list(dict.fromkeys([*lists.words, *lists.trigram, *near]))
        unmet = first_unmet(db, ask.conditions, union)
        documents = corpus.documents(db, union)
        found.timings["documents"] = (perf_counter() - clock) * 1000
    kept = {seq: documents[seq].key for seq in union if seq in documents and seq not in unmet}
    found.documents = {key: documents[seq] for seq, key in kept.items()}
    found.words = {kept[seq]: score for seq, score in lists.words.items() if seq in kept}
    found.trigram = {kept[seq]: score for seq, score in lists.trigram.items() if seq in kept}
    found.near = frozenset(kept[seq] for seq in near if seq in kept)
    if ask.vector is not None:
        found.dense = _cosines(vectors, rows, ask.vector, kept)
    found.dropped = [
        Dropped(
            documents[seq],
            condition.stage,
            reason(documents[seq], condition, ask.now),
            condition.what,
        )
        for seq, condition in unmet.items()
        if seq in documents
    ]
    return found


def _lexical(db: sqlite3.Connection, ask: Ask) -> Lists:
    """The lists over the whole bank, which also show what fell out; where too few of a full list are
    eligible, those of the eligible items as well.
    """
    limit = ask.settings.candidates
    lists = lexical.candidates(db, ask.query, limit)
    if not lists.cut:
        return lists
    union = list({**lists.words, **lists.trigram})
    if len(eligible(db, ask.conditions, union)) >= min(ENOUGH * ask.wanted, limit):
        return lists
    only = lexical.candidates(db, ask.query, limit, ask.conditions)
    return Lists({**lists.words, **only.words}, {**lists.trigram, **only.trigram})


def _nearest(
    db: sqlite3.Connection, vectors: BankVectors, known: RowMap, ask: Ask
) -> dict[int, float]:
    """The nearest rows; where too few of them are eligible, the nearest of all eligible ones too."""
    if ask.vector is None:
        return {}
    limit = ask.settings.candidates
    neighbours, _ = vectors.nearest(ask.vector, limit)
    near = {seq: n.cosine for n in neighbours for seq in known.rows.get(n.digest, ())}
    enough = min(ENOUGH * ask.wanted, limit)
    if len(neighbours) < limit or len(eligible(db, ask.conditions, list(near))) >= enough:
        return near
    allowed = eligible(db, ask.conditions)
    wanted = {known.digests[seq] for seq in allowed if seq in known.digests}
    cosines = vectors.cosines(ask.vector, wanted)
    best = sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return near | {seq: cosine for digest, cosine in best for seq in known.rows[digest]}


def _cosines(
    vectors: BankVectors, known: RowMap, vector: bytes, kept: Mapping[int, str]
) -> dict[str, float]:
    """The cosine of every kept candidate, also of those that only words proposed."""
    digests = {seq: known.digests[seq] for seq in kept if seq in known.digests}
    cosines = vectors.cosines(vector, digests.values())
    return {kept[seq]: cosines[digest] for seq, digest in digests.items() if digest in cosines}
