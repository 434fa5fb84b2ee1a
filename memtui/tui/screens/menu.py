"""A menu of choices, and a question of what is written in it: sort, facets, copy, theme, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, Span, clip, spread, width_of
from memtui.tui.glyphs import Glyphs, glyphs_of
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.line_list import LineList


@dataclass(frozen=True, slots=True)
class Choice:
    """One row: `key` chooses it at once, `chosen` marks what holds now."""

    value: str
    label: str
    note: str = ""
    key: str = ""
    chosen: bool = False


class MenuScreen(Overlay[str]):
    """Chooses one value; Esc chooses none."""

    CSS_PATH = "menu.tcss"
    BINDINGS = [
        Binding("escape,q", "back", "close", id="menu-close", show=False),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        on_move: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._on_move = on_move

    def compose(self) -> ComposeResult:
        """A box with a list."""
        with Vertical(id="menu-box"):
            yield LineList(id="menu-list", markable=False)

    def on_mount(self) -> None:
        """Fill the list; the cursor stands on what holds now."""
        glyphs = glyphs_of(self.app)
        box = self.query_one("#menu-box")
        box.border_title = Content(self._title)
        box.border_subtitle = Content("enter chooses  esc closes")
        rows = [Row(choice.value, partial(_draw, choice, glyphs)) for choice in self._choices]
        menu = self.query_one(LineList)
        menu.show(FixedRows(rows), keep=False)
        menu.styles.height = min(len(rows), max(3, self.app.size.height - 6))
        for index, choice in enumerate(self._choices):
            if choice.chosen:
                menu.go(index)
                break
        self.set_focus(menu)

    @on(LineList.Chosen)
    def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.leave(str(message.key))

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()
        if self._on_move is not None and message.key is not None:
            self._on_move(str(message.key))

    def on_key(self, event: events.Key) -> None:
        """A choice's own key chooses it."""
        if self.take_key(event.character):
            event.stop()

    def take_key(self, character: str | None) -> bool:
        """Choose by key; False when no choice has it."""
        for choice in self._choices:
            if choice.key and choice.key == character:
                self.leave(choice.value)
                return True
        return False

    def action_open(self) -> None:
        """Choose the row under the cursor."""
        key = self.query_one(LineList).key
        if key is not None:
            self.leave(str(key))


def _draw(choice: Choice, glyphs: Glyphs, width: int) -> Line:
    mark: Span = (f"{glyphs.verified if choice.chosen else ' '} ", "ok")
    left: Line = [mark]
    if choice.key:
        left.append((f"{choice.key}  ", "key"))
    left.append((choice.label, "text"))
    room = width - width_of(left) - 4
    note = clip(line_of(choice.note), room, glyphs.ellipsis)
    return spread(left, [(f"{note} ", "muted")] if note else [], width, glyphs.ellipsis)
