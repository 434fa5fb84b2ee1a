"""What time has overtaken: expired, drifted and superseded items that still count as active."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from memtui import reasons
from memtui.curate.rules.source import WARNING, Finding, Source, keys

_WAITS = timedelta(days=14)
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


def behind(source: Source) -> Iterator[Finding]:
    """A page compiled from a card that says something else by now."""
    cards = {card.id: card for card in source.contents.cards}
    for page in source.pages:
        changed = [
            cards[card].name
            for card, digest in page.sources.items()
            if digest and card in cards and cards[card].digest != digest
        ]
        if changed:
            message = f"{page.name} is behind: {', '.join(changed)} changed since it was compiled"
            yield Finding(
                "stale/behind", WARNING, keys(page), message, "rebuild it from its cards", "compile"
            )


def waiting(source: Source) -> Iterator[Finding]:
    """Suggestions on which nobody decided for two weeks."""
    old = sorted((at, title) for title, at in source.waiting.items() if at <= source.now - _WAITS)
    if old:
        count = "1 suggestion waits" if len(old) == 1 else f"{len(old)} suggestions wait"
        message = f"{count} in the inbox since {old[0][0]:%Y-%m-%d}: {old[0][1]}"
        yield Finding("form/waiting", WARNING, (), message, "accept or reject it in the Inbox, F3")
