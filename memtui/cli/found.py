"""How results of a search read in the terminal and in JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui.cli.sessions import iso
from memtui.recall.model import Document, Explanation, Note, Results, Term
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line
from memtui.workspace.finding import FoundTurns
from memtui.workspace.model import BankView

BAR = 20
SHOWN_DROPPED = 20


def results_json(results: Results, notes: Sequence[Note], *, explain: bool) -> dict[str, Any]:
    """The whole answer. `degraded` says what took no part and how to get it."""
    data: dict[str, Any] = {
        "query": results.query,
        "mode": results.mode.value,
        "candidates": results.candidates,
        "tokens": results.tokens,
        "ms": {name: round(ms, 3) for name, ms in results.timings.items()},
        "degraded": notes_json(notes),
        "results": [
            {
                "rank": hit.rank,
                "score": round(hit.score, 6),
                **document_json(hit.document),
                "sources": list(hit.sources),
                "tokens": hit.tokens,
                **({"terms": terms_json(hit.terms)} if explain else {}),
            }
            for hit in results.hits
        ],
    }
    if explain:
        data["settings"] = results.settings.to_dict()
        data["dropped"] = [
            {
                **document_json(dropped.document),
                "stage": dropped.stage.value,
                "reason": dropped.reason,
                "detail": dropped.detail,
                "score": None if dropped.score is None else round(dropped.score, 6),
                "terms": terms_json(dropped.terms),
            }
            for dropped in results.dropped
        ]
    return data


def document_json(document: Document) -> dict[str, Any]:
    """What names an item."""
    return {
        "id": document.id,
        "name": document.name,
        "title": document.title,
        "layer": document.layer,
        "type": document.type,
        "tier": document.tier,
        "trust": round(document.trust, 4),
        "bank": document.bank,
    }


def terms_json(terms: Sequence[Term]) -> list[dict[str, Any]]:
    """The terms of a score; their values add up to it."""
    return [
        {
            "name": term.name,
            "raw": round(term.raw, 6),
            "normalised": round(term.normalised, 6),
            "weight": round(term.weight, 6),
            "value": round(term.value, 6),
        }
        for term in terms
    ]


def notes_json(notes: Sequence[Note]) -> list[dict[str, str]]:
    """What was not as asked."""
    return [{"topic": n.topic, "message": n.message, "fix": n.fix} for n in notes]


def results_lines(results: Results, view: BankView, *, explain: bool) -> Iterator[str]:
    """One line a result; with `explain` its terms below it, and then what fell out."""
    for hit in results.hits:
        document = hit.document
        yield (
            f"{hit.rank:>3}  {hit.score:.3f}  {document.id:<6}  {document.tier:<9}"
            f"  {document.type:<10}  {one_line(document.title or document.name)}"
        )
        if explain:
            yield from _term_lines(hit.terms)
            yield f"       found by {', '.join(hit.sources)}; ~{hit.tokens} tokens"
    if not results.hits:
        yield f"nothing found among {len(view.cards)} cards and {len(view.pages)} pages"
    if explain:
        yield from _dropped_lines(results)


def _term_lines(terms: Sequence[Term]) -> Iterator[str]:
    for term in terms:
        bar = "#" * round(BAR * min(1.0, max(0.0, term.value)))
        yield (
            f"       {term.name:<11} {term.value:6.3f} = {term.weight:.3f} x {term.normalised:.3f}"
            f"  {bar:<{BAR}}  raw {term.raw:.3f}"
        )
    yield f"       {'sum':<11} {sum(term.value for term in terms):6.3f}"


def _dropped_lines(results: Results) -> Iterator[str]:
    if not results.dropped:
        return
    yield f"fell out: {len(results.dropped)}"
    for dropped in results.dropped[:SHOWN_DROPPED]:
        score = "     -" if dropped.score is None else f"{dropped.score:6.3f}"
        yield (
            f"     {score}  {dropped.document.id:<6}  {dropped.stage.value}: {dropped.reason},"
            f" {one_line(dropped.detail)}  {one_line(dropped.document.title)}"
        )
    if len(results.dropped) > SHOWN_DROPPED:
        yield f"     and {len(results.dropped) - SHOWN_DROPPED} more (--json has them all)"


def explanation_json(found: Explanation) -> dict[str, Any]:
    """Where an item fell out of a search."""
    return {
        "id": found.id,
        "query": found.query,
        "stage": found.stage.value,
        "reason": found.reason,
        "detail": found.detail,
        "rank": found.rank,
        "score": found.score,
        "cut_score": found.cut_score,
        "terms": terms_json(found.terms),
        "degraded": notes_json(found.degraded),
    }


def explanation_lines(found: Explanation) -> Iterator[str]:
    """The same for reading."""
    yield f"{found.id}: {found.stage.value}" + (f" ({found.reason})" if found.reason else "")
    yield f"  {one_line(found.detail)}"
    if found.terms:
        yield from _term_lines(found.terms)
    if found.cut_score is not None:
        yield f"       the last result shown scores {found.cut_score:.3f}"


def turns_json(found: FoundTurns) -> dict[str, Any]:
    """The turns that hold the words. Passages are redacted by the index."""
    return {
        "query": found.query,
        "ms": round(found.ms, 3),
        "degraded": notes_json(found.degraded),
        "results": [
            {
                "ref": turn.ref,
                "at": iso(turn.at),
                "session_title": redact(turn.title).text,
                "passage": turn.passage,
                "missing": list(turn.missing),
            }
            for turn in found.turns
        ],
    }


def turns_lines(found: FoundTurns) -> Iterator[str]:
    """Two lines a turn: when and where, then the passage."""
    for turn in found.turns:
        lacks = f"  (without {', '.join(turn.missing)})" if turn.missing else ""
        yield f"{iso(turn.at) or '-':<20}  {turn.ref}{lacks}"
        yield f"    {one_line(turn.passage)}"
    if not found.turns:
        yield "nothing found in the sessions"


def notes_to_stderr(notes: Iterable[Note]) -> None:
    """What took no part, beside the answer and not in it."""
    for note in notes:
        fix = f"; {note.fix}" if note.fix else ""
        sys.stderr.write(f"memtui: {one_line(note.message + fix)}\n")
