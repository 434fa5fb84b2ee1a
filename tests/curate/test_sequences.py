"""Random sequences of acts with undo and redo: every file is at each step what the model says."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.bank.model import Layout
from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.curate.undo import can_redo, can_undo
from tests.curate.acting import FORWARD
from tests.curate.bench import Bench
from tests.curate.counts import LIMIT, SEQUENCES
from tests.curate.faults import wrong_with

STEPS = st.lists(st.sampled_from([*range(len(FORWARD)), "undo", "undo", "redo"]), max_size=25)


@pytest.mark.timeout(LIMIT)
@settings(
    max_examples=SEQUENCES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps=STEPS, seed=st.integers(0, 10**6), flat=st.booleans())
def test_random_sequences_are_undone_to_the_byte(
    steps: list[int | str], seed: int, flat: bool
) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), Layout.CLAUDE if flat else Layout.MEMTUI).build()
        curator = bench.curator()
        try:
            _play(bench, steps, rng)
            if not flat:
                assert wrong_with(bench, curator.ledger, set()) == []
        finally:
            bench.close()


def _play(bench: Bench, steps: list[int | str], rng: random.Random) -> None:
    curator = bench.curators[0]
    states, at = [bench.files()], 0
    for step in steps:
        if step == "undo" and at:
            verbs.undo(curator)
            at -= 1
        elif step == "redo" and at + 1 < len(states):
            verbs.redo(curator)
            at += 1
        elif isinstance(step, int):
            try:
                FORWARD[step](bench, curator, rng)
            except (CurateError, IndexError):
                continue
            at += 1
            states[at:] = [bench.files()]
        assert bench.files() == states[at]
        assert (can_undo(curator) is not None) == (at > 0)
        assert (can_redo(curator) is not None) == (at + 1 < len(states))
    while at:
        verbs.undo(curator)
        at -= 1
        assert bench.files() == states[at]
