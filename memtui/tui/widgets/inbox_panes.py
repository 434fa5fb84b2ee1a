"""The third pane of the Inbox: what is there, and what a proposal rests on."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.tui.docs.document import Document
from memtui.tui.docs.spans import Line
from memtui.tui.rows import FixedRows, Row
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.side_pane import SidePane

_MAX_PART = 0.4
"""The part of the pane that the list below the text may take."""


class BesidePane(SidePane):
    """The nearest items and the evidence as a text, and below it as rows to go down from."""

    def compose(self) -> ComposeResult:
        """Text above, list below."""
        yield DocView(id="beside-text")
        yield Lines(id="beside-head")
        yield LineList(id="beside-list", markable=False)

    @property
    def text(self) -> DocView:
        """The text."""
        return self.query_one("#beside-text", DocView)

    @property
    def listed(self) -> LineList:
        """What can be opened."""
        return self.query_one("#beside-list", LineList)

    def main(self) -> Widget:
        """The text gets the focus."""
        return self.text

    def show(self, document: Document, head: Line, rows: Sequence[Row]) -> None:
        """Show both; without rows there is only the text."""
        same = document.key == self.text.document.key
        self.text.show(document)
        self.listed.display = self.query_one("#beside-head", Lines).display = bool(rows)
        line: Line = [*head, (" ", ""), (self.text.glyphs.rule * 200, "faint")]
        self.query_one("#beside-head", Lines).show([line])
        self.listed.show(FixedRows(rows), keep=same)
        self._fit()

    def on_resize(self) -> None:
        """Keep the list below its part of the height."""
        self._fit()

    def _fit(self) -> None:
        room = max(1, int(self.size.height * _MAX_PART) - 1)
        self.listed.styles.height = max(1, min(len(self.listed), room))
