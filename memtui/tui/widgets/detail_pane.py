"""Pane 4: whatever is under the cursor, and below it what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widget import Widget

from memtui.tui.actions import bindings
from memtui.tui.docs.document import Document
from memtui.tui.docs.spans import Line
from memtui.tui.rows import FixedRows, Row
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pane import Pane

_MAX_PART = 0.45
"""The part of the pane that the list below the text may take."""


class DetailPane(Pane):
    """A text, and under a card or page the list of its evidence or claims."""

    BINDINGS = bindings("detail")
    SCOPE = "detail"
    NUMBER = 4
    NAME = "Detail"

    def compose(self) -> ComposeResult:
        """Text above, list below."""
        yield DocView(id="detail-text")
        yield Lines(id="support-head")
        yield LineList(id="support-list", markable=False)

    @property
    def text(self) -> DocView:
        """The text."""
        return self.query_one("#detail-text", DocView)

    @property
    def support(self) -> LineList:
        """The list of evidence or claims."""
        return self.query_one("#support-list", LineList)

    @property
    def supported(self) -> bool:
        """Whether there is a list with rows below the text."""
        return self.support.display and len(self.support) > 0

    def main(self) -> Widget:
        """The text gets the focus."""
        return self.text

    def show(self, document: Document, noun: str) -> None:
        """Show a document; `noun` names it in the title."""
        self.text.show(document)
        self.entitle(noun)

    def rest_on(self, head: Line | None, rows: Sequence[Row], *, keep: bool) -> None:
        """Show what the item rests on below the text; None hides the list."""
        self.support.display = self.query_one("#support-head", Lines).display = head is not None
        if head is not None:
            line: Line = [*head, (" ", ""), (self.text.glyphs.rule * 200, "faint")]
            self.query_one("#support-head", Lines).show([line])
        self.support.show(FixedRows(rows), keep=keep)
        self._fit()

    def on_resize(self) -> None:
        """Keep the list below its part of the height."""
        self._fit()

    def _fit(self) -> None:
        room = int(self.size.height * _MAX_PART)
        self.support.styles.height = max(1, min(len(self.support) or 1, max(2, room)))
