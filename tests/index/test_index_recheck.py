"""What changed after the index was made is noticed before a line of it is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui import reasons
from memtui.bank.model import Card, Status
from memtui.index import recheck
from memtui.index.reader import Reader
from memtui.index.recheck import Rechecked
from memtui.inject import snapshot
from memtui.inject.plan import plan
from memtui.inject.snapshot import Best, plan_fresh
from tests.index import banks


@pytest.fixture(params=[400, 0], ids=["whole", "line by line"])
def whole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Up to how many items the bank is planned over as a whole."""
    monkeypatch.setattr(snapshot, "WHOLE", request.param)
    return int(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "bank"
    banks.write(root, *(banks.card(f"h{n}", importance=1 - n / 20) for n in range(6)))
    for n in range(6):
        banks.say(root, "confirm", f"h{n}")
    banks.say(root, "purge", "gone")
    banks.settle(root)
    banks.index(root, tmp_path / "index.db")
    return root


def fresh(root: Path, **fields: Any) -> tuple[Best, list[str]]:
    with Reader(root.parent / "index.db") as reader:
        checked = Rechecked(reader, banks.TODAY)
        return plan_fresh(checked, banks.ask(**fields)), checked.notes


def shown(root: Path, **fields: Any) -> list[str]:
    return [line.handle for line in fresh(root, **fields)[0].plan.lines]


def expected(root: Path) -> str:
    return plan(banks.snapshot_of(root), banks.ask()).text


def stale(root: Path) -> None:
    banks.write(root, banks.card("h0", status=Status.STALE))


def removed(root: Path) -> None:
    (root / "cards" / "card-h1.md").unlink()


def retitled(root: Path) -> None:
    banks.write(root, banks.card("h2", title="Another title", importance=0.9))


def renamed(root: Path) -> None:
    (root / "cards" / "card-h2.md").rename(root / "cards" / "moved.md")


def superseded(root: Path) -> None:
    banks.write(root, banks.card("n1", supersedes=("h3", "card-h4")))


def superseded_from_outside(root: Path) -> None:
    banks.write(root, banks.card("n1", supersedes=("h3",), origin="external"))


def conflict(root: Path) -> None:
    path = root / "cards" / "card-h0.md"
    path.write_text(f"{path.read_text()}<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")


def flagged(root: Path) -> None:
    banks.say(root, "flag", "h1", 9)


def purged(root: Path) -> None:
    banks.say(root, "purge", "h1", 9)


def brought_back(root: Path) -> None:
    banks.write(root, banks.card("gone"))


def new_without_id(root: Path) -> None:
    (root / "cards" / "by-hand.md").write_text("---\ntype: fact\n---\nSaid by hand.\n")


def copied(root: Path) -> None:
    text = (root / "cards" / "card-h0.md").read_text()
    (root / "cards" / "z-copy.md").write_text(text.replace("name: card-h0", "name: z-copy"))


def expired(root: Path) -> None:
    banks.write(root, banks.card("h0", expires=banks.NOW.replace(day=1)))


CHANGES = [
    stale,
    removed,
    retitled,
    renamed,
    superseded,
    superseded_from_outside,
    conflict,
    flagged,
]
CHANGES += [purged, brought_back, new_without_id, copied, expired]


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(root: Path, change: Callable[[Path], None]) -> None:
    before = expected(root)
    change(root)
    assert fresh(root)[0].plan.text == expected(root)
    assert (expected(root) == before) == (change in (renamed, brought_back))


@pytest.mark.usefixtures("whole")
def test_a_flag_that_was_taken_back_holds_nothing_back(root: Path) -> None:
    banks.say(root, "flag", "h1", 8)
    banks.say(root, "confirm", "h1", 9)
    assert "h1" in shown(root)


@pytest.mark.usefixtures("whole")
def test_an_undone_flag_holds_nothing_back(root: Path) -> None:
    before = expected(root)
    banks.say(root, "flag", "h1", 8, data={"act": "a1"})
    banks.say(root, "undo", "h1", 9, kind="act", data={"of": "a1"})
    assert fresh(root)[0].plan.text == expected(root) == before
    banks.say(root, "redo", "h1", 10, kind="act", data={"of": "a1"})
    assert "h1" not in shown(root)


@pytest.mark.usefixtures("whole")
def test_reasons_of_what_changed(root: Path) -> None:
    stale(root)
    superseded(root)
    purged(root)
    found = {d.handle: d.reason for d in fresh(root)[0].plan.decisions}
    assert found["h0"] == reasons.STALE
    assert found["h3"] == found["h4"] == reasons.SUPERSEDED
    assert found["h1"] == reasons.TOMBSTONED


@pytest.mark.usefixtures("whole")
def test_nothing_changed_nothing_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "_content", None)
    monkeypatch.setattr(recheck, "_listed", None)
    monkeypatch.setattr(recheck, "_tail", None)
    best, notes = fresh(root)
    assert best.plan.text == expected(root)
    assert notes == []


@pytest.mark.usefixtures("whole")
def test_what_cannot_be_read_is_held_back_and_said(root: Path) -> None:
    path = root / "cards" / "card-h0.md"
    path.write_bytes(b"x" * (recheck.MAX_FILE + 1))
    best, notes = fresh(root)
    assert "h0" not in {line.handle for line in best.plan.lines}
    assert any("larger than" in note for note in notes)


def test_a_hidden_card_that_now_supersedes_a_shown_one_takes_it_out(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "WHOLE", 0)
    tight = {"budget": 110}
    first = shown(root, **tight)
    hidden = next(f"h{n}" for n in range(6) if f"h{n}" not in first)
    path = root / "cards" / f"card-{hidden}.md"
    path.unlink()
    banks.write(root, banks.card(hidden, supersedes=(first[0],)))
    assert first[0] not in shown(root, **tight)


@pytest.mark.parametrize("whole", [400, 0])
@pytest.mark.parametrize("is_indexed", [True, False])
def test_what_a_superseded_stale_card_replaced_stays_out(
    root: Path, monkeypatch: pytest.MonkeyPatch, whole: int, is_indexed: bool
) -> None:
    monkeypatch.setattr(snapshot, "WHOLE", whole)
    assert "h0" in shown(root)
    banks.write(root, banks.card("m1", status=Status.STALE, supersedes=("h0",)))
    if is_indexed:
        banks.index(root, root.parent / "index.db")
    assert "h0" in shown(root)
    banks.write(root, banks.card("n1", supersedes=("m1",)))
    assert "h0" not in shown(root)


def test_many_new_files_are_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "MAX_NEW", 2)
    banks.write(root, *(banks.card(f"n{n}") for n in range(3)))
    assert fresh(root)[1] == ["the index is behind: 3 new files, 2 were read"]


def test_only_what_was_verified_is_sent_when_everything_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "WHOLE", 0)
    monkeypatch.setattr(snapshot, "ROUNDS", 1)
    tight = {"budget": 110}
    first = shown(root, **tight)
    assert 0 < len(first) < 6
    banks.write(root, *(banks.card(f"h{n}", status=Status.STALE) for n in range(len(first))))
    banks.write(root, *(banks.card(f"h{n}") for n in range(len(first), 6)))
    assert shown(root, **tight) == []


def test_a_removed_bank_sends_nothing(root: Path) -> None:
    root.rename(root.with_name("elsewhere"))
    assert fresh(root)[0].plan.text == ""


@banks.bounded
@given(banks.banks(), banks.banks(), st.sampled_from([400, 0]))
def test_any_later_bank_is_read_as_it_is(
    one: tuple[list[Card], list[tuple[str, str]]],
    other: tuple[list[Card], list[tuple[str, str]]],
    size: int,
) -> None:
    """Over an index of one bank, files of another: nothing is sent that the new files do not say."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "WHOLE", size)
        root = Path(folder, "bank")
        banks.write_bank(root, one)
        banks.index(root, Path(folder, "index.db"))
        for path in (root / "cards").iterdir():
            path.unlink()
        banks.write(root, *other[0])
        best, _ = fresh(root)
        now = plan(banks.snapshot_of(root), banks.ask(budget=100_000))
        absent = {d.handle for d in now.decisions if d.reason in reasons.ABSENT}
        lines = {line.handle: line for line in best.plan.lines}
        assert not absent & lines.keys()
        titles = {line.handle: line.text for line in now.lines}
        assert all(titles.get(key, line.text) == line.text for key, line in lines.items())
