"""Pane 1: the timeline of all sessions."""

from __future__ import annotations

from textual.app import ComposeResult

from memtui.tui.actions import bindings
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane


class SessionsPane(Pane):
    """Sessions and their turns, newest last."""

    BINDINGS = bindings("sessions")
    SCOPE = "sessions"
    NUMBER = 1
    NAME = "Sessions"

    def compose(self) -> ComposeResult:
        """One list."""
        yield LineList(id="sessions-list")
