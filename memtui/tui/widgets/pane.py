"""A numbered pane: a border with its name and a count, around a list or a text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

from memtui.tui.glyphs import glyphs_of
from memtui.tui.widgets.line_list import LineList


class Pane(Vertical):
    """One of the five panes. A click on its border gives it the focus."""

    SCOPE = ""
    NUMBER = 0
    NAME = ""

    _title = ""
    _count = ""
    _line: Region | None = None

    def on_mount(self) -> None:
        """Draw the title."""
        self.add_class("pane")
        self.entitle()

    def entitle(self, note: str = "") -> None:
        """`1 Sessions`, with a note of what part of it is shown."""
        title = f"{self.NUMBER} {self.NAME}"
        dot = glyphs_of(self.app).separator
        title = f"{title} {dot} {note}" if note else title
        if title != self._title:
            self._title = title
            with self._only(0):
                self.border_title = Content(title)

    def count(self, text: str) -> None:
        """What stands in the lower border: `n/m` and marks."""
        if text != self._count:
            self._count = text
            with self._only(self.outer_size.height - 1):
                self.border_subtitle = Content(text)

    @contextmanager
    def _only(self, line: int) -> Iterator[None]:
        """Paint only one line of the border: a pane that is painted as a whole takes its list along."""
        self._line = Region(0, line, self.outer_size.width, 1) if self.outer_size else None
        try:
            yield
        finally:
            self._line = None

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """See `_only`."""
        if self._line is not None and not layout and not recompose:
            regions = (self._line.translate(-self.content_offset),)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

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
