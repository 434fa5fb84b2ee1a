"""One search engine for the Recall view, the command line and the tool that agents call.

Headless and safe to use from several threads at once: a search opens what it reads, and nothing it
calls waits for a model. What it could not do as asked, it says in `Results.degraded`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter

from memtui.clock import Clock, system_clock
from memtui.recall import lexical, retrievals, start
from memtui.recall.bank_vectors import BankVectors
from memtui.recall.common import CommonWords, common_words, refined
from memtui.recall.corpus import Bank, Corpus, CorpusError
from memtui.recall.eligible import conditions
from memtui.recall.embed import Embedder, EmbedderError, load_embedder
from memtui.recall.explain import Question, explain
from memtui.recall.fusion import Signals, fuse, ranked
from memtui.recall.gather import Ask, Gathered, gather
from memtui.recall.model import (
    DEFAULTS,
    THIS_PROJECT,
    Comparison,
    Explanation,
    Mode,
    Move,
    Note,
    Pair,
    Results,
    SearchScope,
    SemanticState,
    Settings,
    Similar,
)
from memtui.recall.near import SAME, duplicates, nearest, similar
from memtui.recall.neighbours import VectorIndex, VectorIndexError
from memtui.recall.query import Query, parse
from memtui.recall.retrievals import RetrievalLog
from memtui.recall.scope import Target, targets
from memtui.recall.scored import Ranked, Scored, cut
from memtui.recall.scoring import clamp, hours_since
from memtui.recall.semantic import Semantic
from memtui.recall.vectors import ModelKey

LIMIT = 20


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asks, for the log: `name` is terminal, hook or mcp; `session` the agent's, if any."""

    name: str = "terminal"
    session: str = ""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The query's vector, or None with the reason in `notes`."""

    vector: bytes | None = None
    notes: list[Note] = field(default_factory=list)


class Recall:
    """Search over one or more banks; the first is at home: its project is "this project"."""

    def __init__(
        self,
        banks: Sequence[Bank],
        *,
        load: Callable[[], Embedder] | None = load_embedder,
        index: Callable[[BankVectors, ModelKey], VectorIndex | None] | None = None,
        clock: Clock = system_clock,
        log: RetrievalLog | None = None,
        behind: Callable[[], str] | None = None,
        off: Note | None = None,
    ) -> None:
        """`load` of None switches semantic search off, and `off` says why. `index` makes a bank's
        faster vector index (`indexes.folder_index`, `indexes.server_index`). `behind` says what
        `index.db` lacks, or nothing. Raises ValueError without a bank.
        """
        if not banks:
            raise ValueError("a search needs a bank")
        self.corpora = tuple(Corpus(bank) for bank in banks)
        self.vectors = {corpus.bank.key: BankVectors(corpus) for corpus in self.corpora}
        self.semantic = Semantic(tuple(self.vectors.values()), load, index, off)
        self._common = CommonWords()
        self._clock = clock
        self._log = log
        self._behind = behind

    @property
    def semantic_ready(self) -> SemanticState:
        """Whether meaning takes part in a search made now."""
        return self.semantic.state

    def search(
        self,
        query: str,
        *,
        scope: SearchScope = THIS_PROJECT,
        settings: Settings = DEFAULTS,
        limit: int = LIMIT,
        mode: Mode = Mode.AUTO,
        origin: Origin | None = None,
    ) -> Results:
        """Search. Never raises for what is typed or for a store that is missing or damaged.

        Without words, the items that meet the filters are ranked by importance, trust and recency.
        With an `origin`, the retrieval is logged.
        """
        began = perf_counter()
        scored = self.score(query, scope=scope, settings=settings, limit=limit, mode=mode)
        results = cut(scored, max(limit, 0), began)
        if origin is not None and self._log is not None:
            record = retrievals.record(results, origin.name, origin.session, self._clock())
            self._log.add_retrieval(record)
        return results

    def score(
        self, query: str, *, scope: SearchScope, settings: Settings, limit: int, mode: Mode
    ) -> Scored:
        """Everything that a search finds, before the limit and the budget cut it."""
        now = self._clock()
        asked, used = parse(query, now), clamp(settings)
        began = perf_counter()
        where, notes = targets(self.corpora, asked.filters, scope)
        notes += [Note("query", problem, "it is ignored") for problem in asked.problems]
        behind = self._behind() if self._behind is not None else ""
        if behind:
            notes.append(Note("index", behind, "it is refreshed in the background"))
        spent = {"parse": (perf_counter() - began) * 1000}
        if asked.empty:
            return self._without_words(asked, used, scope, where, notes, now, spent)
        shares = self._common.shares(asked, [target.corpus for target in where])
        common = common_words(shares, used.common_share)
        spent["parse"] = (perf_counter() - began) * 1000
        meaning = self._meaning(asked, common, mode if where else Mode.LEXICAL, spent)
        vector = meaning.vector
        notes += meaning.notes
        found = Gathered(timings=spent)
        for target in where:
            ask = Ask(
                query=refined(asked, shares, common),
                conditions=conditions(asked.filters, scope, target.owners, now),
                settings=used,
                wanted=limit,
                lexical=mode is not Mode.SEMANTIC or vector is None,
                vector=vector,
                shares=shares,
                now=now,
            )
            notes += self._gather(target, ask, found)
        ranking = _rank(found, asked, used, now, vector is not None)
        actual = _actual(mode, vector)
        return Scored(
            asked, actual, used, ranking, tuple(found.dropped), tuple(notes), found.timings
        )

    def compare(
        self,
        settings_a: Settings,
        settings_b: Settings,
        query: str,
        *,
        scope: SearchScope = THIS_PROJECT,
        limit: int = LIMIT,
        mode: Mode = Mode.AUTO,
    ) -> Comparison:
        """The same query under two settings, and how each item moved."""
        before = self.search(query, scope=scope, settings=settings_a, limit=limit, mode=mode)
        after = self.search(query, scope=scope, settings=settings_b, limit=limit, mode=mode)
        old = {hit.document.key: hit.rank for hit in before.hits}
        new = {hit.document.key: hit.rank for hit in after.hits}
        moves = [Move(h.document, old.get(h.document.key, 0), h.rank) for h in after.hits]
        moves += [Move(h.document, h.rank, 0) for h in before.hits if h.document.key not in new]
        return Comparison(before, after, tuple(moves))

    def explain(
        self,
        id: str,  # noqa: A002 - what the handle is called everywhere
        query: str,
        *,
        scope: SearchScope = THIS_PROJECT,
        settings: Settings = DEFAULTS,
        limit: int = LIMIT,
        mode: Mode = Mode.AUTO,
    ) -> Explanation:
        """Why an item (by handle or name) is, or is not, among the results of a query."""
        return explain(self, Question(id, query, scope, settings, limit, mode))

    def similar(self, id: str, limit: int = 10) -> list[Similar]:  # noqa: A002
        """The items of this bank that are most like one of them, from the lower threshold on."""
        return similar(self, id, limit)

    def nearest(self, title: str, body: str = "", limit: int = 5) -> list[Similar]:
        """The items most like a text that is not in the bank yet, such as a draft."""
        return nearest(self, title, body, limit)

    def duplicates(self, threshold: float = SAME, limit: int = 200) -> list[Pair]:
        """Pairs of this bank's live items that say nearly the same, most alike first."""
        return duplicates(self, threshold, limit)

    def close(self) -> None:
        """Stop the background work and give locks and memory back."""
        self.semantic.close()
        for corpus in self.corpora:
            corpus.close()

    def _gather(self, target: Target, ask: Ask, found: Gathered) -> list[Note]:
        """Add one bank's candidates to `found`. Vectors that fail never cost the lexical results."""
        vectors = self.vectors[target.corpus.bank.key]
        try:
            found.add(gather(target.corpus, vectors, ask))
        except CorpusError as error:
            return [error.note]
        except (VectorIndexError, sqlite3.Error) as error:
            if ask.vector is None:
                return [Note("index", f"bank {target.corpus.bank.key}: {error}", "search again")]
            note = Note("vectors", f"vectors take no part: {error}", "search again")
            return [note, *self._gather(target, replace(ask, vector=None, lexical=True), found)]
        return []

    def _meaning(
        self, query: Query, common: frozenset[str], mode: Mode, spent: dict[str, float]
    ) -> _Meaning:
        if mode is Mode.LEXICAL:
            return _Meaning()
        began = perf_counter()
        notes = self._semantic_notes()
        if self.semantic.state is not SemanticState.READY:
            return _Meaning(notes=notes)
        try:
            vector = self.semantic.query_vector(lexical.without_common(query.text, common))
        except EmbedderError as error:
            return _Meaning(notes=[*notes, Note("semantic", str(error), error.fix)])
        spent["embed"] = (perf_counter() - began) * 1000
        if vector is None:
            busy = "the model is busy embedding; these results are by words alone"
            notes.append(Note("semantic", busy, "search again"))
        return _Meaning(vector, notes)

    def _semantic_notes(self) -> list[Note]:
        try:
            return self.semantic.notes()
        except CorpusError as error:
            return [error.note]

    def _without_words(
        self,
        query: Query,
        settings: Settings,
        scope: SearchScope,
        where: Sequence[Target],
        notes: list[Note],
        now: datetime,
        spent: dict[str, float],
    ) -> Scored:
        began = perf_counter()
        ranking: list[Ranked] = []
        for target in where:
            try:
                wanted = conditions(query.filters, scope, target.owners, now)
                ranking += start.ranked(target.corpus, wanted, settings, now)
            except CorpusError as error:
                notes.append(error.note)
        ranking.sort(key=lambda entry: (-entry.score, entry.document.key))
        spent["start"] = (perf_counter() - began) * 1000
        return Scored(query, Mode.LEXICAL, settings, tuple(ranking), (), tuple(notes), spent)


def _rank(
    found: Gathered, query: Query, settings: Settings, now: datetime, semantic: bool
) -> tuple[Ranked, ...]:
    signals = Signals(
        words=found.words,
        trigram=found.trigram,
        dense=found.dense if semantic else None,
        literal=lexical.literal_shares(query, found.documents),
        hours={
            key: hours_since(document.used or document.created, now)
            for key, document in found.documents.items()
        },
        importance={key: document.importance for key, document in found.documents.items()},
        literalness=query.literalness,
        coverage=found.coverage,
    )
    terms = fuse(signals, settings)
    return tuple(
        Ranked(found.documents[key], score, terms[key], found.sources(key))
        for key, score in ranked(terms)
    )


def _actual(mode: Mode, vector: bytes | None) -> Mode:
    """What took part in the end, whatever was asked for."""
    if vector is None:
        return Mode.LEXICAL
    return Mode.SEMANTIC if mode is Mode.SEMANTIC else Mode.HYBRID
