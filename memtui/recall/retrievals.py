"""What is written down about a search: enough to see later what was shown, what was not, and why."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from time import time_ns
from typing import Any, Protocol

from memtui.ledger.model import RetrievalRecord
from memtui.recall.model import Results, Term
from memtui.safety.redact import redact

LOGGED = 50
"""Candidates that a record keeps, best first."""
QUERY_CHARS = 1000


class RetrievalLog(Protocol):
    """Where retrievals are kept: the ledger."""

    def add_retrieval(self, record: RetrievalRecord) -> None:
        """Keep one record."""
        ...


def record(results: Results, origin: str, session: str, now: datetime) -> RetrievalRecord:
    """The record of one search. Its words are redacted: anything may be searched for."""
    return RetrievalRecord(
        # Sorts by time, so that what happened within one second keeps its order.
        id=f"{time_ns():019d}-{secrets.token_hex(4)}",
        at=now,
        origin=origin,
        session=session,
        query=redact(results.query).text[:QUERY_CHARS],
        mode=results.mode.value,
        tokens=results.tokens,
        ms=round(results.timings.get("total", 0.0), 3),
        candidates=candidates(results),
        shown=tuple(hit.document.id for hit in results.hits),
    )


def candidates(results: Results) -> tuple[Mapping[str, Any], ...]:
    """What became of each candidate, best first, with the terms of its score."""
    found: list[Mapping[str, Any]] = [
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
    found += [
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
    return tuple(found[:LOGGED])


def _terms(terms: Sequence[Term]) -> dict[str, float]:
    return {term.name: round(term.value, 6) for term in terms}
