"""What keys and commands share when they act: one curator, outside edits, drafts from rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.hosts.model import Kind
from memtui.ledger.access import LEDGER_NAME
from memtui.sessions.rows import Facet
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from memtui.workspace.workspace import Workspace

CARD = "pool-timeout-unset-env"


def opened(sample: Sample, bank: Path | None = None) -> Workspace:
    environ = sample.environ() | {"MEMTUI_WRITER": "ada-desk"}
    return open_workspace(bank=bank, cwd=sample.project, environ=environ)


@pytest.fixture
def workspace(sample: Sample) -> Iterator[Workspace]:
    with opened(sample) as made:
        yield made


def ledgers(sample: Sample) -> list[Path]:
    return list(Path(sample.environ()["MEMTUI_STATE_HOME"]).rglob(LEDGER_NAME))


def test_an_act_gives_the_bank_after_it(workspace: Workspace) -> None:
    card = workspace.load().by_name[CARD]
    done = workspace.curating.act(partial(verbs.pin, items=[card.item], on=True))
    assert done.result.verb == "pin"
    assert done.after.view.by_name[CARD].item.pinned
    assert done.after.noticed == ()
    assert done.after.view.contents.events[-1].writer == "ada-desk"
    with pytest.raises(CurateError, match="already pinned"):
        workspace.curating.act(partial(verbs.pin, items=[card.item], on=True))
    undone = workspace.curating.act(verbs.undo)
    assert not undone.after.view.by_name[CARD].item.pinned


def test_only_a_person_confirms(workspace: Workspace) -> None:
    item = workspace.load().by_name[CARD].item
    with pytest.raises(CurateError, match="only a person"):
        workspace.curating.act(partial(verbs.confirm, items=[item]), by="agent")
    assert workspace.curating.act(partial(verbs.confirm, items=[item])).result.verb == "confirm"


def test_without_acts_there_is_no_ledger(workspace: Workspace, sample: Sample) -> None:
    healed = workspace.curating.heal()
    workspace.curating.reload()
    assert (healed.done, healed.undone) == ((), ())
    assert not ledgers(sample)


def test_an_outside_edit_is_noticed_once_by_two(workspace: Workspace, sample: Sample) -> None:
    with opened(sample) as other:
        for one in (workspace, other):
            one.curating.reload()
        path = sample.bank / "cards" / f"{CARD}.md"
        path.write_bytes(path.read_bytes() + b"By hand.\n")
        noticed = [one.curating.reload().noticed for one in (workspace, other)]
        assert [len(found) for found in noticed] == [1, 0]
        assert noticed[0][0].verb == "edit"
        # What one of them does is no outside edit to the other.
        workspace.curating.act(partial(verbs.pin, items=[workspace.load().by_name[CARD].item]))
        assert other.curating.reload().noticed == ()
        events = workspace.load().contents.events
        assert sum(event.writer == "external-ada-desk" for event in events) == 1
        assert workspace.curating.act(verbs.undo).result.summary.startswith("undid pin")
        assert path.read_bytes().endswith(b"By hand.\n")


def test_without_a_bank_it_says_so(sample: Sample, tmp_path: Path) -> None:
    environ = {key: text for key, text in sample.environ().items() if key != "MEMTUI_BANK"}
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with (
        open_workspace(bank=None, cwd=folder, environ=environ) as made,
        pytest.raises(CurateError, match="no bank for this project yet"),
    ):
        _ = made.curating


def test_rows_and_references_give_the_same_draft(workspace: Workspace) -> None:
    workspace.scan()
    timeline = workspace.timeline(Facet.ALL.value)
    drafting = workspace.drafting
    seen = 0
    for row in timeline.rows(0, 60):
        if row.turn is None:
            name = row.ref
            offers = drafting.offers(row.session.session)
            assert offers == drafting.offers_of(name)
        elif row.turn.kind in (Kind.PROMPT, Kind.ANSWER, Kind.CALL):
            made = drafting.draft([(row.session.session, row.turn.seq)])
            twin = drafting.draft_of([row.ref])
            assert made.draft == twin.draft
            assert made.records == twin.records
            assert {one.ref for one in made.records} == {one.ref for one in made.draft.evidence}
            seen += 1
    assert seen > 20


def test_what_cannot_be_cited_is_said(workspace: Workspace) -> None:
    workspace.scan()
    with pytest.raises(CurateError, match="none of these turns"):
        workspace.drafting.draft([(1, 999_999)])
