"""History, revert out of the middle, somebody else's acts, outside edits, and the bank as of a date."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.bank.events import append
from memtui.bank.standing import standing
from memtui.curate import verbs
from memtui.curate.act import ConflictError, CurateError
from memtui.curate.curator import Curator
from memtui.curate.external import notice_external, notice_missed
from memtui.curate.history import bank_as_of, diffs, find_entry, history, item_as_of
from memtui.curate.undo import NothingToUndoError
from memtui.paths import Places
from tests.curate.bench import NOW, Bench
from tests.curate.test_verbs import edited, merged, renamed


def change(bench: Bench, word: str, old: bytes, new: bytes, writer: str = "ada-laptop") -> str:
    curator = bench.curator(writer)
    item = bench.item(word)
    base = verbs.begin_edit(curator, item)
    return verbs.edit(curator, item, base, base.replace(old, new)).act


def test_history_is_newest_first_with_diffs(bench: Bench) -> None:
    curator = bench.curator()
    verbs.demote(curator, bench.items("own-env", "port-8417"), "old")
    verbs.confirm(curator, bench.items("pool-timeout"))
    verbs.undo(curator)
    entries = history(bench.events())
    assert [entry.verb for entry in entries] == ["undo", "confirm", "demote"]
    assert [entry.undone for entry in entries] == [False, True, False]
    assert [entry.revertible for entry in entries] == [False, False, True]
    assert entries[2].items == ("card:bbbbb2", "card:ccccc2")
    found = diffs(curator, entries[2])
    assert "-  status: active\n+  status: stale" in found["cards/own-env.md"]
    assert "-- [Tests set their own environment" in found["MEMORY.md"]
    assert find_entry(bench.events(), entries[2].act[:18]) == entries[2]
    with pytest.raises(CurateError, match="no act begins"):
        find_entry(bench.events(), "zzz")


def test_somebody_elses_act_shows_its_lines(bench: Bench) -> None:
    change(bench, "own-env", b"Use setdefault", b"Prefer setdefault", "bob-desktop")
    for path in bench.state.glob("ledger.db*"):
        path.unlink()
    [entry] = history(bench.events())
    found = diffs(bench.curator(), entry)
    assert "-Use setdefault, never" in found["cards/own-env.md"]


def test_an_act_out_of_the_middle_is_shown_then_reverted(bench: Bench) -> None:
    first = change(bench, "own-env", b"setdefault", b"getenv")
    change(bench, "own-env", b"status: active", b"status: stale")
    curator = bench.curator()
    before = bench.files()
    plan = verbs.preview_revert(curator, bench.events(), first)
    assert bench.files() == before
    assert plan.conflicts == ()
    assert "+Use setdefault" in plan.diffs["cards/own-env.md"]
    verbs.revert(curator, plan)
    item = bench.item("own-env")
    assert "Use setdefault" in item.body
    assert item.status.value == "stale"
    with pytest.raises(CurateError, match="taken back already"):
        verbs.preview_revert(curator, bench.events(), first)
    verbs.undo(curator)
    assert bench.files() == before
    assert first in {event.data["act"] for event in standing(bench.events())}


def test_a_revert_that_meets_a_later_change_is_a_conflict(bench: Bench) -> None:
    first = change(bench, "own-env", b"setdefault", b"getenv")
    change(bench, "own-env", b"Use getenv", b"Use os.getenv")
    curator = bench.curator()
    plan = verbs.preview_revert(curator, bench.events(), first)
    [conflict] = plan.conflicts
    assert conflict.theirs is not None
    assert b"os.getenv" in conflict.theirs
    with pytest.raises(ConflictError):
        verbs.revert(curator, plan)
    verbs.revert(curator, plan, {conflict.path: conflict.ours})
    assert "Use setdefault" in bench.item("own-env").body


@pytest.mark.parametrize("known", [True, False])
def test_somebody_elses_act_is_reverted_from_its_event(bench: Bench, known: bool) -> None:
    before = bench.files()
    act = change(bench, "own-env", b"setdefault", b"getenv", "bob-desktop")
    if not known:
        for path in bench.state.glob("ledger.db*"):
            path.unlink()
    curator = bench.curator()
    verbs.revert(curator, verbs.preview_revert(curator, bench.events(), act))
    assert bench.files() == before


def test_a_demotion_by_somebody_else_is_reverted_with_its_index_line(bench: Bench) -> None:
    bob = bench.curator("bob-desktop")
    act = verbs.demote(bob, bench.items("own-env")).act
    bob.close()
    for path in bench.state.glob("ledger.db*"):
        path.unlink()
    curator = bench.curator()
    verbs.revert(curator, verbs.preview_revert(curator, bench.events(), act))
    assert bench.item("own-env").status.value == "active"
    assert "(cards/own-env.md)" in bench.index()


def test_a_verdict_can_be_reverted(bench: Bench) -> None:
    act = verbs.confirm(bench.curator("bob-desktop"), bench.items("own-env")).act
    curator = bench.curator()
    plan = verbs.preview_revert(curator, bench.events(), act)
    assert plan.changes == ()
    verbs.revert(curator, plan)
    assert standing(bench.events()) == ()
    verbs.undo(curator)
    assert [event.verb for event in standing(bench.events())] == ["confirm"]


def test_a_merge_can_be_reverted_from_history(bench: Bench) -> None:
    before = bench.files()
    result = merged(bench, bench.curator("bob-desktop"))
    curator = bench.curator()
    verbs.revert(curator, verbs.preview_revert(curator, bench.events(), result.act))
    assert bench.files() == before


def test_outside_edits_become_events_that_undo_leaves_alone(bench: Bench) -> None:
    curator = bench.curator()
    edited(bench, curator)
    previous = bench.contents()
    path = bench.item("own-env").path
    path.write_bytes(path.read_bytes() + b"From outside.\n")
    new_card = bench.bank / "cards" / "by-hand.md"
    new_card.write_text("---\nname: by-hand\ndescription: By hand\n---\nText.\n")
    bench.item("port-8417").path.unlink()
    noticed = notice_external(curator, previous, bench.contents())
    assert {(n.verb, n.title) for n in noticed} == {
        ("edit", "Tests set their own environment in tests/__init__.py"),
        ("create", "By hand"),
        ("remove", "The service listens on port 8417"),
    }
    again = notice_external(bench.curator(), previous, bench.contents())
    assert again == ()
    entries = [entry for entry in history(bench.events()) if entry.external]
    assert {entry.writer for entry in entries} == {"external-ada-laptop"}
    edit = next(entry for entry in entries if entry.verb == "edit")
    assert "+From outside." in diffs(curator, edit)["cards/own-env.md"]
    with pytest.raises(ConflictError):
        verbs.undo(curator)
    verbs.revert(curator, verbs.preview_revert(curator, bench.events(), edit.act))
    assert b"From outside" not in path.read_bytes()


def test_edits_that_nobody_saw_are_noticed_at_the_next_look(bench: Bench) -> None:
    """What an act left otherwise is told; what no act ever touched is taken as it is."""
    curator = bench.curator()
    verbs.pin(curator, bench.items("own-env", "port-8417", "pool-hangs"))
    verbs.undo(curator)
    for name in ("own-env", "pool-timeout"):
        path = bench.item(name).path
        path.write_bytes(path.read_bytes() + b"From outside.\n")
    bench.item("port-8417").path.unlink()
    noticed = notice_missed(curator, bench.contents())
    assert {(one.verb, one.item) for one in noticed} == {
        ("edit", "card:bbbbb2"),
        ("remove", "card:ccccc2"),
    }
    assert notice_missed(curator, bench.contents()) == ()
    edit = next(one for one in history(bench.events()) if one.verb == "edit")
    assert "+From outside." in diffs(curator, edit)["cards/own-env.md"]


def test_what_came_with_git_and_its_events_is_no_outside_edit(bench: Bench) -> None:
    mine = bench.curator()
    verbs.pin(mine, bench.items("own-env"))
    elsewhere = Curator(
        bench.bank,
        mine.layout,
        mine.config,
        Places(*[bench.root / "other"] * 4),
        "bob",
        bench.clock,
    )
    with elsewhere:
        verbs.demote(elsewhere, bench.items("own-env"))
    assert notice_missed(mine, bench.contents()) == ()
    path = bench.item("own-env").path
    path.write_bytes(path.read_bytes() + b"From outside.\n")
    assert [one.verb for one in notice_missed(mine, bench.contents())] == ["edit"]


def test_own_acts_are_not_noticed(bench: Bench) -> None:
    curator = bench.curator()
    previous = bench.contents()
    verbs.demote(curator, bench.items("own-env"))
    renamed(bench, curator)
    verbs.undo(curator)
    assert notice_external(curator, previous, bench.contents()) == ()
    verbs.undo(curator)
    with pytest.raises(NothingToUndoError):
        verbs.undo(curator)


def test_a_card_as_of_a_date_under_the_name_it_had(bench: Bench) -> None:
    original = bench.item("own-env").path.read_bytes()
    change(bench, "own-env", b"setdefault", b"getenv")
    changed = bench.item("own-env").path.read_bytes()
    middle = NOW + timedelta(seconds=bench.ticks)
    renamed_act = change(bench, "own-env", b"name: own-env", b"name: env-of-tests")
    assert renamed_act
    curator = bench.curator()
    item = bench.item("env-of-tests")
    before = item_as_of(curator, item, NOW - timedelta(days=1))
    assert (before.path, before.data, before.exact) == ("cards/own-env.md", original, True)
    assert item_as_of(curator, item, middle).data == changed
    now = item_as_of(curator, item, NOW + timedelta(hours=1))
    assert (now.path, now.data) == ("cards/env-of-tests.md", item.path.read_bytes())
    untouched = item_as_of(curator, bench.item("port-8417"), NOW)
    assert (untouched.data, untouched.exact) == (bench.item("port-8417").path.read_bytes(), False)


def test_the_bank_as_of_a_date(bench: Bench) -> None:
    before = {path: data for path, data in bench.files().items() if "/cards/" in path}
    curator = bench.curator()
    merged(bench, curator)
    then = bank_as_of(curator, bench.contents(), NOW)
    assert {f"bank/{path}": at.data for path, at in then.items() if "cards/" in path} == before
    now = bank_as_of(curator, bench.contents(), NOW + timedelta(hours=1))
    assert len(now) == len(then) + 1


@pytest.mark.parametrize("path", [".git/config", "cards/../../x.md", "/etc/x.md", "bank.toml"])
def test_an_event_cannot_reach_outside_the_cards_and_pages(bench: Bench, path: str) -> None:
    curator = bench.curator("mallory")
    entry = {"before": "", "after": "", "lines": [[0, ["a"], ["b"], "", ""]]}
    hostile = curator.event("act", "edit", "card:x", data={"act": "evil", "files": {path: entry}})
    append(curator.files.events, hostile)
    with pytest.raises(CurateError, match=r"no card or page|damaged"):
        verbs.preview_revert(curator, bench.events(), "evil")


def test_an_event_of_another_tool_stands_by_itself(bench: Bench) -> None:
    curator = bench.curator("other-tool")
    confirm = curator.event("verdict", "confirm", "card:bbbbb2", title="Own env")
    create = curator.event("act", "create", "card:bbbbb2", title="Own env")
    for event in (create, confirm):
        append(curator.files.events, event)
    entries = history(bench.events())
    assert {entry.act for entry in entries} == {create.id, confirm.id}
    with pytest.raises(CurateError, match="nobody kept what this create changed"):
        verbs.preview_revert(curator, bench.events(), create.id)
    verbs.revert(curator, verbs.preview_revert(curator, bench.events(), confirm.id))
    assert [event.verb for event in standing(bench.events())] == ["create"]
