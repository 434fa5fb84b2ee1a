"""The History view by keyboard: what was done, taking it back, the bank as it was."""

from __future__ import annotations

from pathlib import Path

from memtui.bank.model import Status
from memtui.curate import verbs
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of
from tests.tui.curating import browse, bytes_of, go_to, item, press

CARD = "pool-timeout-unset-env"
OTHER = "exit-codes"
SIZE = (120, 40)


def bob_demotes(sample: Sample, word: str) -> None:
    """Somebody else on another machine demotes a card; only the events file tells of it."""
    with open_workspace(
        None, sample.project, sample.environ() | {"MEMTUI_WRITER": "bob-desktop"}
    ) as core:
        found = core.load().find(word)
        assert found is not None
        core.curating.act(lambda curator: verbs.demote(curator, [found.item], "not any more"))
    for file in sample.root.glob("memtui/state/*/ledger.db*"):
        file.unlink()


async def test_all_acts_newest_first_with_writer_and_diff(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "d", "f8")
        shown = text_of(app)
        first, second = [line for line in shown.splitlines() if "11-20" in line or "11-19" in line][
            :2
        ]
        assert "demote" in first
        assert "Pool timeouts" in first
        assert "lee-desktop" in second
        assert "-  status: active" in shown
        assert "+  status: stale" in shown
        assert "96 acts" in shown


async def test_undo_and_redo_work_here_and_the_list_follows(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "d", "f8", "u")
        assert bytes_of(sample) == before
        assert "undone" in text_of(app)
        assert "97 acts" in text_of(app)
        await press(pilot, "ctrl+r")
        assert item(app, CARD).item.status is Status.STALE
        await press(pilot, "u", "escape")
        assert app.screen is browse(app)
        assert bytes_of(sample) == before


async def test_an_act_out_of_the_middle_is_shown_first(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, OTHER)
        await press(pilot, "d")
        between = bytes_of(sample)
        await go_to(pilot, app, CARD)
        await press(pilot, "P")
        await press(pilot, "f8", "j", "r")
        shown = text_of(app)
        assert "take back demote" in shown
        assert "+  status: active" in shown
        await press(pilot, "escape")
        assert item(app, OTHER).item.status is Status.STALE
        await press(pilot, "r", "y")
        assert item(app, OTHER).item.status is Status.ACTIVE
        assert item(app, CARD).item.pinned
        await press(pilot, "u", "u")
        assert bytes_of(sample) == between


async def test_somebody_elses_act_is_taken_back_from_its_event(
    open_app: Open, sample: Sample
) -> None:
    before = bytes_of(sample)
    bob_demotes(sample, OTHER)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        assert item(app, OTHER).item.status is Status.STALE
        await press(pilot, "u")
        assert "nothing to undo" in text_of(app)
        await press(pilot, "f8")
        assert "bob-desktop" in text_of(app)
        await press(pilot, "r", "y")
        assert item(app, OTHER).item.status is Status.ACTIVE
        after = bytes_of(sample)
        assert after[f"cards/{OTHER}.md"] == before[f"cards/{OTHER}.md"]


async def test_what_was_changed_since_is_asked_about(open_app: Open, sample: Sample) -> None:
    path = sample.bank / "cards" / f"{OTHER}.md"
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, OTHER)
        await press(pilot, "d")
        path.write_bytes(path.read_bytes().replace(b"status: stale", b"status: retired"))
        await press(pilot, "R", "f8")
        assert "external-" in text_of(app)
        await press(pilot, "j", "r")
        assert "was changed since" in text_of(app)
        await press(pilot, "o")
        assert item(app, OTHER).item.status is Status.ACTIVE


async def test_each_file_that_was_changed_since_has_its_own_choice(
    open_app: Open, sample: Sample
) -> None:
    paths = [sample.bank / "cards" / f"{name}.md" for name in (OTHER, CARD)]
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for name in (OTHER, CARD):
            await go_to(pilot, app, name)
            await press(pilot, "space")
        await press(pilot, "d")
        for path in paths:
            path.write_bytes(path.read_bytes().replace(b"status: stale", b"status: retired"))
        await press(pilot, "R", "f8", "slash", *"demote", "enter", "r")
        assert "looks at each file" in text_of(app)
        await press(pilot, "e")
        assert "(1 of 2)" in text_of(app)
        first = OTHER if f"cards/{OTHER}.md" in text_of(app) else CARD
        await press(pilot, "w")
        assert "(2 of 2)" in text_of(app)
        await press(pilot, "backspace")
        assert "(1 of 2)" in text_of(app)
        await press(pilot, "n", "w")
        last = CARD if first == OTHER else OTHER
        assert item(app, first).item.status is Status.RETIRED
        assert item(app, last).item.status is Status.ACTIVE
        await press(pilot, "u")
        assert item(app, last).item.status is Status.RETIRED


async def test_a_purge_cannot_be_taken_back(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f8", "slash", *"purge", "enter", "r")
        assert "a purge cannot be reverted" in text_of(app)


async def test_a_filter_narrows_and_escape_gives_all_back(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f8", "slash", *"flag", "enter")
        assert "1/1" in text_of(app)
        assert "On the network share" in text_of(app)
        await press(pilot, "escape")
        assert "/95" in text_of(app)


async def test_the_bank_as_of_a_moment(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, OTHER)
        await press(pilot, "d", "f8", "at", "ctrl+u", *"2026-11-19", "enter")
        shown = text_of(app)
        assert "Bank as of 2026-11-19" in shown
        row = next(line for line in shown.splitlines() if f"cards/{OTHER}.md" in line)
        assert "changed since" in row
        rows = app.screen.query_one("#panel-list")
        rows.go_key(f"cards/{OTHER}.md")  # type: ignore[attr-defined]
        await settle(pilot)
        assert "status: active" in text_of(app)
        await press(pilot, "tab", "G")
        assert "+  status: stale" in text_of(app)
        await press(pilot, "escape", "escape")
        assert "96 acts" in text_of(app)


async def test_a_moment_that_is_none_is_said(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f8", "at", "ctrl+u", *"soon", "enter")
        assert "soon" in text_of(app)
        assert "95 acts" in text_of(app)


async def test_o_goes_to_the_item(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f8", "slash", *"exit code", "enter", "o")
        assert app.screen is browse(app)
        assert browse(app).cards_list.key == item(app, OTHER).item.id


async def test_hostile_events_are_drawn_as_text(open_app: Open, sample: Sample) -> None:
    line = (
        '{"v": 1, "id": "zz1", "at": "2026-11-19T23:00:00Z", "writer": "eve", "kind": "act", "verb": "edit",'
        ' "item": "card:x", "title": "x[/]y \\u001b]52;c;aGk=\\u0007 \\u202e [bold]z", "by": "human",'
        ' "data": {"act": "evil", "files": {"../../x": {"before": "1", "after": "2", "lines": "no"}}}}\n'
    )
    (sample.bank / "events" / "eve.jsonl").write_text(line)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f8")
        shown = text_of(app)
        assert "x[/]y" in shown
        assert "\x1b" not in shown
        await press(pilot, "r")
        assert "which is no card or page" in app.screen.last  # type: ignore[attr-defined]


def test_bob_leaves_only_an_event(sample: Sample) -> None:
    bob_demotes(sample, OTHER)
    assert list(Path(sample.bank / "events").glob("bob-desktop.jsonl"))
    assert not list(sample.root.glob("memtui/state/*/ledger.db"))
