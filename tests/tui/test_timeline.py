"""Pane 1: facets, jumps, finding, times, folding, following."""

from __future__ import annotations

import json
from pathlib import Path

from textual.pilot import Pilot

from memtui.hosts.model import Kind
from memtui.sessions.rows import Flag
from memtui.sessions.timeline import TimelineRow
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of


def browse(app: MemtuiApp) -> BrowseScreen:
    screen = app.screen
    assert isinstance(screen, BrowseScreen)
    return screen


def here(app: MemtuiApp) -> TimelineRow:
    row = browse(app).timeline_row()
    assert row is not None
    return row


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


async def test_it_opens_at_the_newest_turn(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        assert browse(app).sessions_list.at_end


async def test_jumps(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "left_square_bracket")
        assert here(app).is_heading
        last = here(app).session.session
        await press(pilot, "left_square_bracket")
        assert here(app).session.session != last
        await press(pilot, "right_square_bracket")
        assert here(app).session.session == last
        await press(pilot, "right_curly_bracket")
        turn = here(app).turn
        assert turn is not None
        assert turn.kind is Kind.PROMPT
        await press(pilot, "G", "left_parenthesis")
        turn = here(app).turn
        assert turn is not None
        assert turn.flags & Flag.ERROR


async def test_words_are_found_and_marked(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "slash", *"currency", "enter")
        first = here(app).index
        assert "currency" in text_of(app).lower()
        await press(pilot, "n")
        second = here(app).index
        await press(pilot, "N")
        assert here(app).index == first
        assert second != first
        assert browse(app).words == ("currency",)
        await press(pilot, "escape")
        assert browse(app).words == ()


async def test_words_that_are_nowhere_are_said(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "slash", *"zebracrossing", "enter")
        assert browse(app).last == "not found: zebracrossing"


async def test_a_time_is_gone_to(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "at", *"2026-11-09", "enter")
        row = here(app)
        assert row.at is not None
        await press(pilot, "at", *"nonsense", "enter")
        assert "is no time" in browse(app).last
        assert here(app).index == row.index


async def test_a_heading_folds_its_session(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "1", "left_square_bracket")
        rows = browse(app).sessions_list
        before, key = len(rows), rows.key
        await press(pilot, "enter")
        assert len(rows) < before
        assert rows.key == key
        await press(pilot, "enter")
        assert len(rows) == before


async def test_a_facet_keeps_the_row(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "left_parenthesis")
        key = browse(app).sessions_list.key
        await press(pilot, "t", "e")
        assert browse(app).sessions_list.key == key
        await press(pilot, "escape")
        assert browse(app).sessions_list.key == key


def append(sample: Sample, number: int, text: str) -> Path:
    """A prompt at the end of the newest Claude Code session."""
    path = next(sample.home.glob(".claude/projects/-home-dev-svc-order/f81b4c60*.jsonl"))
    record = {
        "parentUuid": None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"aaaaaaaa-0000-4000-8000-00000000000{number}",
        "timestamp": f"2026-11-20T11:5{number}:00.000Z",
        "cwd": "/home/dev/svc-order",
        "sessionId": path.stem,
        "version": "2.1.197",
        "gitBranch": "main",
    }
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
    return path


async def shows(pilot: Pilot[None], app: MemtuiApp, words: str) -> None:
    """Wait until the screen says something."""
    for _ in range(200):
        await pilot.pause(0.02)
        if words in text_of(app):
            return
    raise AssertionError(f"{words!r} never came:\n{text_of(app)}")


async def test_an_appended_turn_shows_and_is_followed(open_app: Open, sample: Sample) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "F")
        append(sample, 1, "live one")
        await shows(pilot, app, "live one")
        assert browse(app).sessions_list.at_end
        await press(pilot, "k", "k")
        key = browse(app).sessions_list.key
        append(sample, 2, "live two")
        await shows(pilot, app, "1 new")
        assert browse(app).sessions_list.key == key
        await press(pilot, "G")
        await shows(pilot, app, "following")


async def test_a_card_edited_elsewhere_shows_and_the_cursor_stays(
    open_app: Open, sample: Sample
) -> None:
    app = open_app(watches=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "j", "j", "space", "j")
        screen = browse(app)
        key, marks = screen.cards_list.key, set(screen.cards_list.marks)
        card = sample.bank / "cards" / "pool-timeout-unset-env.md"
        text = card.read_text("utf-8")
        card.write_text(text.replace("description: Pool", "description: Edited pool"), "utf-8")
        await shows(pilot, app, "Edited pool")
        assert screen.cards_list.key == key
        assert screen.cards_list.marks == marks
