"""All extractors of one session, and what they find in it as observations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui.capture.extract.barriers import barriers
from memtui.capture.extract.changes import changes
from memtui.capture.extract.dead_ends import dead_ends
from memtui.capture.extract.failures import failures
from memtui.capture.extract.finding import Extractor, Finding
from memtui.capture.extract.runs import reports, results
from memtui.capture.extract.spoken import causes, corrections, decisions, facts
from memtui.capture.turns import Turn

EXTRACTORS: tuple[Extractor, ...] = (
    failures,
    corrections,
    facts,
    barriers,
    causes,
    decisions,
    dead_ends,
    changes,
    reports,
    results,
)
"""In order: where two tell the same of a turn, the earlier one is kept."""


def findings(turns: Sequence[Turn]) -> Iterator[Finding]:
    """What one session shows, extractor by extractor; a sentence counts once."""
    told: set[tuple[int, str]] = set()
    for extract in EXTRACTORS:
        for finding in extract(turns):
            mark = (finding.places[0], finding.sentence)
            if mark not in told:
                told.add(mark)
                yield finding
