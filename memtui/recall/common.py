"""Words that most items of a bank share, such as the project's own name."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence

from memtui.recall import lexical
from memtui.recall.corpus import Corpus, CorpusError, Stamp
from memtui.recall.query import Query, tokens

FEW = 8
"""A bank of fewer items has no common words: everything would be one."""

_CACHED = 4096


def common_words(shares: Mapping[str, float], share: float) -> frozenset[str]:
    """The words that more than `share` of the items hold."""
    return frozenset(word for word, found in shares.items() if found > share)


class CommonWords:
    """Remembers how frequent words are, per state of each index. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], tuple[Stamp, float]] = {}

    def shares(self, query: Query, corpora: Sequence[Corpus]) -> dict[str, float]:
        """For each word of the query the share of the items that hold it, the highest of the banks."""
        words = [*query.words]
        for literal in (*query.identifiers, *query.phrases):
            words += tokens(literal)
        return {
            word: max((self._share(corpus, word) for corpus in corpora), default=0.0)
            for word in dict.fromkeys(words)
        }

    def _share(self, corpus: Corpus, word: str) -> float:
        stamp, key = corpus.stamp(), (corpus.bank.key, word)
        with self._lock:
            known = self._known.get(key)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            with corpus.reading() as db:
                items = int(db.execute("SELECT count(*) FROM text").fetchone()[0])
                share = lexical.frequency(db, word) / items if items >= FEW else 0.0
        except (CorpusError, sqlite3.Error):
            # The search itself meets the same index and says what is wrong with it.
            return 0.0
        with self._lock:
            if len(self._known) >= _CACHED:
                self._known.clear()
            self._known[key] = stamp, share
        return share
