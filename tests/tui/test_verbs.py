"""The verbs by keyboard: files, panes, preview and toast after each, and everything back by `u`."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memtui.bank.model import Layout, Status
from memtui.workspace.model import BankView
from memtui.workspace.sample import Sample
from tests.curate.bench import Bench
from tests.tui.conftest import Open, settle
from tests.tui.curating import all_said, browse, bytes_of, changed, go_to, item, press, write_card

CARD = "pool-timeout-unset-env"
SIZE = (120, 40)


@pytest.mark.parametrize(
    ("keys", "file_changes", "toast"),
    [
        (("d",), True, "demoted to stale"),
        (("d", "d"), True, "demoted to retired"),
        (("d", "d", "p"), True, "promoted to active"),
        (("P",), True, "pinned"),
        (("c",), False, "confirmed"),
        (("f", *"size is 9", "enter"), False, "flagged"),
    ],
)
async def test_a_verb_and_its_undo(
    open_app: Open, sample: Sample, keys: tuple[str, ...], file_changes: bool, toast: str
) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        trust = item(app, CARD).trust
        await press(pilot, *keys)
        told = [line for line in all_said(app).splitlines() if line.startswith(f"{toast}: Pool")]
        assert told
        assert told[-1].endswith(". u undoes")
        after = bytes_of(sample)
        touched = changed(before, after)
        if keys[-1] == "p":
            assert touched <= {"MEMORY.md"}  # its line comes back at the end
        else:
            assert (f"cards/{CARD}.md" in touched) == file_changes
        assert (item(app, CARD).trust != trust) == (not file_changes)
        acts = sum(key in "dpPc" for key in keys) if file_changes or keys == ("c",) else 1
        await press(pilot, *["u"] * acts)
        assert bytes_of(sample) == before
        assert item(app, CARD).trust == trust
        assert "undid" in all_said(app)
        await press(pilot, "u")
        assert "nothing to undo" in all_said(app)
        await press(pilot, *["ctrl+r"] * acts)
        assert bytes_of(sample) == after


async def test_cards_pane_and_preview_follow_in_one_frame(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        screen = browse(app)
        frames: list[tuple[bool, bool]] = []

        def look(view: object) -> None:
            sent = screen.preview is not None and any(
                line.handle == item(app, CARD).item.id for line in screen.preview.plan.lines
            )
            frames.append((item(app, CARD).item.status is Status.ACTIVE, sent))

        look(None)
        screen.watch(screen, "preview", look, init=False)
        await press(pilot, "d")
        assert frames[0] == (True, True)
        assert set(frames[1:]) == {(False, False)}


async def test_marked_cards_are_one_act(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "space", "space", "space")
        marked = {str(key) for key in browse(app).cards_list.marks}
        assert len(marked) == 3
        await press(pilot, "d")
        assert "demoted to stale: 3 items" in all_said(app)
        assert all(item(app, key).item.status is Status.STALE for key in marked)
        assert not browse(app).cards_list.marks
        await press(pilot, "u")
        assert bytes_of(sample) == before


async def test_a_burst_of_keys_is_done_in_order(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await pilot.press("d", "d", "u", "P", "c")
        await settle(pilot)
        after = item(app, CARD)
        assert after.item.status is Status.STALE
        assert after.item.pinned
        assert after.trust.confirmed > 0
        await pilot.press("u", "u", "u")
        await settle(pilot)
        assert bytes_of(sample) == before


async def test_undo_goes_on_after_a_restart(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    for keys in (("d",), ("P",), ("u", "u")):
        app = open_app()
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            await go_to(pilot, app, CARD)
            await press(pilot, *keys)
        app.core.close()
    assert bytes_of(sample) == before


async def test_pages_go_down_and_up(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "3", "d")
        page = str(browse(app).pages_list.key)
        assert item(app, page).item.status is Status.RETIRED
        await press(pilot, "p")
        assert item(app, page).item.status is Status.ACTIVE
        await press(pilot, "u", "u")
        assert bytes_of(sample) == before


async def test_what_cannot_be_done_says_why(open_app: Open, sample: Sample) -> None:
    before = bytes_of(sample)
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "p")
        assert "already active; nothing was changed" in all_said(app)
        await press(pilot, "f", "enter")
        assert "a flag needs a reason; say what is wrong with it" in all_said(app)
        await press(pilot, "f", *"no", "escape")
        assert bytes_of(sample) == before


async def test_an_outside_edit_is_noticed_and_left_alone(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await go_to(pilot, app, CARD)
        await press(pilot, "P")
        path = write_card(sample.bank, "from-outside", "Written by hand")
        await press(pilot, "R")
        assert "outside create noticed: Written by hand" in all_said(app)
        writers = {event.writer for event in browse(app).view.contents.events}  # type: ignore[union-attr]
        assert any(writer.startswith("external-") for writer in writers)
        await press(pilot, "u")
        assert "undid pin" in all_said(app)
        assert path.exists()


async def test_an_outside_edit_is_told_though_a_newer_look_overtakes(
    open_app: Open, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "P")
        screen, settles = browse(app), app.core.settle
        noticed, overtaken = threading.Event(), threading.Event()

        def slowly(*, drift: bool = True) -> BankView:
            noticed.set()
            overtaken.wait(20)
            return settles(drift=drift)

        monkeypatch.setattr(app.core, "settle", slowly)
        write_card(sample.bank, "from-outside", "Written by hand")
        await pilot.press("R")
        while not noticed.is_set():
            await pilot.pause(0.02)
        screen._settle()
        overtaken.set()
        await settle(pilot)
        assert "outside create noticed: Written by hand" in all_said(app)


async def test_the_verbs_in_a_folder_that_a_host_owns(open_app: Open, tmp_path: Path) -> None:
    bench = Bench(tmp_path / "own", Layout.CLAUDE).build()
    before = {path.name: path.read_bytes() for path in bench.bank.iterdir()}
    line = b"Pool timeouts come from an unset ORDER_POOL_SIZE"
    assert line in before["MEMORY.md"]
    app = open_app(bench.bank)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await go_to(pilot, app, "pool-timeout")
        await press(pilot, "d")
        assert line not in (bench.bank / "MEMORY.md").read_bytes()
        await press(pilot, "p", "P", "c")
        assert line in (bench.bank / "MEMORY.md").read_bytes()
        assert item(app, "pool-timeout").trust.confirmed == 1
        await press(pilot, "u", "u", "u", "u")
    assert {path.name: path.read_bytes() for path in bench.bank.iterdir()} == before
