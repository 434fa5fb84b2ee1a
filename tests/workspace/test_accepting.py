"""Accepting a proposal looks once more at what passed in its session since it was made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.bank.model import Tier
from memtui.curate.proposals import Proposal
from memtui.curate.undo import undo
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.workspace import Workspace


def made_early(core: Workspace) -> Proposal:
    """A proposal whose session had no passing check yet when it was made."""
    found = [entry.proposal for entry in core.upkeep.inbox().waiting]
    late = next(one for one in found if any(record.passed for record in one.records))
    return replace(late, records=tuple(replace(one, passed=None) for one in late.records))


@pytest.mark.parametrize(("kept", "tier"), [(True, Tier.CHECKED), (False, Tier.UNCHECKED)])
def test_a_check_that_passed_since_counts(sample: Sample, kept: bool, tier: Tier) -> None:
    with open_workspace(None, sample.project, sample.environ()) as core:
        core.scan()
        core.load()
        core.upkeep.sleep(apply=True)
        early = made_early(core)
        before = set((sample.bank / "cards").iterdir())
        if not kept:
            session = early.session.partition(":")[2]
            gone = [path for path in sample.home.rglob("*.jsonl") if session in path.name]
            assert gone
            for path in gone:
                Path(path).unlink()
        done = core.upkeep.accept(early)
        card = done.after.view.find(done.result.details["id"])
        assert card is not None
        assert card.trust.tier is tier
        undone = core.curating.act(undo)
        assert undone.after.view.find(done.result.details["id"]) is None
        assert set((sample.bank / "cards").iterdir()) == before
