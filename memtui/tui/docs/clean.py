"""The gate through which all stored text comes to the screen: nothing is drawn that did not pass here."""

from __future__ import annotations

from pathlib import Path

from memtui.safety.sanitize import one_line, sanitize

PREVIEW = 400
"""Characters of one line that are worth measuring; no list is wider."""


def line_of(text: str, limit: int = PREVIEW) -> str:
    """Stored text as one line, safe to draw."""
    return one_line(text, limit)


def body_of(text: str) -> str:
    """Stored text of many lines, safe to draw; tabs become spaces."""
    return sanitize(text)


def homely(path: Path, home: Path) -> str:
    """A path as people write it, with `~` for the home folder; not yet safe to draw."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
