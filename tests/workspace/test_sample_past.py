"""The demo's past injections: in the ledger, told as what they are."""

from __future__ import annotations

import json
import shutil

from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.sample_past import RECEIVED, load_past


def test_the_demo_has_a_past(sample: Sample) -> None:
    files = sorted(sample.injections.glob("*.json"))
    assert load_past(sample) == len(files) == 7
    assert load_past(sample) == 7
    with open_workspace(bank=None, cwd=sample.project, environ=sample.environ()) as core:
        core.scan()
        view = core.load()
        core.agents.settle()
        sent = core.agents.all_deliveries(30)
        assert [one.detail for one in sent] == [RECEIVED] * 7
        wanted = {json.loads(path.read_bytes())["session"] for path in files}
        assert {one.injection.session for one in sent} == wanted
        past = core.agents.past(view.by_name["order-pool-size-required"].item.id)
        assert [one.decision.rank for one in past if one.decision] == [1, 1, 1, 3, 1, 1]
        assert [note for note in core.status() if note.level != "info"] == []


def test_a_copy_without_a_past_has_none(sample: Sample) -> None:
    shutil.rmtree(sample.injections)
    assert load_past(sample) == 0
