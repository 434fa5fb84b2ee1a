"""Files change under the open app: what shows, what stays, and what is not read again for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.sample import Sample
from tests.sessions.session_fixtures import Talk, session_id
from tests.tui.conftest import Open, settle, text_of
from tests.tui.test_timeline import append, browse, press, shows

_counting: list[tuple[Path, list[str]]] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _counting and event in ("open", "os.scandir", "os.listdir") and arguments:
        folder, seen = _counting[-1]
        name = arguments[0]
        name = name.decode() if isinstance(name, bytes) else str(name)
        if name.startswith(str(folder)):
            seen.append(name)


sys.addaudithook(_audit)  # the interpreter's own: it sees every open, whoever asks for it


@contextmanager
def opened_below(folder: Path) -> Iterator[list[str]]:
    """The files and folders below `folder` that are opened or listed meanwhile."""
    seen: list[str] = []
    _counting.append((folder, seen))
    try:
        yield seen
    finally:
        _counting.pop()


async def calm(pilot: Pilot[None], app: MemtuiApp) -> None:
    """Wait until nothing runs and no look at the citations is due."""
    while browse(app)._recheck is not None:
        await pilot.pause(0.05)
    await settle(pilot)


def stand(rows: LineList) -> tuple[object, set[object], int]:
    """Cursor, marks and the rows above the cursor on screen."""
    return rows.key, set(rows.marks), rows.place().above


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


async def test_an_appended_record_shows_and_the_bank_is_not_read_again(
    open_app: Open, sample: Sample
) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "F")
        await calm(pilot, app)
        view = browse(app).view
        with opened_below(sample.bank) as seen:
            append(sample, 1, "live one")
            await shows(pilot, app, "live one")
            append(sample, 2, "live two")
            await shows(pilot, app, "live two")
            await calm(pilot, app)
        assert seen == []
        assert browse(app).view is view
        with opened_below(sample.bank) as seen:  # the count does count
            await press(pilot, "R")
        assert len(seen) > 2


async def test_an_edited_card_shows_and_no_other_file_is_read(
    open_app: Open, sample: Sample
) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "pagedown", "k", "k", "space", "j")
        await calm(pilot, app)
        cards, view = browse(app).cards_list, browse(app).view
        before = stand(cards)
        neighbour = view.find(str(cards.source.key(cards.cursor - 1))) if view else None
        assert neighbour is not None
        card = neighbour.item.path
        with opened_below(sample.bank / "cards") as seen:
            edit(card, "description: ", "description: Edited ")
            await shows(pilot, app, "Edited")
            assert stand(cards) == before
            await calm(pilot, app)
        assert stand(cards) == before
        assert {Path(name) for name in seen} <= {card, card.parent}
        assert browse(app).sessions_list.at_end


async def test_new_changed_and_removed_cards_and_verdicts_show(
    open_app: Open, sample: Sample
) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "slash", *"elsewhere", "enter")
        assert "nothing matches" in text_of(app)
        fresh = sample.bank / "cards" / "made-elsewhere.md"
        fresh.write_text("---\nname: made-elsewhere\ndescription: Made elsewhere\n---\nText.\n")
        await shows(pilot, app, "Made elsewhere")
        events = next((sample.bank / "events").glob("dana*.jsonl"))
        view = browse(app).view
        assert view is not None
        handle = view.by_name["made-elsewhere"].item.id
        line = (
            f'{{"v":1,"id":"x1","at":"2026-11-20T11:00:00Z","writer":"dana-laptop","kind":"verdict",'
            f'"verb":"confirm","item":"card:{handle}","by":"human"}}\n'
        )
        with events.open("a") as stream:
            stream.write(line)
        await shows(pilot, app, "0.75 Made elsewhere")
        fresh.unlink()
        await shows(pilot, app, "nothing matches")
        assert "Made elsewhere" not in text_of(app)


async def test_a_new_session_shows_and_the_place_in_the_timeline_stays(
    open_app: Open, sample: Sample
) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "left_square_bracket", "left_square_bracket", "space", "j", "j")
        rows = browse(app).sessions_list
        before, count = stand(rows), len(rows)
        talk = Talk(session_id(7), at=1_800_000_000_000, cwd="/home/dev/svc-order")
        talk.prompt("begun while the app is open").say("So it is.")
        folder = sample.home / ".claude" / "projects" / "-home-dev-svc-order"
        (folder / f"{talk.session}.jsonl").write_bytes(talk.data)
        await shows(pilot, app, f"/{count + 3}")
        assert stand(rows) == before
        await press(pilot, "G")
        assert "So it is." in text_of(app)


async def test_a_shown_turn_grows_with_its_transcript(open_app: Open, sample: Sample) -> None:
    app = open_app(watches=True)
    talk = Talk(session_id(8), at=1_800_000_000_000, cwd="/home/dev/svc-order")
    call = talk.prompt("run it").call("make all")
    path = sample.home / ".claude" / "projects" / "-home-dev-svc-order" / f"{talk.session}.jsonl"
    path.write_bytes(talk.data)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "t", "a", "G")
        assert "make all" in browse(app).detail_pane.text.text
        done = len(talk.data)
        talk.result(call, "all was made well")
        with path.open("ab") as stream:
            stream.write(talk.data[done:])
        await shows(pilot, app, "all was made well")


async def test_a_large_bank_is_planned_in_a_worker(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.screens.next_session._AT_ONCE", 0)
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5", "equals_sign", "equals_sign", "equals_sign", "minus")
        await settle(pilot)
        screen = browse(app)
        assert screen.view is not None
        assert screen.options.budget == 700
        assert screen.preview == screen.core.preview(screen.view, screen.options)
        assert "of 700" in text_of(app)
