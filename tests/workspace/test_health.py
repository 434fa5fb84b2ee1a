"""What the linter is told of an open bank besides its text."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.ledger.model import RetrievalRecord
from memtui.workspace.health import Health, examine, gather
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import SAMPLE_NOW, Sample
from memtui.workspace.workspace import Workspace


def look(core: Workspace) -> Health:
    view = core.load()
    return examine(core.curating.ask(lambda curator: gather(curator, view, core.project_root)))


def rules(health: Health) -> set[str]:
    return {finding.rule for finding in health.findings}


def test_drift_evidence_instructions_and_queries_are_known(sample: Sample) -> None:
    (sample.project / "CLAUDE.md").write_text("The service listens on port 9000 always.\n")
    with open_workspace(None, sample.project, sample.environ()) as core:
        core.scan()
        for number in range(2):
            at = SAMPLE_NOW + timedelta(seconds=number)
            record = RetrievalRecord(f"r{number}", at, "terminal", "", "deploy on mars", "lexical")
            core.curating.ask(lambda curator, one=record: curator.ledger.add_retrieval(one))  # type: ignore[misc]
        health = look(core)
    assert {
        "stale/drifted",
        "stale/expired",
        "orphan/changed",
        "gap/query",
        "gap/cluster",
    } <= rules(health)
    assert any("deploy on mars" in finding.message for finding in health.findings)
    assert [finding.severity for finding in health.findings[:3]] == ["error"] * 3
    assert health.notes == ()


def test_a_card_is_compared_with_the_file_that_it_names(sample: Sample) -> None:
    (sample.project / "compose.yaml").write_text("ports:\n  order_port: 8417\n")
    text = "---\nname: compose-port\ntype: environment\n---\n\nUse when: composing.\n\n"
    said = "`compose.yaml` has `order_port: 8418`.\n"
    (sample.bank / "cards" / "compose-port.md").write_text(text + said)
    outside = text.replace("compose-port", "passwords") + "`../compose.yaml` has order_port: 1.\n"
    (sample.bank / "cards" / "passwords.md").write_text(outside)
    with open_workspace(None, sample.project, sample.environ()) as core:
        health = look(core)
    (found,) = (one for one in health.findings if one.rule == "contradiction/file")
    assert found.message == "order_port is 8418 here and 8417 in compose.yaml:2"


def test_it_tells_how_far_it_is_and_can_be_stopped(sample: Sample) -> None:
    with open_workspace(None, sample.project, sample.environ()) as core:
        view = core.load()
        gathered = core.curating.ask(lambda curator: gather(curator, view, None))
    told: list[tuple[int, int]] = []
    examine(gathered, lambda done, of: told.append((done, of)))
    assert [done for done, _ in told] == list(range(len(told)))
    assert {of for _, of in told} == {len(told)}

    def stop(done: int, _: int) -> None:
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        examine(gathered, stop)
