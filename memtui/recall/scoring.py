"""Scores as small pure functions: each keeps its terms, and the terms add up to the score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.recall.model import MAX_RECENCY, Document, Settings, Term
from memtui.recall.query import tokens

DECAY = 0.995
"""What is left of recency after one hour without use."""


def recency(hours: float, decay: float = DECAY) -> float:
    """`decay ** hours`, in 0..1. Times in the future count as now."""
    return math.pow(min(max(decay, 0.0), 1.0), max(hours, 0.0))


def hours_since(moment: datetime | None, now: datetime) -> float:
    """Hours from `moment` to `now`; infinitely many when the moment is not known."""
    return math.inf if moment is None else (now - moment).total_seconds() / 3600.0


def min_max(values: Mapping[str, float]) -> dict[str, float]:
    """Values moved to 0..1. All equal: 1 each when positive, else 0, so that nothing divides by 0."""
    if not values:
        return {}
    low, high = min(values.values()), max(values.values())
    if high - low <= 1e-12:
        return dict.fromkeys(values, 1.0 if high > 0 else 0.0)
    return {key: (value - low) / (high - low) for key, value in values.items()}


def bag_of_words_cosine(left: str, right: str) -> float:
    """Cosine of the token counts of two texts, 0 when either has none."""
    a, b = Counter(tokens(left)), Counter(tokens(right))
    product = sum(count * b[token] for token, count in a.items())
    norms = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return product / norms if norms else 0.0


@dataclass(frozen=True, slots=True)
class Parts:
    """The three raw parts of the Generative Agents formula for one item."""

    recency: float
    importance: float
    relevance: float


def generative_agents(
    parts: Mapping[str, Parts], settings: Settings
) -> dict[str, tuple[Term, ...]]:
    """Recency + importance + relevance with the settings' weights (1 each in the original).

    With `settings.normalise` each part is min-max normalised over the items, as in the paper.
    """
    columns = {
        "recency": ({key: part.recency for key, part in parts.items()}, settings.recency),
        "importance": ({key: part.importance for key, part in parts.items()}, settings.importance),
        "relevance": ({key: part.relevance for key, part in parts.items()}, settings.relevance),
    }
    normal = {
        name: min_max(raw) if settings.normalise else raw for name, (raw, _) in columns.items()
    }
    return {
        key: tuple(
            Term(name, raw[key], normal[name][key], weight)
            for name, (raw, weight) in columns.items()
        )
        for key in parts
    }


def start_terms(document: Document, settings: Settings, now: datetime) -> tuple[Term, ...]:
    """Rank without a query: importance, trust and recency, each already in 0..1."""
    fresh = recency(hours_since(document.used or document.created, now), settings.decay)
    return (
        Term("importance", document.importance, document.importance, settings.importance),
        Term("trust", document.trust, document.trust, settings.trust),
        Term("recency", fresh, fresh, settings.recency),
    )


def total(terms: Sequence[Term]) -> float:
    """The score: the sum of the terms."""
    return math.fsum(term.value for term in terms)


def clamp(settings: Settings) -> Settings:
    """Settings inside their ranges: weights >= 0, shares in 0..1, recency beside a query at most 0.1."""
    return replace(
        settings,
        dense_weight=min(max(settings.dense_weight, 0.0), 1.0),
        trigram_weight=min(max(settings.trigram_weight, 0.0), 1.0),
        literal_weight=max(settings.literal_weight, 0.0),
        recency_weight=min(max(settings.recency_weight, 0.0), MAX_RECENCY),
        rrf_k=max(settings.rrf_k, 1),
        decay=min(max(settings.decay, 0.0), 1.0),
        importance=max(settings.importance, 0.0),
        trust=max(settings.trust, 0.0),
        recency=max(settings.recency, 0.0),
        relevance=max(settings.relevance, 0.0),
        common_share=min(max(settings.common_share, 0.0), 1.0),
        candidates=min(max(settings.candidates, 1), 5000),
        budget=None if settings.budget is None else max(settings.budget, 0),
    )
