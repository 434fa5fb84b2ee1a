"""Two writers on one bank: the index lists each live item once whatever one of them takes back."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.curate import verbs
from memtui.curate.act import ConflictError, CurateError
from memtui.curate.lint import lint, source_of
from memtui.curate.revert import preview_revert, revert
from tests.curate import acting
from tests.curate.bench import Bench
from tests.curate.counts import LIMIT, SEQUENCES
from tests.curate.faults import wrong_with

DOINGS = (
    acting.demote,
    acting.promote,
    acting.rename,
    acting.merge,
    acting.supersede,
    acting.undo,
    acting.redo,
    acting.revert,
)
STEPS = st.lists(st.tuples(st.sampled_from(DOINGS), st.booleans()), max_size=20)


def listed(bench: Bench, name: str) -> int:
    return bench.index().count(f"](cards/{name}.md)")


def test_undoing_a_demotion_lists_a_card_once_that_another_writer_promoted(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.demote(ada, bench.items("pool-hangs"))
    verbs.promote(bob, bench.items("pool-hangs"))
    verbs.undo(ada)
    assert listed(bench, "pool-hangs") == 1


def test_reverting_a_demotion_lists_a_card_once_that_was_promoted_since(bench: Bench) -> None:
    curator = bench.curator()
    act = verbs.demote(curator, bench.items("pool-hangs")).act
    verbs.promote(curator, bench.items("pool-hangs"))
    revert(curator, preview_revert(curator, bench.events(), act))
    assert listed(bench, "pool-hangs") == 1


def test_undoing_a_supersession_does_not_list_a_card_that_was_demoted_since(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.supersede(ada, bench.items("pool-hangs"), bench.item("pool-timeout"))
    verbs.demote(bob, bench.items("pool-hangs"))
    verbs.undo(ada)
    assert listed(bench, "pool-hangs") == 0


def test_undoing_a_supersession_does_not_list_a_card_that_another_one_replaces(
    bench: Bench,
) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.supersede(ada, bench.items("pool-hangs"), bench.item("pool-timeout"))
    verbs.supersede(bob, bench.items("pool-hangs"), bench.item("port-8417"))
    verbs.undo(ada)
    assert listed(bench, "pool-hangs") == 0
    verbs.undo(bob)
    assert listed(bench, "pool-hangs") == 1


def test_a_line_that_should_not_be_there_comes_back_with_undo_all_the_same(bench: Bench) -> None:
    """To the byte: what the act found in the index is what undo leaves, right or wrong."""
    curator = bench.curator()
    line = next(row for row in bench.index().splitlines() if "pool-hangs" in row)
    verbs.demote(curator, bench.items("pool-hangs"))
    path = bench.bank / "MEMORY.md"
    path.write_text(f"{path.read_text()}{line}\n- [Gone](cards/gone.md)\n")
    before = bench.files()
    verbs.mend_index(curator, bench.contents())
    assert listed(bench, "pool-hangs") == listed(bench, "gone") == 0
    verbs.undo(curator)
    assert bench.files() == before
    verbs.demote(curator, bench.items("pool-hangs"))
    verbs.undo(curator)
    assert bench.files() == before


def test_a_conflict_solved_by_a_lower_status_is_not_listed(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.demote(ada, bench.items("pool-hangs"))
    verbs.demote(bob, bench.items("pool-hangs"))
    with pytest.raises(ConflictError) as caught:
        verbs.undo(ada)
    [conflict] = caught.value.conflicts
    verbs.undo(ada, {conflict.path: conflict.theirs})
    assert listed(bench, "pool-hangs") == 0


def test_a_created_card_that_was_renamed_since_is_not_half_undone(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    acting.create(bench, ada, random.Random(1))
    [card] = [card for card in bench.contents().cards if card.name.startswith("fact-number")]
    base = card.path.read_bytes()
    new = base.replace(f"name: {card.name}\n".encode(), b"name: renamed\n", 1)
    verbs.edit(bob, card, base, new)
    before = bench.files()
    with pytest.raises(CurateError, match=r"is cards/renamed\.md since"):
        verbs.undo(ada)
    assert bench.files() == before


def test_an_act_on_a_card_that_was_renamed_since_is_not_reverted_into_a_second_file(
    bench: Bench,
) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    demoted = verbs.demote(ada, bench.items("port-8417")).act
    renamings = []
    for name in ("one", "two"):
        item = bench.item("ccccc2")
        base = verbs.begin_edit(bob, item)
        new = base.replace(f"name: {item.name}\n".encode(), f"name: {name}\n".encode(), 1)
        renamings.append(verbs.edit(bob, item, base, new).act)
    before = bench.files()
    for act in (demoted, renamings[0]):
        with pytest.raises(CurateError, match=r"is cards/two\.md since"):
            preview_revert(ada, bench.events(), act)
    with pytest.raises(CurateError, match=r"is cards/two\.md since"):
        verbs.undo(ada)
    assert bench.files() == before
    for act in (*reversed(renamings), demoted):
        revert(ada, preview_revert(ada, bench.events(), act))
    assert bench.item("ccccc2").name == "port-8417"
    assert wrong_with(bench, ada.ledger, set()) == []


def test_an_act_is_not_reverted_onto_another_card_that_took_the_name(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    pinned = verbs.pin(ada, bench.items("port-8417")).act
    for item_id, old, new in (
        ("ccccc2", "port-8417", "away"),
        ("ddddd2", "pool-hangs", "port-8417"),
    ):
        item = bench.item(item_id)
        base = verbs.begin_edit(bob, item)
        named = base.replace(f"name: {old}\n".encode(), f"name: {new}\n".encode(), 1)
        verbs.edit(bob, item, base, named)
    before = bench.files()
    with pytest.raises(CurateError, match=r"port-8417\.md is another item by now"):
        preview_revert(ada, bench.events(), pinned)
    first = next(event for event in bench.events() if event.verb == "edit").data["act"]
    with pytest.raises(CurateError, match=r"port-8417\.md is another item by now"):
        preview_revert(ada, bench.events(), first)
    with pytest.raises(CurateError, match=r"port-8417\.md is another item by now"):
        verbs.undo(ada)
    assert bench.files() == before


def test_the_two_files_of_a_renaming_go_together(bench: Bench) -> None:
    """Keeping the changed new file while the old one comes back would leave the card twice."""
    ada = bench.curator("ada")
    item = bench.item("ccccc2")
    base = verbs.begin_edit(ada, item)
    renamed = verbs.edit(ada, item, base, base.replace(b"name: port-8417\n", b"name: one\n", 1)).act
    verbs.demote(ada, bench.items("ccccc2"))
    before = bench.files()
    plan = preview_revert(ada, bench.events(), renamed)
    [conflict] = plan.conflicts
    with pytest.raises(CurateError, match=r"would come back beside cards/one\.md"):
        revert(ada, plan, {conflict.path: conflict.theirs})
    assert bench.files() == before
    revert(ada, plan, {conflict.path: conflict.ours})
    assert bench.item("ccccc2").name == "port-8417"
    assert wrong_with(bench, ada.ledger, set()) == []
    verbs.undo(ada)
    assert bench.item("ccccc2").name == "one"


@pytest.mark.timeout(LIMIT)
@settings(
    max_examples=SEQUENCES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps=STEPS, seed=st.integers(0, 10**6))
def test_random_acts_of_two_writers_leave_a_whole_index(
    steps: list[tuple[acting.Doing, bool]], seed: int
) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder)).build()
        writers = bench.curator("ada"), bench.curator("bob")
        try:
            for doing, who in steps:
                try:
                    doing(bench, writers[who], rng)
                except (CurateError, IndexError, ValueError):
                    continue
                assert wrong_with(bench, writers[0].ledger, set()) == []
        finally:
            bench.close()


def test_a_replaced_card_is_listed_again_while_its_successor_is_down(either: Bench) -> None:
    curator = either.curator()
    verbs.supersede(curator, either.items("pool-hangs"), either.item("pool-timeout"))
    superseded = either.files()
    verbs.demote(curator, either.items("pool-timeout"))
    assert (named(either, "pool-hangs"), named(either, "pool-timeout")) == (1, 0)
    verbs.promote(curator, either.items("pool-timeout"))
    assert (named(either, "pool-hangs"), named(either, "pool-timeout")) == (0, 1)
    verbs.undo(curator)
    verbs.undo(curator)
    assert either.files() == superseded


def test_promoting_a_card_that_is_replaced_does_not_list_it(either: Bench) -> None:
    curator = either.curator()
    verbs.supersede(curator, either.items("pool-hangs"), either.item("pool-timeout"))
    verbs.demote(curator, either.items("pool-hangs"))
    before = either.files()
    verbs.promote(curator, either.items("pool-hangs"))
    assert named(either, "pool-hangs") == 0
    verbs.undo(curator)
    assert either.files() == before


def test_a_replacement_taken_out_of_the_text_lists_the_old_card_again(bench: Bench) -> None:
    curator = bench.curator()
    verbs.supersede(curator, bench.items("pool-hangs"), bench.item("pool-timeout"))
    item = bench.item("pool-timeout")
    base = verbs.begin_edit(curator, item)
    new = base.replace(b"supersedes: [ddddd2]", b"supersedes: []")
    assert new != base
    verbs.edit(curator, item, base, new)
    assert listed(bench, "pool-hangs") == 1
    verbs.edit(curator, bench.item("pool-timeout"), new, base)
    assert listed(bench, "pool-hangs") == 0


def test_undoing_a_demotion_of_a_card_that_was_replaced_and_promoted_since_lists_nothing(
    bench: Bench,
) -> None:
    """The file is as the undo wants it already: the other writer's promotion brought it there."""
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.supersede(bob, bench.items("pool-hangs"), bench.item("own-env"))
    verbs.demote(ada, bench.items("pool-hangs"))
    verbs.promote(bob, bench.items("pool-hangs"))
    verbs.undo(ada)
    assert wrong_with(bench, ada.ledger, set()) == []
    assert listed(bench, "pool-hangs") == 0


def test_reverting_a_demotion_leaves_what_it_no_longer_replaces_in_the_index(bench: Bench) -> None:
    ada, bob = bench.curator("ada"), bench.curator("bob")
    verbs.supersede(ada, bench.items("pool-hangs"), bench.item("pool-timeout"))
    act = verbs.demote(ada, bench.items("pool-timeout")).act
    item = bench.item("pool-timeout")
    base = verbs.begin_edit(bob, item)
    verbs.edit(bob, item, base, base.replace(b"supersedes: [ddddd2]", b"supersedes: []"))
    revert(ada, preview_revert(ada, bench.events(), act))
    assert wrong_with(bench, ada.ledger, set()) == []
    assert (listed(bench, "pool-hangs"), listed(bench, "pool-timeout")) == (1, 1)


def test_a_card_from_outside_replaces_others_from_its_confirmation_on(either: Bench) -> None:
    ada, bob = either.curator("ada"), either.curator("bob")
    item = either.item("pool-timeout")
    base = verbs.begin_edit(ada, item)
    verbs.edit(ada, item, base, base.replace(b"origin: session", b"origin: external"))
    verbs.supersede(ada, either.items("pool-hangs"), either.item("pool-timeout"))
    before = either.files()
    assert named(either, "pool-hangs") == 1
    verbs.confirm(bob, either.items("pool-timeout"))
    assert named(either, "pool-hangs") == 0
    verbs.flag(ada, either.items("pool-timeout"), "is it so?")
    assert named(either, "pool-hangs") == 1
    verbs.undo(ada)
    assert named(either, "pool-hangs") == 0
    verbs.undo(bob)
    assert either.files() == before


def test_a_new_name_frees_a_card_that_was_replaced_by_its_name(bench: Bench) -> None:
    curator = bench.curator()
    item = bench.item("pool-timeout")
    base = verbs.begin_edit(curator, item)
    verbs.edit(curator, item, base, base.replace(b"supersedes: []", b"supersedes: [pool-hangs]"))
    assert listed(bench, "pool-hangs") == 0
    item = bench.item("pool-hangs")
    base = verbs.begin_edit(curator, item)
    verbs.edit(curator, item, base, base.replace(b"name: pool-hangs\n", b"name: other\n"))
    assert listed(bench, "other") == 1
    verbs.undo(curator)
    assert (listed(bench, "other"), listed(bench, "pool-hangs")) == (0, 0)


def test_a_replaced_card_in_the_index_is_found_and_mended(either: Bench) -> None:
    """Whoever wrote the line: git merged it, a host, an older memtui."""
    curator = either.curator()
    line = next(row for row in either.index().splitlines() if "pool-hangs" in row)
    verbs.supersede(curator, either.items("pool-hangs"), either.item("pool-timeout"))
    whole = either.index()
    (either.bank / "MEMORY.md").write_text(f"{whole}{line}\n")
    source = source_of(curator, either.contents())
    found = [one for one in lint(source) if one.repair == "index"]
    assert [(one.items, one.path) for one in found] == [(("card:ddddd2",), "MEMORY.md")]
    assert "which is superseded by pool-timeout" in found[0].message
    verbs.mend_index(curator, either.contents(), {"ddddd2"})
    assert either.index() == whole
    assert not [one for one in lint(source_of(curator, either.contents())) if one.repair == "index"]


def named(bench: Bench, name: str) -> int:
    return bench.index().count(f"{name}.md)")
