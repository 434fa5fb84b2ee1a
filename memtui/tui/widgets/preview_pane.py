"""Pane 5: exactly what the next session receives."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult

from memtui.tui.actions import bindings
from memtui.tui.docs.preview_rows import PreviewRows, gauge
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pane import Pane
from memtui.workspace.model import BankView, Preview


class PreviewPane(Pane):
    """The text with its tokens, the cut, and what was held back and why."""

    BINDINGS = bindings("preview")
    SCOPE = "preview"
    NUMBER = 5
    NAME = "Next session"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._preview: Preview | None = None
        self._view: BankView | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        """A gauge above the lines."""
        yield Lines(id="gauge")
        yield LineList(id="preview-list", markable=False)

    def show(self, preview: Preview, view: BankView) -> None:
        """Show a preview; the cursor keeps its line."""
        self._preview, self._view = preview, view
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """The lines break elsewhere."""
        if self.size.width != self._width:
            self._draw()

    def _draw(self) -> None:
        rows = self.query_one(LineList)
        if self._preview is None or self._view is None or self.size.width < 8:
            return
        self._width = self.size.width
        head = self.query_one("#gauge", Lines)
        head.show(gauge(self._preview, self.size.width - 2, head.glyphs))
        rows.show(PreviewRows(self._preview, self._view, self.size.width - 2, head.glyphs))
