"""A unified diff as toned lines."""

from __future__ import annotations

from memtui.tui.docs.spans import Line, wrap_raw


def diff_lines(diff: str, width: int) -> list[Line]:
    """Added, removed and hunk lines in their tones; the sign in column one carries the meaning."""
    lines: list[Line] = []
    for text in diff.rstrip("\n").split("\n"):
        if text.startswith(("+++", "---", "diff ", "index ")):
            tone = "muted"
        elif text.startswith("@@"):
            tone = "hunk"
        elif text.startswith("+"):
            tone = "add"
        elif text.startswith("-"):
            tone = "remove"
        else:
            tone = "text"
        lines.extend(wrap_raw(text, tone, width))
    return lines
