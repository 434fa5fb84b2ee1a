"""Trust: the verdicts on an item, added up by a printed formula."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.bank.model import Event, Tier, Trust
from memtui.bank.standing import effective

NO_EVENTS = Trust(Tier.UNCHECKED, 0.5, 0, 0, 0)
"""The trust of an item that nobody and nothing has judged."""

VERDICTS = frozenset(("confirm", "flag", "validated"))


def trust_of(events: Iterable[Event]) -> dict[str, Trust]:
    """Trust by item key (`card:<id>`, `page:<id>`) for every item that has a verdict.

    Verdicts of acts that were undone do not count; those that merges handed on do.
    """
    verdicts: dict[str, list[Event]] = {}
    for event in effective(events):
        if event.verb in VERDICTS:
            verdicts.setdefault(event.item, []).append(event)
    return {item: add_up(found) for item, found in verdicts.items()}


def trust_by_id(events: Iterable[Event]) -> dict[str, Trust]:
    """`trust_of` by the bare id."""
    return {item.partition(":")[2]: trust for item, trust in trust_of(events).items()}


def add_up(verdicts: Iterable[Event]) -> Trust:
    """The trust that the verdicts on one item, oldest first, add up to.

    Only people confirm: at most once per writer and day counts.
    """
    confirmations: set[tuple[str, str]] = set()
    validated = flagged = 0
    newest = ""
    for event in verdicts:
        human = event.by == "human"
        if event.verb == "confirm" and human:
            confirmations.add((event.writer, event.at.date().isoformat()))
            newest = "confirm"
        elif event.verb == "flag":
            flagged += 1
            newest = "flag" if human else newest
        elif event.verb == "validated":
            validated += 1
    confirmed = len(confirmations)
    tier = _tier(newest, confirmed, validated)
    return Trust(tier, score(confirmed, validated, flagged), confirmed, validated, flagged)


def score(confirmed: int, validated: int, flagged: int) -> float:
    """`(1 + 2*confirmed + validated) / (2 + 2*confirmed + validated + 3*flagged)`, in 0..1."""
    good = 2 * confirmed + validated
    return (1 + good) / (2 + good + 3 * flagged)


def formula(trust: Trust) -> str:
    """The sum behind a score, with its numbers."""
    c, v, f = trust.confirmed, trust.validated, trust.flagged
    return f"(1 + 2*{c} + {v}) / (2 + 2*{c} + {v} + 3*{f}) = {trust.score:.2f}"


def _tier(newest: str, confirmed: int, validated: int) -> Tier:
    if newest == "flag":
        return Tier.DISPUTED
    if confirmed:
        return Tier.CONFIRMED
    return Tier.CHECKED if validated else Tier.UNCHECKED
