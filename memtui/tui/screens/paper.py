"""A text over the screen: why a card is shown, what could not be read."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.docs.document import Document
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.doc_view import DocView


class PaperScreen(Overlay[str]):
    """Shows a document in a box until it is closed."""

    CSS_PATH = "paper.tcss"
    BINDINGS = [
        Binding("escape,q,enter", "back", "close", id="paper-close", show=False, priority=True),
    ]

    def __init__(self, title: str, document: Document) -> None:
        super().__init__()
        self._title = title
        self._document = document

    def compose(self) -> ComposeResult:
        """A box with a text."""
        with Vertical(id="paper-box"):
            yield DocView(id="paper-text")

    def on_mount(self) -> None:
        """Show the text, in a box no higher than it needs."""
        box = self.query_one("#paper-box")
        box.border_title = Content(self._title)
        box.border_subtitle = Content("esc closes")
        view = self.query_one(DocView)
        view.show(self._document)
        self.set_focus(view)
        self.call_after_refresh(self._fit)

    def update(self, document: Document) -> None:
        """Show more of the same; nothing when it is closed already."""
        self._document = document
        if self.is_attached and self.is_mounted:
            self.query_one(DocView).show(document)
            self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        view = self.query_one(DocView)
        lines = view.text.count("\n") + 1
        view.styles.height = max(1, min(lines, self.app.size.height - 4))

    def on_resize(self) -> None:
        """Fit again."""
        self.call_after_refresh(self._fit)
