"""Words that most items of a bank share, such as the project's own name."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memtui.recall import lexical
from memtui.recall.corpus import Corpus, CorpusError, Stamp
from memtui.recall.query import Query, tokens

FEW = 8
"""A bank of fewer items has no common words: everything would be one."""

_CACHED = 4096


def common_words(shares: Mapping[str, float], share: float) -> frozenset[str]:
    """The words that more than `share` of the items hold."""
    return frozenset(word for word, found in shares.items() if found > share)


def refined(query: Query, shares: Mapping[str, float], common: frozenset[str]) -> Query:
    """The query as the lists are asked: what weighs nothing and costs the most left out.

    Common words go (unless nothing else is left), and only words that no item holds may be parts of
    names: to look for frequent words by trigram is slow and finds nothing more.
    """
    words = tuple(word for word in query.words if word not in common)
    if not (words or query.identifiers or query.phrases):
        words = query.words
    parts = tuple(word for word in query.parts if not shares.get(word))
    return replace(query, words=words, parts=parts)


class CommonWords:
    """Remembers how frequent words are, per state of each index. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamps: dict[str, Stamp] = {}
        self._known: dict[str, dict[str, float]] = {}

    def shares(self, query: Query, corpora: Sequence[Corpus]) -> dict[str, float]:
        """For each word of the query the share of the items that hold it, the highest of the banks."""
        words = [*query.words]
        for literal in (*query.identifiers, *query.phrases):
            words += tokens(literal)
        found = dict.fromkeys(words, 0.0)
        for corpus in corpora:
            for word, share in self._shares(corpus, list(found)).items():
                found[word] = max(found[word], share)
        return found

    def _shares(self, corpus: Corpus, words: Sequence[str]) -> dict[str, float]:
        stamp, bank = corpus.stamp(), corpus.bank.key
        with self._lock:
            if self._stamps.get(bank) != stamp:
                self._stamps[bank], self._known[bank] = stamp, {}
            known = {word: s for word in words if (s := self._known[bank].get(word)) is not None}
        new = [word for word in words if word not in known]
        if not new:
            return known
        try:
            with corpus.reading() as db:
                items = int(db.execute("SELECT count(*) FROM text").fetchone()[0])
                counted = {word: lexical.frequency(db, word) for word in new}
        except CorpusError:
            # The search itself meets the same index and says what is wrong with it.
            return known
        fresh = {word: count / items if items >= FEW else 0.0 for word, count in counted.items()}
        with self._lock:
            if len(self._known[bank]) >= _CACHED:
                self._known[bank].clear()
            self._known[bank] |= fresh
        return known | fresh
