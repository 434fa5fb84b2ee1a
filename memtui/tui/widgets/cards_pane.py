"""Pane 2: the cards of the bank."""

from __future__ import annotations

from textual.app import ComposeResult

from memtui.tui.actions import bindings
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class CardsPane(Pane):
    """Cards with trust, state, type and title."""

    BINDINGS = bindings("cards")
    SCOPE = "cards"
    NUMBER = 2
    NAME = "Cards"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="cards-list")
