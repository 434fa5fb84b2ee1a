"""The list widget: virtual, keyed, and calm under change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pytest
from textual.app import App, ComposeResult

from memtui.tui.app import MemtuiApp
from memtui.tui.docs.spans import Line
from memtui.tui.rows import FixedRows, Row
from memtui.tui.tones import COMPONENTS
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.toned import Toned


class Numbers:
    """As many rows as one likes; remembers which were asked for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.drawn: set[int] = set()

    def __len__(self) -> int:
        return self.count

    def key(self, index: int) -> Hashable:
        return index

    def find(self, key: Hashable) -> int | None:
        return key if isinstance(key, int) and key < self.count else None

    def version(self, index: int) -> Hashable:
        return 0

    def line(self, index: int, width: int) -> Line:
        self.drawn.add(index)
        return [(f"row {index}", "text")]


class ListApp(App[None]):
    """One list, and what it said."""

    CSS_PATH = [
        "../../memtui/tui/styles/tones.tcss",
    ]
    COMPONENT_CLASSES = set(COMPONENTS)

    def __init__(self, source: Numbers | FixedRows) -> None:
        super().__init__()
        self.source = source
        self.said: list[object] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        from memtui.tui.themes import variable_defaults

        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield LineList(id="rows")

    def on_mount(self) -> None:
        self.rows.show(self.source)
        self.rows.focus()

    @property
    def rows(self) -> LineList:
        return self.query_one(LineList)

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self.said.append(message.key)


def words(names: Sequence[str]) -> FixedRows:
    def row(name: str) -> Row:
        def draw(width: int) -> Line:
            return [(name, "text")]

        return Row(name, draw, name)

    return FixedRows([row(name) for name in names])


async def test_a_million_rows_draw_only_what_is_seen() -> None:
    source = Numbers(1_000_000)
    app = ListApp(source)
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.press("G", "k", "ctrl+u", "g", "pagedown")
        await pilot.pause()
        assert app.rows.cursor == 19
        assert len(source.drawn) < 200


async def test_the_keys_of_a_list() -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(40, 20)) as pilot:
        for key, where in (
            ("j", 1), ("down", 2), ("k", 1), ("G", 99), ("g", 0), ("end", 99), ("home", 0),
            ("pagedown", 19), ("ctrl+d", 28), ("ctrl+u", 19), ("pageup", 0),
        ):  # fmt: skip
            await pilot.press(key)
            assert app.rows.cursor == where, key


async def test_cursor_marks_and_height_stay_with_their_rows() -> None:
    app = ListApp(words([f"r{n}" for n in range(50)]))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press(*["j"] * 20, "space", "space")
        above = app.rows.cursor - app.rows.scroll_offset.y
        assert app.rows.key == "r22"
        app.rows.show(words(["new", "newer", *(f"r{n}" for n in range(50) if n != 20)]))
        await pilot.pause()
        assert app.rows.key == "r22"
        assert app.rows.marks == {"r21"}
        assert app.rows.cursor - app.rows.scroll_offset.y == above


async def test_the_row_under_the_cursor_goes() -> None:
    app = ListApp(words(["a", "b", "c"]))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("G")
        app.rows.show(words(["a", "b"]))
        await pilot.pause()
        assert app.rows.key == "b"
        app.rows.show(words([]))
        await pilot.pause()
        assert app.rows.key is None
        await pilot.press("j", "k", "G", "g", "space", "pagedown")
        app.rows.show(words(["z"]))
        await pilot.pause()
        assert app.rows.key == "z"


async def test_mouse_moves_opens_and_scrolls() -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.click(LineList, offset=(5, 4))
        assert app.rows.cursor == 4
        await pilot.click(LineList, offset=(5, 6), times=2)
        await pilot.pause()
        assert app.said == [6]


@pytest.mark.parametrize("height", [4, 12])
async def test_a_squashed_list_comes_back_as_it_was(height: int) -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(40, height)) as pilot:
        app.rows.go(50)
        await pilot.press("k")
        await pilot.pause()
        top = app.rows.scroll_offset.y
        app.rows.styles.height = 1
        await pilot.pause()
        assert app.rows.scroll_offset.y == app.rows.cursor
        app.rows.styles.height = height
        await pilot.pause()
        assert app.rows.scroll_offset.y == top


@pytest.mark.parametrize("widget", [LineList, DocView, Lines])
def test_tones_are_styled_once_by_the_app(widget: type[Toned]) -> None:
    """As components of every widget they were found anew for each, which took as long as all else."""
    assert not COMPONENTS & widget._get_component_classes()
    assert MemtuiApp._get_component_classes() >= COMPONENTS
