"""How rows of lists are put together: columns that drop in a fixed order as the width shrinks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memtui.tui.docs.spans import Line, Span, clip_line, spread, width_of


def row(
    left: Sequence[Span], right: Sequence[Sequence[Span]], width: int, keep: int, ellipsis: str
) -> Line:
    """`left`, then as many groups of `right` as leave `keep` cells to the left; later groups drop first."""
    shown: list[Sequence[Span]] = []
    used = 0
    for group in right:
        size = width_of(group) + 1
        if not group or width - used - size < keep:
            continue
        shown.append(group)
        used += size
    end: Line = []
    for number, group in enumerate(shown):
        if number:
            end.append((" ", ""))
        end.extend(group)
    return spread(left, end, width, ellipsis)


def highlight(line: Sequence[Span], words: Sequence[str]) -> Line:
    """The line with every occurrence of the words toned as a match."""
    wanted = [re.escape(word) for word in words if word]
    if not wanted:
        return list(line)
    pattern = re.compile("|".join(wanted), re.IGNORECASE)
    out: Line = []
    for text, tone in line:
        last = 0
        for match in pattern.finditer(text):
            if match.start() > last:
                out.append((text[last : match.start()], tone))
            out.append((match.group(), "match"))
            last = match.end()
        if last < len(text):
            out.append((text[last:], tone))
    return out


def indent(line: Sequence[Span], cells: int, width: int, ellipsis: str) -> Line:
    """The line moved right by some cells and cut to the width."""
    return clip_line([(" " * cells, ""), *line], width, ellipsis)
