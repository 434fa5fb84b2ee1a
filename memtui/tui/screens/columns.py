"""A dialog over a list of parts, the texts that they come from side by side, and what comes of them last."""

from __future__ import annotations

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from memtui.tui.screens.dialog import COLUMN, DialogScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines


class ColumnsDialog(DialogScreen[str]):
    """Draws the frame and moves between its parts; what stands in them is the dialog's own."""

    CSS_PATH = "dialog.tcss"

    text = getters.query_one("#dialog-text", DocView)
    listed = getters.query_one(LineList)
    field_line = getters.query_one(InputLine)

    @property
    def sources(self) -> int:
        """How many texts stand beside the result."""
        raise NotImplementedError

    @property
    def heading(self) -> str:
        """What the dialog is about."""
        raise NotImplementedError

    def show_texts(self) -> None:
        """Show everything anew: the size or a part changed."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The list, under it the texts."""
        with Vertical(id="dialog-box", classes="-whole"):
            yield LineList(id="dialog-list", markable=False)
            with Horizontal(id="dialog-columns"):
                for at in range(self.sources):
                    yield DocView(id=f"source-{at}", classes="column")
                yield DocView(id="dialog-text", classes="column")
            yield InputLine(id="input")
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Start on the list."""
        self.query_one("#dialog-box").border_title = Content(self.heading)
        self.begin()
        self.set_focus(self.listed)
        self.say()

    def begin(self) -> None:
        """Fill list and texts for the first time."""
        raise NotImplementedError

    @property
    def stacked(self) -> bool:
        """Whether there is no room for columns: the texts stand under each other."""
        return self.app.size.width < (self.sources + 1) * COLUMN

    def source(self, at: int) -> DocView:
        """The text of one source; out of sight where there is no room."""
        view = self.query_one(f"#source-{at}", DocView)
        view.display = not self.stacked
        return view

    def on_resize(self) -> None:
        """Columns or not."""
        self.show_texts()
        self.say()

    @on(LineList.Changed)
    def _list_changed(self, message: LineList.Changed) -> None:
        message.stop()

    @on(InputLine.Typed)
    def _field_typed(self, message: InputLine.Typed) -> None:
        message.stop()

    def action_turn(self, step: int) -> None:
        """Between the list and the texts."""
        stops = [self.listed, *(view for view in self.query(DocView) if view.display)]
        here = stops.index(self.focused) if self.focused in stops else 0
        self.set_focus(stops[(here + step) % len(stops)])

    def close_field(self) -> bool:
        """Close the field that is being written; False when none is."""
        if not self.field_line.is_open:
            return False
        self.field_line.close()
        self.set_focus(self.listed)
        return True
