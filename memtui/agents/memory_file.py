"""How much of a host's own `MEMORY.md` reaches the model: the cut at the exact character.

Measured on Claude Code 2.1.197: white space around the text is dropped first, then at most 200 lines are
kept, then at most 25,000 UTF-16 units: up to the last line end within them, or to the very unit where
there is none. A warning follows what was cut.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_LINES = 200
MAX_UNITS = 25_000
LINES = "lines"
UNITS = "units"
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What JavaScript's `trim` drops."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The part `start:end` (character indexes) of the text is sent.

    `reason` is "" when all of it is, else "lines" or "units". `lost_line` is the number, from 1, of the
    first line of the file that is not sent, or not whole; 0 when none is lost.
    """

    start: int
    end: int
    reason: str = ""
    lost_line: int = 0

    def sent(self, text: str) -> str:
        """What reaches the model."""
        return text[self.start : self.end]


def cut_memory(text: str) -> Cut:
    """Where Claude Code cuts this text of a `MEMORY.md`."""
    start = len(text) - len(text.lstrip(_SPACE))
    end = max(start, len(text.rstrip(_SPACE)))
    reason = ""
    after_lines = _line_limit(text, start, end)
    if after_lines < end:
        end, reason = after_lines, LINES
    after_units = _unit_limit(text, start, end)
    if after_units < end:
        end, reason = after_units, UNITS
    if not reason:
        return Cut(start, end)
    return Cut(
        start, end, reason, text.count("\n", 0, end) + (2 if text[end : end + 1] == "\n" else 1)
    )


def _line_limit(text: str, start: int, end: int) -> int:
    """The end of the 200th line, or `end`."""
    at = start - 1
    for _ in range(MAX_LINES):
        at = text.find("\n", at + 1, end)
        if at < 0:
            return end
    return at


def _unit_limit(text: str, start: int, end: int) -> int:
    """The last line end within the limit of UTF-16 units, or the limit itself, or `end`."""
    units, at, newline = 0, start, -1
    while at < end:
        width = 2 if text[at] > "\uffff" else 1
        if text[at] == "\n" and units <= MAX_UNITS:
            newline = at
        if units + width > MAX_UNITS:
            return newline if newline > start else at
        units += width
        at += 1
    return end
