"""What time has overtaken: expired, drifted and superseded items that still count as active."""

from __future__ import annotations

from collections.abc import Iterator

from memtui import reasons
from memtui.curate.rules.source import WARNING, Finding, Source, keys

_FIX = {
    reasons.EXPIRED: ("stale/expired", "demote it, or give it a later date", "demote"),
    reasons.DRIFTED: ("stale/drifted", "confirm it again, or demote it", "confirm"),
    reasons.SUPERSEDED: ("stale/superseded", "demote it", "demote"),
}


def overtaken(source: Source) -> Iterator[Finding]:
    """An active item that is expired, drifted or superseded."""
    for item in (*source.live, *source.pages):
        for state in source.states.get(item.id, ()):
            if state.reason in _FIX:
                rule, fix, repair = _FIX[state.reason]
                yield Finding(rule, WARNING, keys(item), f"{item.name}: {state.cause}", fix, repair)
