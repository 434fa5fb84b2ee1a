"""Ranking without words: what a session would start with, of the items that meet the filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nlargest

from memtui.recall.corpus import EPOCH, Condition, Corpus, where
from memtui.recall.model import Settings
from memtui.recall.scored import Ranked
from memtui.recall.scoring import hours_since, recency, start_terms, total

KEPT = 500
"""Items of a bank that are read in full and can be shown or explained; more cost more than they tell."""


@dataclass(frozen=True, slots=True)
class _Light:
    seq: int
    score: float


def ranked(
    corpus: Corpus, conditions: Sequence[Condition], settings: Settings, now: datetime
) -> list[Ranked]:
    """The best items with score and terms, best first. Raises CorpusError."""
    sql, values = where(conditions)
    with corpus.reading() as db:
        rows = db.execute(
            f"SELECT i.seq, i.importance, i.score, i.used_day FROM item i WHERE {sql}", values
        )
        light = [
            _Light(seq, _score(importance, trust, used, settings, now))
            for seq, importance, trust, used in rows
        ]
        best = nlargest(KEPT, light, key=lambda entry: (entry.score, -entry.seq))
        documents = corpus.documents(db, [entry.seq for entry in best])
    scored = [(document, start_terms(document, settings, now)) for document in documents.values()]
    found = [Ranked(document, total(terms), terms, ("start",)) for document, terms in scored]
    return sorted(found, key=lambda entry: (-entry.score, entry.document.key))


def _score(importance: float, trust: float, used: int, settings: Settings, now: datetime) -> float:
    hours = hours_since(EPOCH + timedelta(days=used) if used else None, now)
    fresh = recency(hours, settings.decay)
    return settings.importance * importance + settings.trust * trust + settings.recency * fresh
