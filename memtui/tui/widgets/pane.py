"""A numbered pane: a border with its name and a count, around a list or a text."""

from __future__ import annotations

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from memtui.tui.glyphs import glyphs_of
from memtui.tui.widgets.line_list import LineList


class Pane(Vertical):
    """One of the five panes. A click on its border gives it the focus."""

    SCOPE = ""
    NUMBER = 0
    NAME = ""

    def on_mount(self) -> None:
        """Draw the title."""
        self.add_class("pane")
        self.entitle()

    def entitle(self, note: str = "") -> None:
        """`1 Sessions`, with a note of what part of it is shown."""
        title = f"{self.NUMBER} {self.NAME}"
        dot = glyphs_of(self.app).separator
        self.border_title = Content(f"{title} {dot} {note}" if note else title)

    def count(self, text: str) -> None:
        """What stands in the lower border: `n/m` and marks."""
        self.border_subtitle = Content(text)

    def main(self) -> Widget:
        """What gets the focus of this pane."""
        return self.query_one(LineList)

    def on_click(self, event: events.Click) -> None:
        """A click beside the list."""
        if event.widget is self:
            self.main().focus()


def count_text(rows: LineList, total: int | None = None) -> str:
    """`4/36`, with marks and, under a filter, how many there are in all."""
    if not len(rows):
        return "" if not total else f"0 of {total}"
    text = f"{rows.cursor + 1}/{len(rows)}"
    if total is not None and total != len(rows):
        text += f" of {total}"
    if rows.marks:
        text = f"{len(rows.marks)} marked  {text}"
    return text
