"""Lines of toned spans: the one form in which text reaches a widget, literal and measured in cells.

A span is `(text, tone)`; a tone is a name that the stylesheet gives a colour (`tones.py`). Text must
be sanitized before it is put into a span.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size

Span = tuple[str, str]
Line = list[Span]


def width_of(line: Iterable[Span]) -> int:
    """Cells that the line takes."""
    return sum(cell_len(text) for text, _ in line)


def plain(line: Iterable[Span]) -> str:
    """The line's text."""
    return "".join(text for text, _ in line)


def clip(text: str, width: int, ellipsis: str = "…") -> str:
    """At most `width` cells of `text`; what is cut off is marked by the ellipsis."""
    if width <= 0:
        return ""
    if len(text) <= width and text.isascii():
        return text
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ellipsis


def fit(text: str, width: int, ellipsis: str = "…", right: bool = False) -> str:
    """Exactly `width` cells: clipped or padded, on the left when `right`."""
    text = clip(text, width, ellipsis)
    padding = " " * (max(width, 0) - cell_len(text))
    return padding + text if right else text + padding


def clip_line(line: Sequence[Span], width: int, ellipsis: str = "…") -> Line:
    """At most `width` cells of a line, with the ellipsis where it was cut."""
    if width_of(line) <= width:
        return list(line)
    kept: Line = []
    left = width
    for text, tone in line:
        size = cell_len(text)
        if size < left:
            kept.append((text, tone))
            left -= size
            continue
        kept.append((clip(text + " " * (left + 1), left, ellipsis), tone))
        break
    return kept


def spread(left: Sequence[Span], right: Sequence[Span], width: int, ellipsis: str = "…") -> Line:
    """`left` and `right` at the two ends of `width` cells; the left one is cut first."""
    if not right:
        return clip_line(left, width, ellipsis)
    end = clip_line(right, width, ellipsis)
    room = max(0, width - width_of(end) - 1)
    start = clip_line(left, room, ellipsis)
    gap = width - width_of(start) - width_of(end)
    return [*start, (" " * gap, ""), *end]


def _pieces(line: Iterable[Span]) -> Iterator[Span]:
    """Words and runs of spaces, each with its tone."""
    for text, tone in line:
        start = 0
        for index in range(1, len(text) + 1):
            if index == len(text) or (text[index] == " ") != (text[start] == " "):
                yield text[start:index], tone
                start = index


def _chop(word: str, room: int, width: int) -> Iterator[str]:
    """Parts of a word that is wider than a line: the first fits `room`, the others `width`."""
    part, used = "", 0
    limit = room
    for char in word:
        size = cell_len(char)
        if used + size > limit and part:
            yield part
            part, used, limit = "", 0, width
        part += char
        used += size
    yield part


def wrap(
    line: Sequence[Span], width: int, hang: Sequence[Span] = (), first: int | None = None
) -> list[Line]:
    """Break a line at spaces into lines of at most `width` cells; `hang` begins all but the first.

    `first` is the width of the first line where something stands beside it.
    """
    rest = max(width, 4)
    width = rest if first is None else max(first, 4)
    if width_of(line) <= width:
        return [list(line)]
    indent = width_of(hang)
    if indent >= rest - 4:
        hang, indent = (), 0
    lines: list[Line] = []
    current: Line = []
    used = 0
    blank = True
    for piece, tone in _pieces(line):
        size = cell_len(piece)
        if piece[0] == " ":
            if used + size <= width and not (blank and lines):
                current.append((piece, tone))
                used += size
            continue
        if used + size > width and not blank:
            lines.append(_trimmed(current))
            current, used, blank, width = list(hang), indent, True, rest
        if size > width - used:
            parts = list(_chop(piece, width - used, rest - indent))
            for part in parts[:-1]:
                current.append((part, tone))
                lines.append(current)
                current, used, width = list(hang), indent, rest
            piece = parts[-1]
            size = cell_len(piece)
        current.append((piece, tone))
        used += size
        blank = False
    lines.append(_trimmed(current))
    return lines


def _trimmed(line: Line) -> Line:
    """The line without spaces at its end."""
    while line and not line[-1][0].strip(" "):
        line.pop()
    return line


def wrap_raw(text: str, tone: str, width: int) -> list[Line]:
    """One line of code or output at `width` cells: its own spaces stay, it breaks at them if it can."""
    return wrap([(text, tone)], width) if text else [[]]
