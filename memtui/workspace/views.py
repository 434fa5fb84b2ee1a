"""From a bank's contents to what the screens look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui import reasons
from memtui.bank.model import BankContents, Card, Page
from memtui.bank.trust import NO_EVENTS
from memtui.index.rows import (
    Entry,
    Facts,
    KeptRows,
    States,
    entries_of,
    ingredients_of,
    states_under,
)
from memtui.index.states import State, behind_by, is_absent
from memtui.inject.snapshot import build
from memtui.workspace.model import BankView, ClaimView, ItemView


@dataclass(slots=True)
class Made:
    """A view with the rows that its snapshot was built from."""

    view: BankView
    entries: list[Entry]


def make_view(
    contents: BankContents,
    facts: Facts,
    notes: tuple[str, ...] = (),
    kept: KeptRows | None = None,
    serial: int = 0,
) -> Made:
    """The view of `contents` under `facts`; its snapshot is what every injection is planned from."""
    states = states_under(contents, facts)
    entries = entries_of(contents, facts, states, kept)
    lags = _lags(contents, states)
    items: tuple[Card | Page, ...] = (*contents.cards, *contents.pages)
    trust, now = facts.trust, facts.now
    views = {
        id(item): ItemView(
            item,
            trust.get(item.id, NO_EVENTS),
            states.get(item.id, ()),
            _age(item.created or item.modified, now),
            lags.get(id(item), 0) if lags else 0,
        )
        for item in items
    }
    cards = tuple(views[id(card)] for card in contents.cards)
    pages = tuple(views[id(page)] for page in contents.pages)
    both = (*pages, *cards)
    view = BankView(
        contents=contents,
        cards=cards,
        pages=pages,
        by_id={view.item.id: view for view in both},
        by_name={view.item.name: view for view in both},
        loaded_at=facts.now,
        snapshot=build(ingredients_of(contents, facts, entries)),
        notes=notes,
        serial=serial,
    )
    return Made(view, entries)


def claims_of(view: BankView, page: ItemView) -> tuple[ClaimView, ...]:
    """The claims of a page with the cards they cite; nothing for a card."""
    if not isinstance(page.item, Page):
        return ()
    found = []
    for claim in page.item.claims:
        cards = tuple(view.by_name[name] for name in claim.cards if name in view.by_name)
        missing = tuple(name for name in claim.cards if name not in view.by_name)
        holds = any(not is_absent(card.states) for card in cards)
        found.append(ClaimView(claim, cards, missing, holds))
    return tuple(found)


def _lags(contents: BankContents, states: States) -> dict[int, int]:
    """How many sources of each page that is behind changed, by the `id()` of the page."""
    behind = [page for page in contents.pages if _is_behind(states.get(page.id, ()))]
    if not behind:
        return {}
    cards = {card.id: card for card in contents.cards}
    absent = {key: found[0].reason for key, found in states.items() if is_absent(found)}
    return {id(page): len(behind_by(page, cards, absent)) for page in behind}


def _is_behind(states: tuple[State, ...]) -> bool:
    return any(state.reason == reasons.BEHIND for state in states)


def _age(created: datetime | None, now: datetime) -> int:
    return max(0, (now - created).days) if created else 0
