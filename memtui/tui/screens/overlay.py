"""What boxes over a view have in common: they close once, by key or by a click beside them."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.screen import ModalScreen

T = TypeVar("T")


class Overlay(ModalScreen[T | None]):
    """A box over the view."""

    def leave(self, value: T | None) -> None:
        """Close with a value; keys that arrive while it closes do nothing."""
        if self.is_current:
            self.dismiss(value)

    def action_back(self) -> None:
        """Close without a value."""
        self.leave(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the box closes."""
        if event.widget is self:
            self.leave(None)
