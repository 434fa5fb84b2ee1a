"""The formulas: reference values, terms that add up, and what fusion must never do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.recall.fusion import Signals, fuse, ranked
from memtui.recall.model import Fusion, Preset, Settings
from memtui.recall.scoring import (
    Parts,
    bag_of_words_cosine,
    clamp,
    generative_agents,
    min_max,
    recency,
    total,
)


def test_the_generative_agents_reference() -> None:
    query = "which test framework does the user want?"
    cards = {
        "unittest": ("user prefers unittest for the test suite now, not pytest", 0.7, 48.0),
        "runner": ("the CI runner migrated to arm64 in June", 0.5, 1.0),
    }
    parts = {
        key: Parts(recency(72.0 - used), importance, bag_of_words_cosine(query, text))
        for key, (text, importance, used) in cards.items()
    }
    settings = Settings(preset=Preset.GENERATIVE_AGENTS, normalise=False)
    scores = {key: total(terms) for key, terms in generative_agents(parts, settings).items()}
    assert scores["unittest"] == pytest.approx(1.945, abs=5e-4)
    assert scores["runner"] == pytest.approx(1.334, abs=5e-4)


def test_generative_agents_parts_lie_in_0_to_1_when_normalised() -> None:
    parts = {"a": Parts(0.2, 0.9, 0.4), "b": Parts(0.7, 0.1, 0.9), "c": Parts(0.5, 0.5, 0.5)}
    found = generative_agents(parts, Settings(preset=Preset.GENERATIVE_AGENTS))
    values = [term.normalised for terms in found.values() for term in terms]
    assert min(values) == 0.0
    assert max(values) == 1.0


weights = st.floats(0, 1)
scores = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 50), max_size=8)


@given(
    words=scores,
    trigram=scores,
    dense=st.none() | st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1), max_size=8),
    dense_weight=weights,
    trigram_weight=weights,
    fusion=st.sampled_from(Fusion),
    preset=st.sampled_from(Preset),
)
def test_terms_are_whole_and_finite(
    words: dict[str, float],
    trigram: dict[str, float],
    dense: dict[str, float] | None,
    dense_weight: float,
    trigram_weight: float,
    fusion: Fusion,
    preset: Preset,
) -> None:
    settings = Settings(
        preset=preset, fusion=fusion, dense_weight=dense_weight, trigram_weight=trigram_weight
    )
    signals = Signals(words, trigram, dense, hours=dict.fromkeys("abcdefgh", 5.0))
    found = fuse(signals, settings)
    assert set(found) == set(words) | set(trigram) | set(dense or {})
    for key, score in ranked(found):
        assert math.isfinite(score)
        assert score == pytest.approx(math.fsum(term.value for term in found[key]))
        assert len({term.name for term in found[key]}) == len(found[key])


def test_a_literal_hit_needs_no_semantic_hit() -> None:
    signals = Signals({"code": 9.0}, {"code": 12.0}, {"other": 0.9}, {"code": 1.0, "other": 0.0})
    order = [key for key, _ in ranked(fuse(signals, Settings()))]
    assert order == ["code", "other"]


def test_recency_beside_a_query_is_a_tie_break() -> None:
    signals = Signals({"old": 10.0, "new": 7.0}, hours={"old": 24 * 3650.0, "new": 0.0})
    settings = clamp(Settings(recency_weight=5.0, dense_weight=0.0))
    assert settings.recency_weight == 0.1
    assert [key for key, _ in ranked(fuse(signals, settings))] == ["old", "new"]
    equal = Signals({"old": 10.0, "new": 10.0}, hours={"old": 24 * 3650.0, "new": 0.0})
    assert [key for key, _ in ranked(fuse(equal, settings))] == ["new", "old"]


def test_incidental_words_leave_the_weight_to_the_vectors() -> None:
    lists = {"words": {"chance": 4.0, "right": 1.0}, "dense": {"chance": 0.1, "right": 0.7}}
    settings = Settings(recency_weight=0.0)
    weak = fuse(Signals(lists["words"], {}, lists["dense"], coverage=0.2), settings)
    strong = fuse(Signals(lists["words"], {}, lists["dense"], coverage=1.0), settings)
    assert ranked(weak)[0][0] == "right"
    assert ranked(strong)[0][0] == "chance"
    assert sum(term.weight for term in weak["right"]) == pytest.approx(1.0)


def test_an_item_without_a_vector_is_not_pushed_out() -> None:
    signals = Signals({"fresh": 10.0, "old": 4.0}, {}, {"old": 0.8, "far": 0.1})
    assert ranked(fuse(signals, Settings()))[0][0] == "fresh"


def test_reciprocal_ranks() -> None:
    signals = Signals({"a": 3.0, "b": 2.0}, {}, {"b": 0.9, "c": 0.8})
    found = fuse(signals, Settings(fusion=Fusion.RRF, recency_weight=0.0))
    assert [key for key, _ in ranked(found)] == ["b", "a", "c"]
    assert total(found["a"]) == pytest.approx(0.5)


@given(st.dictionaries(st.text(), st.floats(-1e6, 1e6)))
def test_min_max_stays_in_range(values: dict[str, float]) -> None:
    assert all(0.0 <= value <= 1.0 for value in min_max(values).values())


def test_clamp_takes_any_numbers() -> None:
    settings = clamp(Settings(dense_weight=7, decay=-1, candidates=-5, budget=-1, rrf_k=0))
    assert (settings.dense_weight, settings.decay, settings.candidates) == (1.0, 0.0, 1)
    assert (settings.budget, settings.rrf_k) == (0, 1)


def test_settings_round_trip() -> None:
    settings = Settings(fusion=Fusion.RRF, dense_weight=0.3, budget=400)
    assert Settings.from_dict({**settings.to_dict(), "unknown": 1}) == settings
