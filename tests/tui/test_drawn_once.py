"""What lists and bars keep drawn is what Textual would draw anew."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.filter import Monochrome
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from memtui.tui.tones import COMPONENTS
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from tests.tui.test_line_list import Numbers, words


class BothApp(App[None]):
    """A list and a bar."""

    CSS_PATH = ["../../memtui/tui/styles/tones.tcss"]
    CSS = "Lines { height: 2; padding: 0 1; } LineList { scrollbar-size: 1 1; }"
    COMPONENT_CLASSES = set(COMPONENTS)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        from memtui.tui.themes import variable_defaults

        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield Lines(id="bar")
        yield LineList(id="rows")

    @property
    def rows(self) -> LineList:
        return self.query_one(LineList)

    @property
    def bar(self) -> Lines:
        return self.query_one(Lines)


def drawn(strips: list[Strip]) -> list[list[tuple[str, str]]]:
    """Characters with the colours that they have, however they are cut into segments."""
    return [
        [(char, str(segment.style)) for segment in strip for char in segment.text]
        for strip in strips
    ]


def anew(widget: Widget, crop: Region) -> list[Strip]:
    """The widget as Textual draws it, which keeps nothing."""
    widget._styles_cache.clear()
    return Widget.render_lines(widget, crop)


@pytest.mark.parametrize("rows", [0, 3, 500])
@pytest.mark.parametrize("plain", [False, True])
async def test_a_list_draws_what_textual_would(rows: int, plain: bool) -> None:
    app = BothApp()
    async with app.run_test(size=(30, 12)) as pilot:
        if plain:
            app._filters.append(Monochrome())
        app.rows.show(Numbers(rows))
        app.rows.focus()
        await pilot.press("j", "j", "space", "G")
        await pilot.pause()
        width, height = app.rows.region.size
        for crop in (Region(0, 0, width, height), Region(3, 2, 11, 4)):
            for _ in range(2):
                assert drawn(app.rows.render_lines(crop)) == drawn(anew(app.rows, crop))


async def test_a_bar_is_drawn_again_when_it_says_or_looks_otherwise() -> None:
    app = BothApp()
    async with app.run_test(size=(30, 12)) as pilot:
        crop = Region(0, 0, 30, 2)

        async def now() -> list[Strip]:
            await pilot.pause()
            strips = app.bar.render_lines(crop)
            assert drawn(strips) == drawn(anew(app.bar, crop))
            return strips

        app.bar.show([[("one", "text")], [("two", "accent")]])
        first = await now()
        assert await now() is first, "nothing changed: nothing is drawn again"
        app.bar.show([[("one", "text")], [("three", "accent")]])
        second = await now()
        assert "three" in second[1].text
        app.theme = "textual-light"
        light = await now()
        assert drawn(light) != drawn(second)
        await pilot.resize_terminal(20, 12)
        crop = Region(0, 0, 20, 2)
        assert {strip.cell_length for strip in await now()} == {20}


async def test_rows_that_change_in_place_are_drawn_again() -> None:
    app = BothApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.rows.show(words(["a", "b"]))
        await pilot.pause()
        app.rows.show(words(["a", "c"]))
        await pilot.pause()
        strips = app.rows.render_lines(Region(0, 0, 30, 2))
        assert [strip.text.strip(" ▌") for strip in strips] == ["a", "c"]
