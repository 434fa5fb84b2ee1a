"""From candidate lists to one score per item. Pure: the same lists and settings give the same terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.recall.model import Fusion, Preset, Settings, Term
from memtui.recall.scoring import Parts, generative_agents, min_max, recency, total


@dataclass(frozen=True, slots=True)
class Signals:
    """What was measured for the union of candidates, by document key.

    `words` and `trigram` are BM25 (higher is better) of the items on those lists; `dense` the cosine
    of every item that has a vector, None when vectors take no part. `literal` is the share of the
    query's identifiers that the item holds as typed, `hours` the time since its last use.
    `literalness` is how much of the query is names rather than prose: it scales the trigrams' weight.
    `coverage` is how much of the query the best lexical items hold: it scales the lexical weight,
    because min-max makes the best of a list 1 even where it holds one incidental word.
    """

    words: Mapping[str, float] = field(default_factory=dict)
    trigram: Mapping[str, float] = field(default_factory=dict)
    dense: Mapping[str, float] | None = None
    literal: Mapping[str, float] = field(default_factory=dict)
    hours: Mapping[str, float] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    literalness: float = 1.0
    coverage: float = 1.0

    @property
    def keys(self) -> list[str]:
        """The union of the lists, in a fixed order: words, trigram, vectors."""
        return list(dict.fromkeys([*self.words, *self.trigram, *(self.dense or {})]))


def fuse(signals: Signals, settings: Settings) -> dict[str, tuple[Term, ...]]:
    """The terms of every candidate's score, under the preset and fusion of the settings."""
    if settings.preset is Preset.GENERATIVE_AGENTS:
        return _generative(signals, settings)
    parts = (
        _reciprocal(signals, settings)
        if settings.fusion is Fusion.RRF
        else _scores(signals, settings)
    )
    return {key: (*terms, *_extra(key, signals, settings)) for key, terms in parts.items()}


def ranked(terms: Mapping[str, tuple[Term, ...]]) -> list[tuple[str, float]]:
    """Keys with their score, best first; equal scores in the order of the key."""
    scores = {key: total(parts) for key, parts in terms.items()}
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def list_weights(signals: Signals, settings: Settings) -> dict[str, float]:
    """What each list weighs in a sum of scores. An empty list leaves its weight to the others; an item
    without a vector takes its lexical score in place of the dense one, so that it is not pushed out.
    """
    lexical = 1.0
    weights = {"words": 0.0, "trigram": 0.0, "vectors": 0.0}
    if signals.dense:
        found = bool(signals.words or signals.trigram)
        lexical = (1.0 - settings.dense_weight) * signals.coverage if found else 0.0
        weights["vectors"] = 1.0 - lexical
    if signals.words and signals.trigram:
        share = settings.trigram_weight * signals.literalness
        weights["words"] = lexical * (1.0 - share)
        weights["trigram"] = lexical * share
    elif signals.words or signals.trigram:
        weights["words" if signals.words else "trigram"] = lexical
    return weights


def _lists(signals: Signals) -> dict[str, Mapping[str, float]]:
    return {"words": signals.words, "trigram": signals.trigram, "vectors": signals.dense or {}}


def _scores(signals: Signals, settings: Settings) -> dict[str, tuple[Term, ...]]:
    keys, weights = signals.keys, list_weights(signals, settings)
    # Not to match is the least that a list of words can say; an item without a vector says nothing.
    raws = {
        "words": {key: signals.words.get(key, 0.0) for key in keys},
        "trigram": {key: signals.trigram.get(key, 0.0) for key in keys},
        "vectors": dict(signals.dense or {}),
    }
    normal = {name: min_max(raw) for name, raw in raws.items()}
    lexical = weights["words"] + weights["trigram"]
    for key in keys:
        if key not in normal["vectors"]:
            by_words = sum(weights[name] * normal[name][key] for name in ("words", "trigram"))
            normal["vectors"][key] = by_words / lexical if lexical else 0.0
    return {
        key: tuple(
            Term(name, raws[name].get(key, 0.0), normal[name][key], weight)
            for name, weight in weights.items()
            if weight
        )
        for key in keys
    }


def _reciprocal(signals: Signals, settings: Settings) -> dict[str, tuple[Term, ...]]:
    """Reciprocal ranks, scaled so that the first place on every list scores 1. `raw` is the rank."""
    lists = {name: values for name, values in _lists(signals).items() if values}
    ranks = {
        name: {
            key: place
            for place, key in enumerate(sorted(values, key=lambda k: (-values[k], k)), start=1)
        }
        for name, values in lists.items()
    }
    k = settings.rrf_k
    return {
        key: tuple(
            Term(
                name,
                float(places.get(key, 0)),
                (k + 1) / (k + places[key]) if key in places else 0.0,
                1.0 / len(lists),
            )
            for name, places in ranks.items()
        )
        for key in signals.keys
    }


def _extra(key: str, signals: Signals, settings: Settings) -> list[Term]:
    terms = []
    if signals.literal:
        share = signals.literal.get(key, 0.0)
        terms.append(Term("literal", share, share, settings.literal_weight))
    if settings.recency_weight and key in signals.hours:
        hours = signals.hours[key]
        terms.append(
            Term("recency", hours, recency(hours, settings.decay), settings.recency_weight)
        )
    return terms


def _generative(signals: Signals, settings: Settings) -> dict[str, tuple[Term, ...]]:
    relevance = signals.dense if signals.dense else min_max(signals.words)
    parts = {
        key: Parts(
            recency(signals.hours.get(key, 0.0), settings.decay),
            signals.importance.get(key, 0.0),
            relevance.get(key, 0.0),
        )
        for key in signals.keys
    }
    return generative_agents(parts, settings)
