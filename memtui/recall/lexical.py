"""Candidates by words (BM25) and by trigrams (parts of identifiers, error codes, paths)."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memtui.recall.corpus import Condition, where
from memtui.recall.model import Document, Stage
from memtui.recall.query import Query, quote, tokens, trigram_match, words_match

WORD_WEIGHTS = {"name": 4.0, "title": 4.0, "body": 1.0, "tags": 3.0, "quotes": 2.0, "parts": 1.0}
GRAM_WEIGHTS = {"name": 3.0, "title": 3.0, "body": 1.0, "quotes": 1.0}

_COVERING = 3
"""Best rows of each list that are looked at for how much of the query they hold."""


@dataclass(frozen=True, slots=True)
class Lists:
    """BM25 by row id, higher is better, best first. `cut` tells that a list was longer than asked."""

    words: dict[int, float]
    trigram: dict[int, float]
    cut: bool = False


def candidates(
    db: sqlite3.Connection,
    query: Query,
    limit: int,
    conditions: Sequence[Condition] = (),
    weights: Mapping[str, float] = WORD_WEIGHTS,
) -> Lists:
    """The best `limit` rows of each table, of those that meet the conditions.

    `weights` are those of the columns of the word table. Raises sqlite3.Error.
    """
    words = _best(db, "words", weights, words_match(query), limit, conditions)
    trigram = _best(db, "grams", GRAM_WEIGHTS, trigram_match(query), limit, conditions)
    return Lists(words, trigram, max(len(words), len(trigram)) >= limit)


def matching(db: sqlite3.Connection, query: Query, seq: int) -> Lists:
    """The BM25 of one row, on the lists where it matches at all."""
    only = Condition(Stage.NOT_A_CANDIDATE, "", "i.seq = ?", (seq,))
    return candidates(db, query, 1, [only])


def frequency(db: sqlite3.Connection, token: str) -> int:
    """How many rows hold a word (or another form of it)."""
    row = db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (quote(token),)).fetchone()
    return int(row[0])


def coverage(db: sqlite3.Connection, shares: Mapping[str, float], lists: Lists) -> float:
    """How much of the query the best rows hold, in 0..1: words weigh by their rarity.

    `shares` are the words with the share of the items that hold them. Little coverage means that the
    lists rest on incidental words, whatever their BM25. Raises sqlite3.Error.
    """
    rarity = {word: math.log1p(1.0 / max(share, 1e-4)) for word, share in shares.items()}
    if not rarity:
        return 1.0
    rows = [*list(lists.words)[:_COVERING], *list(lists.trigram)[:_COVERING]]
    held = (
        math.fsum(weight for word, weight in rarity.items() if _holds(db, row, word))
        for row in dict.fromkeys(rows)
    )
    return max(held, default=0.0) / math.fsum(rarity.values())


def _holds(db: sqlite3.Connection, row: int, word: str) -> bool:
    for table in ("words", "grams"):
        statement = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"
        if db.execute(statement, (quote(word), row)).fetchone():
            return True
    return False


def literal_shares(query: Query, documents: dict[str, Document]) -> dict[str, float]:
    """For each document the share of the query's identifiers and phrases that it holds as typed.

    Case is ignored; a letter or digit on either side makes it another name. Empty when the query has
    no literal.
    """
    literals = [*query.identifiers, *query.phrases]
    if not literals:
        return {}
    patterns = [_pattern(literal) for literal in literals]
    shares: dict[str, float] = {}
    for key, document in documents.items():
        text = f"{document.name}\n{document.title}\n{document.body}\n{' '.join(document.tags)}"
        shares[key] = sum(1 for pattern in patterns if pattern.search(text)) / len(patterns)
    return shares


@lru_cache(maxsize=256)
def _pattern(literal: str) -> re.Pattern[str]:
    before = r"(?<![^\W_])" if literal[:1].isalnum() else ""
    after = r"(?![^\W_])" if literal[-1:].isalnum() else ""
    return re.compile(before + re.escape(literal) + after, re.IGNORECASE)


def without_common(text: str, common: frozenset[str]) -> str:
    """`text` without the words in `common`; the whole of it when nothing would be left."""
    kept = [
        word for word in text.split() if not (found := tokens(word)) or not common.issuperset(found)
    ]
    return " ".join(kept) or text


def _best(
    db: sqlite3.Connection,
    table: str,
    weights: Mapping[str, float],
    match: str | None,
    limit: int,
    conditions: Sequence[Condition],
) -> dict[int, float]:
    if match is None:
        return {}
    rank = f"bm25({', '.join(str(weight) for weight in weights.values())})"
    join = extra = ""
    values: tuple[object, ...] = ()
    if conditions:
        join = f"JOIN item i ON i.seq = {table}.rowid"
        sql, values = where(conditions)
        extra = f"AND {sql}"
    rows = db.execute(
        f"SELECT {table}.rowid, rank FROM {table} {join}"
        f" WHERE {table} MATCH ? AND rank MATCH ? {extra} ORDER BY rank LIMIT ?",
        (match, rank, *values, limit),
    )
    return {seq: -score for seq, score in rows}
