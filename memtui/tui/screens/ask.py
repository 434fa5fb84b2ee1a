"""A text and a question under it: what an act would change is seen before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.screens.dialog import key_lines
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from memtui.tui.docs.document import Document
    from memtui.tui.docs.spans import Line


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to go on: its key, what it does in words, and the value that it gives back."""

    key: str
    label: str
    value: str


class AskScreen(Overlay[str]):
    """Gives back the value of the answer that was chosen, None for none."""

    CSS_PATH = "ask.tcss"
    BINDINGS = [Binding("escape,q", "back", "close", id="ask-close", show=False, priority=True)]

    def __init__(self, title: str, document: Document, answers: Sequence[Answer]) -> None:
        super().__init__()
        self._title = title
        self._document = document
        self._answers = tuple(answers)
        self._lines: list[Line] = []

    def compose(self) -> ComposeResult:
        """A box with a text, and the answers below it."""
        with Vertical(id="ask-box"):
            yield DocView(id="ask-text")
            yield Lines(id="ask-answers")

    def on_mount(self) -> None:
        """Show the text, in a box no higher than it needs."""
        self.query_one("#ask-box").border_title = Content(self._title)
        view = self.query_one(DocView)
        view.show(self._document)
        self.set_focus(view)
        self._say()
        self.call_after_refresh(self._fit)

    def _say(self) -> None:
        keys = [(answer.key, answer.label) for answer in self._answers]
        width = min(74, self.app.size.width - 2) - 2
        self._lines = key_lines([*keys, ("esc", "changes nothing")], width)
        shown = self.query_one(Lines)
        shown.styles.height = len(self._lines)
        shown.show(self._lines)

    def _fit(self) -> None:
        view = self.query_one(DocView)
        lines = view.text.count("\n") + 1
        view.styles.height = max(1, min(lines, self.app.size.height - 4 - len(self._lines)))

    def on_resize(self) -> None:
        """Fit again."""
        self._say()
        self.call_after_refresh(self._fit)

    def on_key(self, event: events.Key) -> None:
        """An answer's own key chooses it."""
        if self.take_key(event.character):
            event.stop()

    def take_key(self, character: str | None) -> bool:
        """Choose by key; False when no answer has it."""
        for answer in self._answers:
            if answer.key == character:
                self.leave(answer.value)
                return True
        return False

    def action_open(self) -> None:
        """Enter does nothing: an act is asked for by its own key."""
