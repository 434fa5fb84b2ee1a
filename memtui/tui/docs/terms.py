"""The terms of a score as a block: a bar each, weight times measure, and the sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.tui.docs.spans import Line, fit, spread
from memtui.tui.glyphs import Glyphs

if TYPE_CHECKING:
    from memtui.recall.model import Term

_LABEL = 15
_NUMBER = 6
_LEAST_BAR = 6
_WITH_RAW = 62
"""Cells from which there is room for what was measured before it was normalised."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Labelled terms and their sum. Bars are to the scale of the largest term."""

    rows: tuple[tuple[str, Term], ...]
    score: float

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """A line for each term, one for the sum."""
        largest = max((abs(term.value) for _, term in self.rows), default=0.0) or 1.0
        with_raw = width >= _WITH_RAW
        fixed = _LABEL + _NUMBER + 2 + len(" = 0.000 x 0.000") + (13 if with_raw else 0)
        size = max(0, width - fixed)
        if size < _LEAST_BAR:
            size = max(0, width - _LABEL - _NUMBER - 2)
        lines = [self._line(label, term, largest, size, width, glyphs) for label, term in self.rows]
        total: Line = [(fit("sum", _LABEL), "strong"), (f"{self.score:{_NUMBER}.3f}", "strong")]
        return [*lines, total]

    def _line(
        self, label: str, term: Term, largest: float, size: int, width: int, glyphs: Glyphs
    ) -> Line:
        filled = min(size, round(size * abs(term.value) / largest))
        line: Line = [
            (fit(label, _LABEL), "text"),
            (f"{term.value:{_NUMBER}.3f} ", "strong"),
            (glyphs.full * filled, "accent"),
            (glyphs.empty * (size - filled), "faint"),
        ]
        product = f" = {term.weight:.3f} x {term.normalised:.3f}"
        if _LABEL + _NUMBER + 1 + size + len(product) <= width:
            line.append((product, "muted"))
        if width >= _WITH_RAW:
            line.append((f"  {_raw(term):>11}", "faint"))
        return spread(line, [], width, glyphs.ellipsis)


def _raw(term: Term) -> str:
    """What was measured: a rank, hours, BM25, a cosine."""
    if term.name == "recency" and math.isinf(term.raw):
        return "never used"
    if term.name == "recency" and term.raw > 1.0:
        return f"{term.raw:.0f} h"
    return f"{term.raw:.3f}"
