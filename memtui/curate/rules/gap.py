"""What is missing: pages for what many cards are about, targets of links, answers to queries."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from memtui.curate.clusters import clusters
from memtui.curate.rules.source import INFO, Finding, Source, keys
from memtui.index.states import is_absent

_IDENTIFIER = re.compile(
    r"`([A-Za-z_][\w.]*(?:_\w+|\.\w+|[a-z][A-Z]\w*)(?:\(\))?)`|\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b"
)
_CARDS = 3
_ASKED = 2


def identifiers_without_page(source: Source) -> Iterator[Finding]:
    """An identifier that at least three cards name and no page does."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, card in enumerate(source.holding):
        for name in {a or b for a, b in _IDENTIFIER.findall(f"{card.title}\n{card.body}")}:
            holders[name].append(place)
    told = "\n".join(f"{page.title}\n{page.body}" for page in source.pages)
    for name, places in sorted(holders.items()):
        if len(places) >= _CARDS and name not in told:
            cards = [source.holding[place] for place in places]
            message = f"{len(cards)} cards name {name}, no page does"
            yield Finding("gap/identifier", INFO, keys(*cards), message, "compile them", "compile")


def clusters_without_page(source: Source) -> Iterator[Finding]:
    """Cards that could become a page."""
    absent = {item_id for item_id, states in source.states.items() if is_absent(states)}
    for cluster in clusters(source.contents, absent):
        yield Finding(
            "gap/cluster", INFO, keys(*cluster.cards), cluster.reason, "compile them", "compile"
        )


def dangling_links(source: Source) -> Iterator[Finding]:
    """A `[[link]]` to a name that nothing has."""
    names = {item.name for item in (*source.contents.cards, *source.contents.pages)}
    names |= {item.path.stem for item in (*source.contents.cards, *source.contents.pages)}
    for item in (*source.live, *source.pages):
        for link in item.links:
            if link not in names:
                message = f"{item.name} links to [[{link}]], which does not exist"
                yield Finding(
                    "gap/link", INFO, keys(item), message, "write it, or take the link out", "edit"
                )


def queries_without_hit(source: Source) -> Iterator[Finding]:
    """A query that was asked at least twice and found nothing."""
    for query, times in sorted(source.missed.items()):
        if times >= _ASKED:
            message = f'"{query}" was asked {times} times and found nothing'
            yield Finding("gap/query", INFO, (), message, "write a card that answers it", "create")
