"""Items that are like another, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memtui.recall.model import Similar
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.spans import Line, Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row


def alike_rows(found: Sequence[Similar], glyphs: Glyphs) -> list[Row]:
    """Rows with keys `("similar", n, id)`."""
    return [
        Row(("similar", n, one.document.id), partial(_line, one, glyphs=glyphs), one)
        for n, one in enumerate(found)
    ]


def _line(one: Similar, width: int, *, glyphs: Glyphs) -> Line:
    """`≈ 0.71 Title             nearly the same`."""
    tone = "state-warn" if one.duplicate else "muted"
    left: Line = [
        (f"{glyphs.alike} {one.similarity:.2f} ", tone),
        (line_of(one.document.title or one.document.name), "text"),
    ]
    right: list[Sequence[Span]] = []
    if one.duplicate:
        right = [[("nearly the same", "state-warn")]]
    return row(left, right, width, 24, glyphs.ellipsis)
