"""What can be done in the Browse view: walking back exactly, copying, editing, asking why, layouts."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.widgets import Input

from memtui.tui.services import ServiceError
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane
from memtui.workspace.model import PreviewOptions
from tests.tui.conftest import Open, settle, text_of
from tests.tui.test_timeline import browse, here, press


class Copied:
    """A clipboard that remembers."""

    def __init__(self) -> None:
        self.text = ""

    def copy(self, text: str) -> str:
        self.text = text
        return "clipboard"


class Typist:
    """An editor that replaces words in the file, or fails."""

    def __init__(self, old: str = "", new: str = "") -> None:
        self.old, self.new = old, new

    def edit(self, app: App[None], path: Path) -> None:
        if not self.old:
            raise ServiceError("no editor is set: export EDITOR")
        path.write_text(path.read_text("utf-8").replace(self.old, self.new), "utf-8")


async def test_escape_restores_every_step(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = browse(app)
        await press(pilot, "3")
        stood: list[tuple[str | None, object, object]] = []
        for keys in (("enter",), ("j", "enter"), ("enter",), ("enter",)):
            *before, last = keys
            await press(pilot, *before)
            assert isinstance(app.focused, LineList)
            stood.append((app.focused.id, app.focused.key, screen.subject))
            await press(pilot, last)
        assert here(app).turn is not None
        assert len(screen.trail.labels) == 4
        for place in reversed(stood):
            await press(pilot, "escape")
            assert isinstance(app.focused, LineList)
            assert (app.focused.id, app.focused.key, screen.subject) == place
        assert not screen.trail


async def test_keys_in_one_burst_reach_what_opened(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("2", "slash", *"rollback", "enter"):
            app.post_message(
                events.Key(key, key if len(key) == 1 else "/" if key == "slash" else None)
            )
        await settle(pilot)
        assert browse(app).cards_query.words == "rollback"
        assert not isinstance(app.focused, Input)


async def test_the_preview_is_what_inject_prints(open_app: Open) -> None:
    clipboard = Copied()
    app = open_app(clipboard=clipboard)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = browse(app)
        for keys in (("5",), ("minus", "minus"), ("H",), ("S",), ("0",)):
            await press(pilot, *keys, "Y")
            assert screen.view is not None
            assert screen.preview is not None
            again = app.core.preview(screen.view, screen.options)
            assert clipboard.text == again.plan.text == screen.preview.plan.text
        assert screen.options == PreviewOptions(
            "codex", "resume", None, app.core.branch, resumes=screen.options.resumes
        )
        assert "bytes" in screen.last


async def test_a_line_of_the_preview_leads_to_its_card(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "5", "G", "enter")
        assert app.focused is browse(app).cards_list
        await press(pilot, "escape")
        assert app.focused is browse(app).preview_list


async def test_yank(open_app: Open) -> None:
    clipboard = Copied()
    app = open_app(clipboard=clipboard)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2", "y", "i")
        assert clipboard.text == browse(app).cards_list.key
        await press(pilot, "1", "y", "r")
        assert clipboard.text == here(app).ref


async def test_edit(open_app: Open) -> None:
    app = open_app(editor=Typist("description: ", "description: Mended "))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "e")
        assert "Mended" in text_of(app)


async def test_no_editor_is_said(open_app: Open) -> None:
    app = open_app(editor=Typist())
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "e")
        assert browse(app).last == "no editor is set: export EDITOR"


async def test_why_adds_up(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "w")
        shown = text_of(app)
        assert "(1 + 2x3 + 0) / (2 + 2x3 + 0 + 3x0) = 7 / 8 = 0.88" in shown
        assert "shown, line" in shown


async def test_facets_and_order_of_cards(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "s", "s")
        assert browse(app).cards_query.sort == "state"
        await press(pilot, "t", "j", "enter")
        assert browse(app).cards_query.facets == frozenset({("trust", "confirmed")})
        screen = browse(app)
        assert all(found.trust.tier == "confirmed" for found in screen.cards_list.source.views)  # type: ignore[attr-defined]
        await press(pilot, "escape")
        assert not browse(app).cards_query.facets


@pytest.mark.parametrize("key", ["2", "5"])
async def test_zoom_shows_one_pane(open_app: Open, key: str) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, key, "plus")
        shown = [pane for pane in app.screen.query(Pane) if pane.region]
        assert [str(pane.NUMBER) for pane in shown] == [key]
        await press(pilot, "escape")
        assert len([pane for pane in app.screen.query(Pane) if pane.region]) == 5


@pytest.mark.parametrize(
    ("size", "visible"),
    [
        ((80, 24), {1, 2, 3, 4}),
        ((120, 40), {1, 2, 3, 4, 5}),
        ((200, 50), {1, 2, 3, 4, 5}),
        ((50, 40), {1, 2, 3, 4}),
        ((80, 15), {2, 4}),
        ((36, 30), {2}),
        ((80, 10), {2}),
    ],
)
async def test_panes_at_each_size(open_app: Open, size: tuple[int, int], visible: set[int]) -> None:
    app = open_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        panes = [pane for pane in app.screen.query(Pane) if pane.region]
        assert {pane.NUMBER for pane in panes} == visible
        area = app.screen.region
        assert all(area.contains_region(pane.region) for pane in panes)


async def test_tab_goes_round(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        stops = []
        for _ in range(6):
            await press(pilot, "tab")
            assert app.focused is not None
            stops.append(app.focused.id)
        assert stops == [
            "pages-list", "detail-text", "support-list", "preview-list", "sessions-list", "cards-list",
        ]  # fmt: skip
        await press(pilot, "shift+tab")
        assert app.focused is not None
        assert app.focused.id == "sessions-list"


async def test_clicks(open_app: Open) -> None:
    app = open_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.click("#pages-list", offset=(4, 1))
        await settle(pilot)
        assert app.focused is browse(app).pages_list
        assert browse(app).pages_list.cursor == 1
        await pilot.click("#pages-list", offset=(4, 2), times=2)
        await settle(pilot)
        assert app.focused is browse(app).support_list
        await pilot.click("#footer", offset=(2, 0))
        await settle(pilot)
        assert browse(app).trail
