"""The third pane of the Inbox: what is there, and what a proposal rests on."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.side_pane import SidePane


class BesidePane(SidePane):
    """The nearest items and the evidence."""

    def compose(self) -> ComposeResult:
        """One text."""
        yield DocView(id="beside-text")

    def main(self) -> Widget:
        """The text gets the focus."""
        return self.query_one(DocView)
