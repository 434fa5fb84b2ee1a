"""How alike two short texts are, and the nearest items to a text. No model, no dependency."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtui.bank.model import Item

SAME = 0.9
"""From here on two texts say the same."""
NEAR = 0.45
"""From here on a person is asked: update or new?"""

_WORD = re.compile(r"[^\W_]+(?:['.:/-][^\W_]+)*", re.UNICODE)
_STOP = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from",
    "had", "has", "have", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or",
    "so", "that", "the", "their", "then", "there", "these", "this", "to", "use", "was", "we",
    "were", "what", "when", "which", "will", "with", "you",
})  # fmt: skip


def words(text: str) -> frozenset[str]:
    """The words that carry meaning, in lower case; numbers, versions and paths stay whole."""
    return frozenset(_WORD.findall(text.lower())) - _STOP


def shingles(text: str, size: int = 5) -> frozenset[tuple[str, ...]]:
    """Runs of `size` words, all words counted."""
    found = _WORD.findall(text.lower())
    return frozenset(tuple(found[i : i + size]) for i in range(len(found) - size + 1))


def likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """0 to 1: shared words over all words; a text that lies wholly within another counts as near."""
    if not a or not b:
        return 0.0
    shared = len(a & b)
    smaller = min(len(a), len(b))
    inside = 0.8 * shared / smaller if smaller >= 5 else 0.0
    return max(shared / (len(a) + len(b) - shared), inside)


def similarity(a: str, b: str) -> float:
    """0 to 1, by `likeness` of the words."""
    return likeness(words(a), words(b))


def copied(text: str, sources: Iterable[str]) -> float:
    """The part of `text` (0 to 1, by runs of five words) that stands verbatim in the sources."""
    own = shingles(text)
    if not own:
        return 0.0
    there = frozenset().union(*(shingles(source) for source in sources))
    return len(own & there) / len(own)


def said(item: Item) -> str:
    """What an item says: title and body without the "Use when:" line."""
    return told(item.title, item.body)


def told(title: str, body: str) -> str:
    """What a title and body say, without the "Use when:" line."""
    lines = [line for line in body.splitlines() if not line.lower().startswith("use when:")]
    return "\n".join((title, *lines))


@dataclass(frozen=True, slots=True)
class Match:
    """An item and how alike it is, 0 to 1."""

    item: Item
    score: float


class Neighbours:
    """Finds near texts among many items through the words that they share."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items: list[Item] = list(items)
        self._words: list[frozenset[str]] = [words(said(item)) for item in self._items]
        holders: dict[str, list[int]] = defaultdict(list)
        for place, own in enumerate(self._words):
            for word in own:
                holders[word].append(place)
        self._holders: Mapping[str, list[int]] = holders

    def near(self, text: str, least: float = NEAR, limit: int = 5) -> list[Match]:
        """The items at least `least` alike, most alike first."""
        own = words(text)
        places = {place for word in own for place in self._holders.get(word, ())}
        scored = [Match(self._items[p], likeness(own, self._words[p])) for p in places]
        near = [match for match in scored if match.score >= least]
        return sorted(near, key=lambda match: (-match.score, match.item.name))[:limit]

    def twins(self, least: float = SAME) -> list[tuple[Item, Item, float]]:
        """Pairs of items that say the same, each pair once, in order of name.

        Two sets that share nine words of ten share one of their rarest: only those are looked up.
        """
        found = []
        holders: dict[str, list[int]] = defaultdict(list)
        bits = self._bits()
        for place, own in enumerate(self._words):
            rarest = self._rarest(own, len(own) - math.ceil(least * len(own)) + 1)
            for other in {other for word in rarest for other in holders[word]}:
                # Most pairs of a bank with few words share too few of them: bits tell that ten times
                # as fast as sets. `shared / smaller` is never below the likeness.
                smaller = min(len(own), len(self._words[other]))
                if (bits[place] & bits[other]).bit_count() < least * smaller:
                    continue
                score = likeness(own, self._words[other])
                if score >= least:
                    pair = sorted((self._items[place], self._items[other]), key=lambda i: i.name)
                    found.append((pair[0], pair[1], score))
            for word in rarest:
                holders[word].append(place)
        return sorted(found, key=lambda pair: (pair[0].name, pair[1].name))

    def _bits(self) -> list[int]:
        """The words of each item as bits of a number."""
        bit = {word: 1 << at for at, word in enumerate(self._holders)}
        return [sum(bit[word] for word in own) for own in self._words]

    def _rarest(self, own: frozenset[str], count: int) -> list[str]:
        return sorted(own, key=lambda word: (len(self._holders[word]), word))[:count]
