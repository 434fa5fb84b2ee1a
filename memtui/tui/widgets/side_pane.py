"""The panes of a view that is a list with a text beside it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from memtui.tui.glyphs import glyphs_of
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class SidePane(Pane):
    """A pane that a name stands for, without a number."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._title = name

    def entitle(self, note: str = "", name: str = "") -> None:
        """The name, with a note of what part of it is shown."""
        self._title = name or self._title
        dot = glyphs_of(self.app).separator
        self.border_title = Content(f"{self._title} {dot} {note}" if note else self._title)


class ListPane(SidePane):
    """The list."""

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="panel-list")


class TextPane(SidePane):
    """The text about what is under the cursor."""

    def compose(self) -> ComposeResult:
        """One text."""
        yield DocView(id="panel-text")

    def main(self) -> Widget:
        """The text gets the focus."""
        return self.query_one(DocView)
