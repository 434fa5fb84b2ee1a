"""The line at the bottom in which words are typed: filter, find, go to a time."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from memtui.tui.widgets.lines import Lines

_DEBOUNCE = 0.08


class InputLine(Horizontal):
    """Asks for words. `purpose` comes back with every message."""

    @dataclass
    class Typed(Message):
        """The words so far, after a pause in typing."""

        purpose: str
        text: str

    @dataclass
    class Done(Message):
        """Enter: these are the words."""

        purpose: str
        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.purpose = ""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """A label and the input."""
        yield Lines(id="input-label")
        yield Input(id="input-text", compact=True)

    @property
    def is_open(self) -> bool:
        """Whether it is asking."""
        return self.has_class("-open")

    def ask(self, purpose: str, label: str, text: str = "", hint: str = "") -> None:
        """Open with what was typed before."""
        self.purpose = purpose
        head = self.query_one("#input-label", Lines)
        head.styles.width = len(label) + 2
        head.show([[(f" {label} ", "key")]])
        field = self.query_one(Input)
        field.placeholder = hint
        with self.prevent(Input.Changed):
            field.value = text
        self.add_class("-open")
        self.screen.set_focus(field, scroll_visible=False)

    def close(self) -> None:
        """Stop asking."""
        if self._timer is not None:
            self._timer.stop()
        self.remove_class("-open")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        purpose, text = self.purpose, event.value
        self._timer = self.set_timer(
            _DEBOUNCE, lambda: self.post_message(self.Typed(purpose, text)) and None
        )

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.close()
        self.post_message(self.Done(self.purpose, event.value))
