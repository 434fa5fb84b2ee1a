"""Why an item is, or is not, among the results of a query: the stage and the numbers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from memtui import reasons
from memtui.recall import lexical
from memtui.recall.corpus import Corpus, CorpusError
from memtui.recall.model import (
    Dropped,
    Explanation,
    Mode,
    Results,
    SearchScope,
    Settings,
    Stage,
    Term,
)
from memtui.recall.scored import Scored, cut


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: an item, and the search as it was or would be made."""

    id: str
    query: str
    scope: SearchScope
    settings: Settings
    limit: int
    mode: Mode


class Searcher(Protocol):
    """What of the engine an explanation needs."""

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        """The banks; the first is at home."""
        ...

    def score(
        self, query: str, *, scope: SearchScope, settings: Settings, limit: int, mode: Mode
    ) -> Scored:
        """A search before it is cut."""
        ...


def explain(engine: Searcher, question: Question) -> Explanation:
    """The answer. An item that no bank has is of stage UNKNOWN. Never raises for stores that fail."""
    began = perf_counter()
    key = _key(engine, question.id)
    scored = engine.score(
        question.query,
        scope=question.scope,
        settings=question.settings,
        limit=question.limit,
        mode=question.mode,
    )
    results = cut(scored, question.limit, began)
    if key is None:
        return _answer(question, results, Stage.UNKNOWN, "", "no bank has an item of this name")
    for hit in results.hits:
        if hit.document.key == key:
            detail = f"rank {hit.rank} of {len(results.hits)}, found by {', '.join(hit.sources)}"
            return _answer(
                question, results, Stage.SHOWN, reasons.SHOWN, detail,
                rank=hit.rank, score=hit.score, terms=hit.terms,
            )  # fmt: skip
    for dropped in results.dropped:
        if dropped.document.key == key:
            return _from_dropped(question, results, dropped)
    detail = _no_candidate(engine, scored, key)
    return _answer(question, results, Stage.NOT_A_CANDIDATE, Stage.NOT_A_CANDIDATE.value, detail)


def _key(engine: Searcher, word: str) -> str | None:
    """The document key of an item, looked for at home first."""
    for corpus in engine.corpora:
        try:
            with corpus.reading() as db:
                row = corpus.find(db, word)
        except CorpusError:
            # The search meets the same index and carries the note.
            continue
        if row is not None:
            return f"{corpus.bank.key}:{row}"
    return None


def _from_dropped(question: Question, results: Results, dropped: Dropped) -> Explanation:
    detail = dropped.detail
    if dropped.stage is Stage.CUT and dropped.score is not None and results.hits:
        gap = results.hits[-1].score - dropped.score
        detail = f"{detail}; it is {gap:.3f} below the last of them"
    return _answer(
        question, results, dropped.stage, dropped.reason, detail,
        score=dropped.score, terms=dropped.terms,
    )  # fmt: skip


def _no_candidate(engine: Searcher, scored: Scored, key: str) -> str:
    """Why no list proposed it: no word in common, or too far down on each list."""
    bank, _, row = key.rpartition(":")
    corpus = next(corpus for corpus in engine.corpora if corpus.bank.key == bank)
    try:
        with corpus.reading() as db:
            found = lexical.matching(db, scored.query, int(row))
    except (CorpusError, sqlite3.Error) as error:
        return f"it could not be compared: {error}"
    size = scored.settings.candidates
    if scored.query.empty:
        return "it does not meet the filters, or is far down in the order of the start"
    parts = [
        f"BM25 {score:.2f} on {name}, below the first {size}"
        for name, scores in (("words", found.words), ("trigram", found.trigram))
        for score in scores.values()
    ]
    if not parts:
        parts.append("it holds none of the words of the query")
    if scored.mode is not Mode.LEXICAL:
        parts.append(f"its vector is not among the {size} nearest")
    return "; ".join(parts)


def _answer(
    question: Question,
    results: Results,
    stage: Stage,
    reason: str,
    detail: str,
    *,
    rank: int = 0,
    score: float | None = None,
    terms: tuple[Term, ...] = (),
) -> Explanation:
    return Explanation(
        id=question.id,
        query=question.query,
        stage=stage,
        reason=reason,
        detail=detail,
        rank=rank,
        score=score,
        cut_score=results.hits[-1].score if results.hits else None,
        terms=terms,
        degraded=results.degraded,
    )
