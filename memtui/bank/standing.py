"""Which acts stand: events are never removed, an undo, redo or revert is an event about an earlier act."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memtui.bank.events import from_json
from memtui.bank.model import Event

ACT = "act"
"""Key in an event's data: the act that it belongs to."""
OF = "of"
"""Key in the data of an undo, redo or revert: the act that it is about."""
CARRIED = "verdicts"
"""Key in a merge event's data: the verdicts of the sources, as events."""
SESSION = "session:"
"""Begins the item of an act that is about a session, `session:<host>:<session id>`."""
CORRECTIONS = ("undo", "redo", "revert")


def standing(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events whose act stands, in the given order, without undo, redo and revert themselves."""
    kept = tuple(events)
    gone = undone_acts(kept)
    return tuple(
        event
        for event in kept
        if event.verb not in CORRECTIONS and not (gone and act_of(event) in gone)
    )


def undone_acts(events: Iterable[Event]) -> frozenset[str]:
    """The ids of acts that were taken back and not done again.

    The last word about an act counts, unless that word was itself taken back. Words come after what
    they are about, so that from the newest to the oldest each is settled when it is met.
    """
    corrections = [event for event in events if event.verb in CORRECTIONS and event.data.get(OF)]
    corrections.sort(key=lambda event: (event.at, event.id), reverse=True)
    undone: dict[str, bool] = {}
    for event in corrections:
        if not undone.get(act_of(event), False):
            undone.setdefault(str(event.data[OF]), event.verb != "redo")
    return frozenset(act for act, gone in undone.items() if gone)


def effective(events: Iterable[Event]) -> tuple[Event, ...]:
    """What trust and states are computed from: acts that stand, and verdicts that merges handed on.

    A verdict on a source of a merge counts for the result as if it had been said about it. Applied to
    its own answer it changes nothing.
    """
    found = list(standing(events))
    merges = [event for event in found if event.verb == "merge"]
    if merges:
        present = {(event.id, event.item) for event in found}
        for event in merges:
            carried = event.data.get(CARRIED)
            for line in carried if isinstance(carried, list) else ():
                verdict = _verdict(line)
                if verdict is not None and (verdict.id, event.item) not in present:
                    present.add((verdict.id, event.item))
                    found.append(replace(verdict, item=event.item))
    return tuple(sorted(found, key=lambda event: (event.at, event.id)))


def _verdict(line: object) -> Event | None:
    try:
        return from_json(line)
    except ValueError:
        # Written by hand or by a newer memtui: the linter names damaged events, trust leaves them out.
        return None


def act_of(event: Event) -> str:
    """The act that an event belongs to; one that names none (another tool wrote it) stands by itself."""
    return str(event.data.get(ACT) or event.id)
