"""The first-run screen: what was looked for, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.empty import Key
from memtui.tui.docs.spans import Line, wrap
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import Looked

_SESSIONS = "sessions of "

_STEPS = (
    ("memtui demo", "a sample bank to look around in"),
    ("memtui PATH", "a bank folder, or a Claude Code memory/ folder as it stands"),
    ("cd PROJECT", "start memtui where your agent works: its sessions show up by themselves"),
)


def _together(looked: Sequence[Looked]) -> list[tuple[str, str, Looked]]:
    """What was looked for, where, and one of them; what was looked for in one place stands together.

    There are a dozen agent hosts, and a line for each would push what to do off the screen.
    """
    groups: dict[tuple[str, bool, str], list[Looked]] = {}
    for one in looked:
        groups.setdefault((str(one.place), one.found, one.detail), []).append(one)
    together = []
    for (place, _, _), members in groups.items():
        first = members[0].what
        same = [one.what.removeprefix(_SESSIONS) for one in members[1:]]
        together.append((", ".join([first, *same]), place, members[0]))
    return together


def welcome_lines(
    looked: Sequence[Looked], width: int, glyphs: Glyphs, key: Key, elsewhere: int = 0
) -> list[Line]:
    """Lines at `width` cells; `elsewhere` counts other projects."""
    lines: list[Line] = [
        [],
        [("Nothing is remembered here yet", "title")],
        [],
        *wrap(
            [("memtui looked for a bank and for sessions of coding agents, here:", "muted")], width
        ),
        [],
    ]
    hang: Line = [("  ", "")]
    for whats, place, one in _together(looked):
        sign = (f"{glyphs.verified} ", "ok") if one.found else (f"{glyphs.gone} ", "faint")
        detail = f"  {line_of(one.detail)}" if one.detail else ""
        shown: Line = [(line_of(place), "text"), (detail, "muted")]
        lines += wrap([sign, (f"{whats}  ", "muted"), *shown], width, hang)
    lines += [[], [("What you can do", "heading")]]
    steps = list(_STEPS)
    if elsewhere:
        what = "the project" if elsewhere == 1 else f"the {elsewhere:,} projects"
        steps.insert(
            0,
            (
                key("view-projects"),
                f"{what} in which agents worked elsewhere: open one, search all",
            ),
        )
    for command, meaning in steps:
        lines += wrap([(f"{command:<14}", "key"), (meaning, "text")], width, [(" " * 14, "")])
    lines += [
        [],
        *wrap(
            [
                (f"{key('begin-bank')} ", "key"),
                ("begins a bank here, ", "muted"),
                (f"{key('reload')} ", "key"),
                ("looks again, ", "muted"),
                (f"{key('quit')} ", "key"),
                ("leaves", "muted"),
            ],
            width,
        ),
    ]
    return lines
