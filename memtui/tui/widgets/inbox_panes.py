"""The panes of the Inbox: what waits, the card as it would be, and what is there."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class WaitingPane(Pane):
    """What waits."""

    SCOPE, NUMBER, NAME = "inbox", 1, "Inbox"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="waiting-list")


class ProposedPane(Pane):
    """The card as it would be."""

    SCOPE, NUMBER, NAME = "inbox", 2, "Proposed"

    def compose(self) -> ComposeResult:
        """One text."""
        yield DocView(id="proposed-text")

    def main(self) -> Widget:
        """The text."""
        return self.query_one(DocView)


class BesidePane(Pane):
    """What is there, and what the proposal rests on."""

    SCOPE, NUMBER, NAME = "inbox", 3, "Nearest and evidence"

    def compose(self) -> ComposeResult:
        """One text."""
        yield DocView(id="beside-text")

    def main(self) -> Widget:
        """The text."""
        return self.query_one(DocView)
