"""One home for one fact: two active items that say the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from memtui.bank.model import Item
from memtui.curate.rules.contradiction import statement
from memtui.curate.rules.source import ERROR, Finding, Source, keys
from memtui.curate.similar import Neighbours


def twins(source: Source) -> Iterator[Finding]:
    """Two active cards with the same claim."""
    for one, other, score in Neighbours(source.holding).twins():
        if statement(one.title).values == statement(other.title).values:
            yield _finding(one, other, f"{one.name} and {other.name} say the same ({score:.2f})")


def repeated_claims(source: Source) -> Iterator[Finding]:
    """Two pages with the same claim."""
    said = {
        page.id: {_plain(claim.text): claim.text for claim in page.claims} for page in source.pages
    }
    for one, other in combinations(source.pages, 2):
        shared = [
            t
            for plain, t in said[one.id].items()
            if plain in said[other.id] and len(plain.split()) > 3
        ]
        if shared:
            yield _finding(one, other, f'{one.name} and {other.name} both say "{shared[0][:70]}"')


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def _finding(one: Item, other: Item, message: str) -> Finding:
    return Finding("twin/items", ERROR, keys(one, other), message, "merge them", "merge")
