"""The panes of the Recall view: results (twice where two settings are compared), score, laboratory."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from memtui.tui.docs.document import Document
from memtui.tui.glyphs import glyphs_of
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class NamedPane(Pane):
    """A pane that a name stands for, without a number."""

    NAME = ""

    def entitle(self, note: str = "", name: str = "") -> None:
        """The name, with a note of what part of it is shown."""
        dot = glyphs_of(self.app).separator
        title = name or self.NAME
        self.border_title = Content(f"{title} {dot} {note}" if note else title)


class ResultsPane(NamedPane):
    """Results, best first, then what fell out."""

    NAME = "Results"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="results-list", markable=False)


class BeforePane(NamedPane):
    """The same query under the bank's own settings."""

    NAME = "Bank's settings"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="before-list", markable=False)


class ScorePane(NamedPane):
    """Why the result under the cursor stands where it stands."""

    NAME = "Score"

    def compose(self) -> ComposeResult:
        """One text."""
        yield DocView(id="score-text")

    def main(self) -> Widget:
        """The text gets the focus."""
        return self.query_one(DocView)

    def show(self, document: Document) -> None:
        """Show a document."""
        self.query_one(DocView).show(document)


class LabPane(NamedPane):
    """The settings that move the ranking."""

    NAME = "Laboratory"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="lab-list", markable=False)
