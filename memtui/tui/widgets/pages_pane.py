"""Pane 3: the pages of the bank."""

from __future__ import annotations

from textual.app import ComposeResult

from memtui.tui.actions import bindings
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class PagesPane(Pane):
    """Pages with how many cards they rest on and whether they are behind."""

    BINDINGS = bindings("pages")
    SCOPE = "pages"
    NUMBER = 3
    NAME = "Pages"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="pages-list")
