"""Two things that cannot both hold: two cards, a page and its card, a card and an instruction file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from memtui.bank.model import Card
from memtui.capture import phrases
from memtui.curate.rules.source import ERROR, WARNING, Finding, Source, keys
from memtui.curate.similar import said, words

_VALUE = re.compile(r"^v?\d[\d.,:-]*\w{0,3}$|^[~./]?[\w.-]*/[\w./-]+$")
_NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS)}
_NEGATION = re.compile(
    r"\b(?:not|never|no|don't|doesn't|isn't|aren't|cannot|can't|without|off|disabled|false)\b",
    re.IGNORECASE,
)
_YES_NO = frozenset(
    ("not", "never", "don't", "doesn't", "isn't", "aren't", "cannot", "can't", "off", "on")
)
_FEWEST = 3
_ALIKE = 0.7
_COMMON = 60
"""A word that more statements share tells nothing about what they are about."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence taken apart: what it is about, the values it gives, whether it denies."""

    text: str
    about: frozenset[str]
    values: frozenset[str]
    denies: bool


def statement(text: str) -> Statement:
    """A sentence as terms and values."""
    found = words(text)
    values = frozenset(_NUMBERS.get(word, word) for word in found if _is_value(word))
    about = frozenset(word for word in found if not _is_value(word)) - _YES_NO
    return Statement(text, about, values, bool(_NEGATION.search(text)))


def differ(a: Statement, b: Statement) -> bool:
    """Whether two statements are about the same and give other values, or one denies the other."""
    shared = a.about & b.about
    if len(shared) < _FEWEST or len(shared) / len(a.about | b.about) < _ALIKE:
        return False
    if a.values and b.values and a.denies == b.denies:
        return not a.values & b.values and len(a.values) == len(b.values)
    return a.denies != b.denies and a.values == b.values


def between_cards(source: Source) -> Iterator[Finding]:
    """Two cards of one scope that differ in a value."""
    statements = [(card, made) for card in source.holding for made in statements_of(card)]
    seen: set[tuple[str, str]] = set()
    for first, second in _pairs([made.about for _, made in statements]):
        (one, a), (other, b) = statements[first], statements[second]
        pair = (min(one.id, other.id), max(one.id, other.id))
        if one.id == other.id or pair in seen or not _same_scope(one, other) or not differ(a, b):
            continue
        seen.add(pair)
        yield Finding(
            "contradiction/cards",
            ERROR,
            keys(one, other),
            f'"{_short(a.text)}" against "{_short(b.text)}"',
            "supersede or demote the one that is wrong",
            "supersede",
        )


def in_pages(source: Source) -> Iterator[Finding]:
    """A claim that cites a card which does not hold."""
    held = {card.name for card in source.holding}
    for page in source.pages:
        for claim in page.claims:
            gone = [n for n in claim.cards if n in source.cards_by_name and n not in held]
            if gone:
                card = source.cards_by_name[gone[0]]
                states = source.states.get(card.id, ())
                yield Finding(
                    "contradiction/page",
                    ERROR,
                    keys(page, card),
                    f'"{_short(claim.text)}" rests on {card.name}: {states[0].reason if states else "gone"}',
                    "rebuild the page",
                    "compile",
                )


def with_instructions(source: Source) -> Iterator[Finding]:
    """A card against a line of an instruction file."""
    lines = [
        (path, number, statement(line))
        for path, text in sorted(source.instructions.items())
        for number, line in enumerate(text.splitlines(), 1)
        if 3 <= len(line.split()) <= 60
    ]
    for card in source.holding if lines else ():
        own = list(statements_of(card))
        found = next(
            ((p, n, s, o) for p, n, s in lines for o in own if differ(o, s)),
            None,
        )
        if found:
            path, number, theirs, ours = found
            yield Finding(
                "contradiction/instructions",
                WARNING,
                keys(card),
                f'"{_short(ours.text)}" against {path}:{number}: "{_short(theirs.text)}"',
                "correct the file, or demote the card",
                "demote",
            )


def statements_of(card: Card) -> Iterator[Statement]:
    """What a card states, sentence by sentence."""
    for sentence in phrases.sentences(said(card)):
        made = statement(sentence)
        if len(made.about) >= _FEWEST and len(sentence.split()) <= 40:
            yield made


def _is_value(word: str) -> bool:
    return word in _NUMBERS or bool(_VALUE.match(word))


def _pairs(sets: list[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Pairs of statements that share enough words to be about the same, each pair once."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, about in enumerate(sets):
        for word in about:
            holders[word].append(place)
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for places in holders.values():
        if len(places) <= _COMMON:
            for pair in combinations(places, 2):
                counts[pair] += 1
    yield from sorted(pair for pair, count in counts.items() if count >= 2)


def _same_scope(a: Card, b: Card) -> bool:
    projects = {a.scope.project, b.scope.project} - {None}
    branches = {a.scope.branch, b.scope.branch} - {None}
    return len(projects) <= 1 and len(branches) <= 1


def _short(text: str) -> str:
    return text if len(text) <= 70 else text[:69].rstrip() + "…"
