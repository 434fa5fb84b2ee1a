"""From a bank's contents to what the screens look at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memtui import reasons
from memtui.bank.model import BankContents, Item, Page
from memtui.bank.trust import NO_EVENTS
from memtui.index.rows import Facts, ingredients_of
from memtui.index.states import Known, State, behind_by, is_absent, states_of
from memtui.inject.snapshot import build
from memtui.workspace.model import BankView, ClaimView, ItemView


def make_view(contents: BankContents, facts: Facts, notes: tuple[str, ...] = ()) -> BankView:
    """The view of `contents` under `facts`; its snapshot is what every injection is planned from."""
    states = states_of(contents, Known(facts.now, facts.trust, facts.drift, facts.evidence))
    views = {
        id(item): _item_view(item, contents, facts, states)
        for item in (*contents.cards, *contents.pages)
    }
    cards = tuple(views[id(card)] for card in contents.cards)
    pages = tuple(views[id(page)] for page in contents.pages)
    both = (*pages, *cards)
    return BankView(
        contents=contents,
        cards=cards,
        pages=pages,
        by_id={view.item.id: view for view in both},
        by_name={view.item.name: view for view in both},
        loaded_at=facts.now,
        snapshot=build(ingredients_of(contents, facts)),
        notes=notes,
    )


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


def _item_view(
    item: Item,
    contents: BankContents,
    facts: Facts,
    states: Mapping[str, tuple[State, ...]],
) -> ItemView:
    own = states.get(item.id, ())
    return ItemView(
        item=item,  # type: ignore[arg-type]
        trust=facts.trust.get(item.id, NO_EVENTS),
        states=own,
        age_days=_age(item.created or item.modified, facts.now),
        behind=_behind(item, contents, states) if _is_behind(own) else 0,
    )


def _is_behind(states: tuple[State, ...]) -> bool:
    return any(state.reason == reasons.BEHIND for state in states)


def _behind(item: Item, contents: BankContents, states: Mapping[str, tuple[State, ...]]) -> int:
    if not isinstance(item, Page):
        return 0
    cards = {card.id: card for card in contents.cards}
    absent = {key: found[0].reason for key, found in states.items() if is_absent(found)}
    return len(behind_by(item, cards, absent))


def _age(created: datetime | None, now: datetime) -> int:
    return max(0, (now - created).days) if created else 0
