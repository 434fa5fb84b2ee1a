"""The first-run screen: what was looked for, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, wrap
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import Looked

_STEPS = (
    ("memtui demo", "a sample bank to look around in"),
    ("memtui PATH", "a bank folder, or a Claude Code memory/ folder as it stands"),
    ("cd PROJECT", "start memtui where your agent works: its sessions show up by themselves"),
)


def welcome_lines(looked: Sequence[Looked], width: int, glyphs: Glyphs) -> list[Line]:
    """Lines at `width` cells."""
    lines: list[Line] = [
        [],
        [("Nothing is remembered here yet", "title")],
        [],
        *wrap(
            [("memtui looked for a bank and for sessions of coding agents, here:", "muted")], width
        ),
        [],
    ]
    size = max((len(one.what) for one in looked), default=0) + 2
    hang: Line = [(" " * (size + 2), "")]
    for one in looked:
        sign = (f"{glyphs.verified} ", "ok") if one.found else (f"{glyphs.gone} ", "faint")
        detail = f"  {line_of(one.detail)}" if one.detail else ""
        place: Line = [(line_of(str(one.place)), "text"), (detail, "muted")]
        lines += wrap([sign, (one.what.ljust(size), "muted"), *place], width, hang)
    lines += [[], [("What you can do", "heading")]]
    for command, meaning in _STEPS:
        lines += wrap([(f"{command:<14}", "key"), (meaning, "text")], width, [(" " * 14, "")])
    lines += [
        [],
        *wrap(
            [("R ", "key"), ("looks again, ", "muted"), ("q ", "key"), ("leaves", "muted")], width
        ),
    ]
    return lines
