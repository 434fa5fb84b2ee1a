"""A text to be edited in place: the body of a merged card, a page, a new card."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import TextArea

from memtui.tui.docs.clean import body_of
from memtui.tui.docs.spans import Line
from memtui.tui.screens.dialog import key_lines
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.lines import Lines


class TextScreen(Overlay[str]):
    """Gives back the edited text, None when it was left. A change is dropped only when asked twice."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "back", "close", id="text-close", show=False, priority=True),
        Binding("ctrl+s", "take", "take", id="text-take", show=False, priority=True),
    ]

    def __init__(self, title: str, text: str, hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = body_of(text)
        self._hint = hint
        self._warned = False

    def compose(self) -> ComposeResult:
        """The text and the keys."""
        with Vertical(id="dialog-box"):
            yield TextArea(self._text, id="dialog-edit", soft_wrap=True, tab_behavior="indent")
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Start writing at the top."""
        box = self.query_one("#dialog-box")
        box.border_title = Content(self._title)
        area = self.query_one(TextArea)
        area.cursor_blink = False
        self.set_focus(area)
        self._say()

    def _say(self, warning: str = "") -> None:
        width = self.app.size.width - 4
        lines: list[Line] = [[(" ", ""), (warning, "state-warn")]]
        if not warning:
            lines = key_lines([("^s", "takes the text"), ("esc", "leaves it")], width)
            lines[-1] += [("  ", ""), (self._hint, "faint")]
        shown = self.query_one("#dialog-keys", Lines)
        shown.styles.height = len(lines)
        shown.show(lines)

    def action_take(self) -> None:
        """This is the text."""
        self.leave(self.query_one(TextArea).text)

    def action_back(self) -> None:
        """Leave; a changed text once more asks."""
        changed = self.query_one(TextArea).text != self._text
        if changed and not self._warned:
            self._warned = True
            self._say("the text was changed: esc again drops it, ^s takes it")
        else:
            self.leave(None)

    def on_text_area_changed(self) -> None:
        """Writing on means that it is not dropped."""
        if self._warned:
            self._warned = False
            self._say()
