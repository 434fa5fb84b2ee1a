"""Picking a card: the nearest first, narrowed by words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from memtui.tui.docs.columns import highlight
from memtui.tui.docs.item_rows import card_row
from memtui.tui.docs.spans import Line, clip_line
from memtui.tui.glyphs import Glyphs, glyphs_of
from memtui.tui.listing import ListQuery, matches
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.model import ItemView

NEW = "new"
"""What is given back for a card that does not exist yet."""


class PickScreen(Overlay[str]):
    """Gives back the id of a card, `NEW`, or None."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "back", "close", id="pick-close", show=False, priority=True),
        Binding("down", "step(1)", "down", id="pick-down", show=False, priority=True),
        Binding("up", "step(-1)", "up", id="pick-up", show=False, priority=True),
        Binding("pagedown", "step(10)", "page down", id="pick-page-down", show=False, priority=True),
        Binding("pageup", "step(-10)", "page up", id="pick-page-up", show=False, priority=True),
    ]  # fmt: skip

    def __init__(self, title: str, cards: Sequence[ItemView], new: str) -> None:
        super().__init__()
        self._title = title
        self._cards = tuple(cards)
        self._new = new

    def compose(self) -> ComposeResult:
        """A search line above the list."""
        with Vertical(id="dialog-box"):
            yield Input(
                placeholder="words of title, tags or type", id="dialog-search", compact=True
            )
            yield LineList(id="pick-list", markable=False)

    def on_mount(self) -> None:
        """Show all, the nearest first."""
        box = self.query_one("#dialog-box")
        box.border_title = Content(self._title)
        box.border_subtitle = Content("enter chooses  esc closes")
        self._fill("")
        self.set_focus(self.query_one(Input))

    def _fill(self, text: str) -> None:
        glyphs = glyphs_of(self.app)
        query = ListQuery(words=text.strip())
        rows = [] if query.terms else [Row(NEW, partial(_new_row, self._new, glyphs))]
        for card in self._cards:
            if matches(card, query):
                draw = partial(card_row, card, glyphs=glyphs, words=query.terms)
                rows.append(Row(card.item.id, draw, query.terms))
        listed = self.query_one(LineList)
        listed.say([[("no card matches", "muted")]])
        listed.show(FixedRows(rows), keep=False)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_open()

    @on(LineList.Chosen)
    def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.leave(str(message.key))

    @on(LineList.Moved)
    @on(LineList.Changed)
    def _listed(self, message: LineList.Moved | LineList.Changed) -> None:
        message.stop()

    def action_open(self) -> None:
        """This one."""
        key = self.query_one(LineList).key
        if key is not None:
            self.leave(str(key))

    def action_step(self, step: int) -> None:
        """Move in the list while typing."""
        self.query_one(LineList).action_move(step)


def _new_row(text: str, glyphs: Glyphs, width: int) -> Line:
    return clip_line(highlight([(text, "accent")], ()), width, glyphs.ellipsis)
