"""The gate through which all stored text comes to the screen: nothing is drawn that did not pass here."""

from __future__ import annotations

from memtui.safety.sanitize import one_line, sanitize

PREVIEW = 400
"""Characters of one line that are worth measuring; no list is wider."""


def line_of(text: str, limit: int = PREVIEW) -> str:
    """Stored text as one line, safe to draw."""
    return one_line(text, limit)


def body_of(text: str) -> str:
    """Stored text of many lines, safe to draw; tabs become spaces."""
    return sanitize(text)
