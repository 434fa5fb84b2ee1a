"""What can be computed about every item, each state with its cause. Never stored in the bank's files.

A state is one of `memtui.reasons`. Those in `reasons.ABSENT` keep an item out of every injection, those
in `reasons.WARNINGS` are only shown; an item lists its states strongest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memtui import reasons
from memtui.bank.model import BankContents, Card, Event, Item, Page, Status, Tier, Trust
from memtui.bank.standing import effective
from memtui.index.days import day_of
from memtui.index.replaced import superseded

STRENGTH = {reason: at for at, reason in enumerate((*reasons.ABSENT, *reasons.WARNINGS))}
ABSENT = frozenset(reasons.ABSENT)


@dataclass(frozen=True, slots=True)
class State:
    """One computed state: a reason of `memtui.reasons` and, in words, why it holds."""

    reason: str
    cause: str


@dataclass(frozen=True, slots=True)
class Known:
    """What states need besides the bank's text. Keys are item ids; `drift` and `secrets` hold causes."""

    now: datetime
    trust: Mapping[str, Trust]
    drift: Mapping[str, str]
    evidence: Mapping[str, tuple[State, ...]]
    secrets: Mapping[str, str] = field(default_factory=dict)


def states_of(contents: BankContents, known: Known) -> dict[str, tuple[State, ...]]:
    """The states of every card and page by id, for ids that have any. Two files of one id share them."""
    history = _History(contents.events)
    replaced = superseded(contents.cards, lambda card: _may_replace(card, known, history))
    replaced |= superseded(contents.pages, lambda page: _may_replace(page, known, history))
    found: dict[str, tuple[State, ...]] = {}
    for card in contents.cards:
        own = _own_states(card, known, history, replaced)
        if own:
            found[card.id] = _sorted((*found.get(card.id, ()), *own))
    cards = {card.id: card for card in contents.cards}
    for page in contents.pages:
        own = _own_states(page, known, history, replaced)
        own += _behind(page, cards, found)
        if own:
            found[page.id] = _sorted((*found.get(page.id, ()), *own))
    return found


def is_external(origin: str) -> bool:
    """Whether an origin says that the text came from a tool or the web, however it is written."""
    return origin.strip().casefold().startswith("external")


def is_absent(states: Iterable[State]) -> bool:
    """Whether any of these states keeps an item out of every injection."""
    return any(state.reason in ABSENT for state in states)


def behind_by(page: Page, cards: Mapping[str, Card], absent: Mapping[str, str]) -> tuple[str, ...]:
    """The sources that no longer are what the page was compiled from, each in words.

    `absent` maps the id of a card that does not hold to the reason. A source without a digest was
    never sealed: only its loss counts.
    """
    lost = []
    for source, digest in page.sources.items():
        card = cards.get(source)
        if card is None:
            lost.append(f"{source} is gone")
        elif source in absent:
            lost.append(f"{card.name} is {absent[source]}")
        elif digest and digest != card.digest:
            lost.append(f"{card.name} changed")
    return tuple(lost)


class _History:
    """The events that causes quote: the last one of each verb for each item, by id, undone acts aside.

    An id names one item of a bank, whether card or page.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.last: dict[tuple[str, str], Event] = {}
        for event in effective(events):
            self.last[id_of(event), event.verb] = event
        self.tombstones = tombstones(events)

    def said(self, item: str, verb: str) -> str:
        """Who did it last, when and why: "" when no event tells."""
        event = self.last.get((item, verb))
        return _said(event) if event else ""


def id_of(event: Event) -> str:
    """The id of the item that an event is about."""
    return event.item.partition(":")[2]


def tombstones(events: Iterable[Event]) -> dict[str, Event]:
    """The last purge of every purged item, by id."""
    return {id_of(event): event for event in events if event.kind == "tombstone"}


def _said(event: Event) -> str:
    text = f"by {event.writer} on {event.at:%Y-%m-%d}"
    return f"{text}: {event.reason}" if event.reason else text


def key_of(item: Item) -> str:
    """How events name an item."""
    return f"page:{item.id}" if isinstance(item, Page) else f"card:{item.id}"


def _own_states(
    item: Item, known: Known, history: _History, replaced: Mapping[str, str]
) -> list[State]:
    """Everything about an item that does not depend on the states of others."""
    states = list(known.evidence.get(item.id, ()))
    if item.status is not Status.ACTIVE:
        word = item.status.value
        reason = reasons.STALE if item.status is Status.STALE else reasons.RETIRED
        states.append(State(reason, _joined(f"marked {word}", history.said(item.id, "demote"))))
    if item.id in replaced:
        states.append(State(reasons.SUPERSEDED, replaced[item.id]))
    if item.expires is not None and day_of(item.expires) <= day_of(known.now):
        states.append(State(reasons.EXPIRED, f"expired on {item.expires:%Y-%m-%d}"))
    if item.id in known.drift:
        states.append(State(reasons.DRIFTED, known.drift[item.id]))
    if item.id in known.secrets:
        states.append(State(reasons.SECRET, known.secrets[item.id]))
    if _disputed(item, known):
        states.append(State(reasons.DISPUTED, _joined("flagged", history.said(item.id, "flag"))))
    tombstone = history.tombstones.get(item.id)
    if tombstone is not None:
        states.append(State(reasons.TOMBSTONED, _joined("purged", _said(tombstone))))
    if item.conflict:
        states.append(State(reasons.CONFLICT, "git conflict markers in the file"))
    return states


def _joined(what: str, said: str) -> str:
    return f"{what} {said}" if said else what


def _disputed(item: Item, known: Known) -> bool:
    trust = known.trust.get(item.id)
    return trust is not None and trust.tier is Tier.DISPUTED


def _may_replace(item: Item, known: Known, history: _History) -> bool:
    """Whether an item's word that it supersedes others counts.

    A text from outside that no person confirmed must not push out what people checked.
    """
    if item.status is not Status.ACTIVE or item.conflict or item.id in history.tombstones:
        return False
    trust = known.trust.get(item.id)
    confirmed = trust is not None and trust.tier is Tier.CONFIRMED
    return confirmed or not is_external(item.origin)


def _behind(
    page: Page, cards: Mapping[str, Card], found: Mapping[str, Sequence[State]]
) -> list[State]:
    absent = {
        source: found[source][0].reason
        for source in page.sources
        if source in found and is_absent(found[source])
    }
    lost = behind_by(page, cards, absent)
    if not lost:
        return []
    return [State(reasons.BEHIND, f"behind by {len(lost)}: {', '.join(lost)}")]


def _sorted(states: Iterable[State]) -> tuple[State, ...]:
    unique = dict.fromkeys(states)
    return tuple(sorted(unique, key=lambda s: (STRENGTH.get(s.reason, len(STRENGTH)), s.cause)))
