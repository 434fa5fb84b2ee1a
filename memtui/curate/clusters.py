"""Which cards could become a page: enough of them, from enough sessions, about one thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memtui.bank.model import BankContents, Card, Status

LEAST_CARDS = 3
LEAST_SESSIONS = 3
MOST_CARDS = 12


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cards that belong together, and why: `subject` is the tag or path that they share."""

    subject: str
    cards: tuple[Card, ...]
    sessions: int
    reason: str


def clusters(contents: BankContents, absent: Collection[str] = ()) -> list[Cluster]:
    """Suggested pages: at least three active cards from at least three sessions, largest first.

    `absent` are ids of cards that do not hold. What an active page already covers is left out.
    """
    live = [c for c in contents.cards if c.status is Status.ACTIVE and c.id not in absent]
    covered = [set(page.sources) for page in contents.pages if page.status is Status.ACTIVE]
    found: list[Cluster] = []
    for subject, cards in sorted(_groups(live).items()):
        ids = {card.id for card in cards}
        number = len(sessions_of(cards))
        enough = len(cards) >= LEAST_CARDS and number >= LEAST_SESSIONS
        if enough and not any(ids <= page for page in covered):
            reason = f"{len(cards)} cards from {number} sessions share {subject}"
            found.append(Cluster(subject, tuple(cards[:MOST_CARDS]), number, reason))
    found.sort(key=lambda cluster: (-len(cluster.cards), cluster.subject))
    return _distinct(found)


def sessions_of(cards: Iterable[Card]) -> frozenset[str]:
    """The sessions that the cards cite, as `<host>:<session>`."""
    return frozenset(cited.ref.rpartition("#")[0] for card in cards for cited in card.evidence)


def enough(cards: Collection[Card]) -> bool:
    """Whether the cards may become a page without an override."""
    return len(cards) >= LEAST_CARDS and len(sessions_of(cards)) >= LEAST_SESSIONS


def _groups(cards: Iterable[Card]) -> Mapping[str, list[Card]]:
    groups: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        for tag in card.tags:
            groups[f"tag {tag}"].append(card)
        for path in card.scope.paths:
            groups[f"path {path}"].append(card)
    return groups


def _distinct(found: Iterable[Cluster]) -> list[Cluster]:
    """One suggestion for one set of cards: a subset of an earlier one says nothing new."""
    kept: list[Cluster] = []
    for cluster in found:
        ids = {card.id for card in cluster.cards}
        if not any(ids <= {card.id for card in other.cards} for other in kept):
            kept.append(cluster)
    return kept
