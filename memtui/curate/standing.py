"""Which acts stand: events are never removed, an undo, redo or revert is an event about an earlier act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memtui.bank.events import from_json
from memtui.bank.model import Event

ACT = "act"
"""Key in an event's data: the act that it belongs to."""
OF = "of"
"""Key in the data of an undo, redo or revert: the act that it is about."""
CARRIED = "verdicts"
"""Key in a merge event's data: the verdicts of the sources, as events."""
CORRECTIONS = ("undo", "redo", "revert")


def standing(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events whose act stands, in the given order, without undo, redo and revert themselves."""
    kept = tuple(events)
    gone = undone_acts(kept)
    return tuple(
        event
        for event in kept
        if event.verb not in CORRECTIONS and str(event.data.get(ACT, "")) not in gone
    )


def undone_acts(events: Sequence[Event]) -> frozenset[str]:
    """The ids of acts that were taken back and not done again."""
    about: dict[str, list[Event]] = {}
    for event in events:
        if event.verb in CORRECTIONS and event.data.get(OF):
            about.setdefault(str(event.data[OF]), []).append(event)
    known: dict[str, bool] = {}
    return frozenset(act for act in about if _is_undone(act, about, known))


def _is_undone(act: str, about: dict[str, list[Event]], known: dict[str, bool]) -> bool:
    """The last word about an act counts, unless that word was itself taken back."""
    if act not in known:
        # Set first: damaged events that are about each other must not recurse for ever.
        known[act] = False
        for event in sorted(about.get(act, ()), key=lambda e: (e.at, e.id), reverse=True):
            if not _is_undone(str(event.data.get(ACT, "")), about, known):
                known[act] = event.verb != "redo"
                break
    return known[act]


def effective(events: Iterable[Event]) -> tuple[Event, ...]:
    """What trust and states are computed from: acts that stand, and verdicts that merges handed on.

    A verdict on a source of a merge counts for the result as if it had been said about it.
    """
    found: list[Event] = []
    for event in standing(events):
        found.append(event)
        carried = event.data.get(CARRIED) if event.verb == "merge" else None
        for line in carried if isinstance(carried, list) else ():
            verdict = _verdict(line)
            if verdict is not None:
                found.append(replace(verdict, item=event.item))
    return tuple(sorted(found, key=lambda event: (event.at, event.id)))


def _verdict(line: object) -> Event | None:
    try:
        return from_json(line)
    except ValueError:
        # Written by hand or by a newer memtui: the linter names damaged events, trust leaves them out.
        return None
