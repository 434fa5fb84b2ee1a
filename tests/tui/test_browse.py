"""The Browse view by keyboard: what a user does, and what the screen then says."""

from __future__ import annotations

import shutil
from typing import cast

import pytest

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.workspace.sample import Sample
from tests.tui.conftest import Open, settle, text_of


async def shown_after(app: MemtuiApp, *keys: str, size: tuple[int, int] = (120, 40)) -> str:
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        return text_of(app)


async def test_a_claim_is_walked_down_to_the_record_and_back(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, said in (
            ("3", "Change the data"),
            ("enter", "unsupported"),
            ("j", "unsupported"),
            ("enter", "A new NOT NULL column needs a"),
            ("enter", "evidence"),
            ("enter", "exit 1"),
        ):
            await pilot.press(key)
            await settle(pilot)
            assert said in text_of(app)
        assert "verified" in text_of(app)
        for _ in range(5):
            await pilot.press("escape")
            await settle(pilot)
        assert "claim" not in text_of(app).splitlines()[0]


async def test_the_budget_changes_the_text_at_once(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "of 600" in text_of(app)
        await pilot.press("5", "minus", "minus")
        await settle(pilot)
        small = text_of(app)
        await pilot.press("equals_sign", "equals_sign")
        await settle(pilot)
        assert "of 600" not in small
        assert "of 600" in text_of(app)


async def test_only_errors_are_shown(open_app: Open) -> None:
    shown = await shown_after(open_app(), "1", "t", "e")
    assert "exit 1" in shown
    assert "❯" not in shown


async def test_a_filter_narrows_the_cards_and_escape_gives_them_back(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2", "slash", *"pool", "enter")
        await settle(pilot)
        narrowed = text_of(app)
        await pilot.press("escape")
        await settle(pilot)
        assert "/36" not in narrowed
        assert "/36" in text_of(app)


async def test_gone_evidence_shows_the_kept_excerpt_and_says_so(open_app: Open) -> None:
    shown = await shown_after(open_app(), "2", "slash", *"rollback", "enter", "enter", "enter")
    assert "gone" in shown
    assert "kept excerpt" in shown
    assert "locking" in shown


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50), (50, 40), (40, 12), (30, 10)])
async def test_no_line_is_wider_than_the_screen(open_app: Open, size: tuple[int, int]) -> None:
    shown = await shown_after(open_app(), "3", "enter", size=size)
    assert len(shown.splitlines()) <= size[1]
    assert shown.strip()


async def test_hostile_titles_are_drawn_as_text(open_app: Open, sample: Sample) -> None:
    (sample.bank / "cards" / "aaa.md").write_text(
        '---\nname: aaa\ndescription: "x[/]y \x1b]52;c;aGk=\x07 list[int] \u202e [bold]z"\n---\nbody [/] \x1b[31m\n'
    )
    shown = await shown_after(open_app(), "2", "slash", *"list", "enter")
    assert "x[/]y" in shown
    assert "[bold]z" in shown
    assert "\x1b" not in shown


async def test_a_card_that_goes_leaves_the_others_where_they_were(
    open_app: Open, sample: Sample
) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("2", "j", "j")
        await settle(pilot)
        (sample.bank / "cards" / "exit-codes.md").unlink()
        await pilot.press("R")
        await settle(pilot)
        assert "/35" in text_of(app)


async def test_a_bank_folder_that_is_gone_is_said(open_app: Open, sample: Sample) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        shutil.rmtree(sample.bank)
        await pilot.press("R")
        for _ in range(100):
            await pilot.pause(0.1)
            said = cast(BrowseScreen, app.screen).last
            if "R tries again" in said:
                break
        assert "is no longer there" in said
        assert "R tries again" in said


async def test_it_opens_and_quits_many_times(open_app: Open) -> None:
    for _ in range(5):
        app = open_app()
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("q")
        assert app.return_code == 0
