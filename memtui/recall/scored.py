"""A search before it is cut, and the cut: by number and by budget."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from memtui import reasons
from memtui.recall.model import (
    Document,
    Dropped,
    Hit,
    Mode,
    Note,
    Results,
    Settings,
    Stage,
    Term,
)
from memtui.recall.query import Query


@dataclass(frozen=True, slots=True)
class Ranked:
    """An eligible candidate with its score and the lists that proposed it."""

    document: Document
    score: float
    terms: tuple[Term, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """Every eligible candidate, best first, and all that fell out. `timings` in milliseconds."""

    query: Query
    mode: Mode
    settings: Settings
    ranking: tuple[Ranked, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[Note, ...]
    timings: dict[str, float]


def cut(scored: Scored, limit: int, began: float) -> Results:
    """The first `limit` candidates that the budget has room for; `began` is on the clock of
    `perf_counter`. One that does not fit is left out whole, and smaller ones after it may still fit.
    """
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    spent, budget = 0, scored.settings.budget
    for entry in scored.ranking:
        tokens = entry.document.tokens
        if len(hits) >= limit:
            stage, reason = Stage.CUT, reasons.OVER_LINES
            detail = f"{limit} better ones are shown"
        elif budget is not None and spent + tokens > budget:
            stage, reason = Stage.BUDGET, reasons.OVER_BUDGET
            detail = f"it costs ~{tokens} tokens; ~{budget - spent} of ~{budget} are left"
        else:
            rank = len(hits) + 1
            hits.append(Hit(entry.document, rank, entry.score, entry.terms, entry.sources, tokens))
            spent += tokens
            continue
        dropped.append(Dropped(entry.document, stage, reason, detail, entry.score, entry.terms))
    timings = {**scored.timings, "total": (perf_counter() - began) * 1000}
    return Results(
        query=scored.query.raw,
        mode=scored.mode,
        settings=scored.settings,
        hits=tuple(hits),
        dropped=(*dropped, *scored.dropped),
        degraded=scored.notes,
        candidates=len(scored.ranking) + len(scored.dropped),
        tokens=spent,
        timings=timings,
    )
