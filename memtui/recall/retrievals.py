"""What is written down about a search: enough to see later what was shown, what was not, and why."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from memtui.ledger.model import RetrievalRecord
from memtui.recall.model import Note, Results, Term

LOGGED = 50
"""Candidates that a record keeps, best first."""


class RetrievalLog(Protocol):
    """Where retrievals are kept: the ledger."""

    def add_retrieval(self, record: RetrievalRecord) -> None:
        """Keep one record."""
        ...


def record(results: Results, origin: str, session: str, now: datetime) -> RetrievalRecord:
    """The record of one search."""
    candidates: list[Mapping[str, Any]] = [
        {
            "id": hit.document.id,
            "bank": hit.document.bank,
            "stage": "shown",
            "rank": hit.rank,
            "score": round(hit.score, 6),
            "terms": _terms(hit.terms),
        }
        for hit in results.hits
    ]
    candidates += [
        {
            "id": dropped.document.id,
            "bank": dropped.document.bank,
            "stage": dropped.stage.value,
            "reason": dropped.reason,
            "score": None if dropped.score is None else round(dropped.score, 6),
            "terms": _terms(dropped.terms),
        }
        for dropped in results.dropped
    ]
    return RetrievalRecord(
        id=secrets.token_hex(8),
        at=now,
        origin=origin,
        session=session,
        query=results.query,
        mode=results.mode.value,
        tokens=results.tokens,
        ms=results.timings.get("total", 0.0),
        candidates=tuple(candidates[:LOGGED]),
        shown=tuple(hit.document.id for hit in results.hits),
    )


def notes_line(notes: Sequence[Note]) -> str:
    """All notes in one line, for a status bar."""
    return "; ".join(dict.fromkeys(note.message for note in notes))


def _terms(terms: Sequence[Term]) -> dict[str, float]:
    return {term.name: round(term.value, 6) for term in terms}
