"""Which items others replace: supersession along chains, with a cause for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memtui.bank.model import Item

AnyItem = TypeVar("AnyItem", bound=Item)


def superseded(items: Sequence[AnyItem], may_replace: Callable[[AnyItem], bool]) -> dict[str, str]:
    """Causes by id of every item that an active one supersedes, directly or along a chain.

    In a chain A < B < C with C active, A and B are superseded whatever B's own status is; with C
    retired, B is back and A is superseded by B. `supersedes` may name ids or names; an item that
    names itself is ignored; two that name each other are both superseded.
    """
    if not any(item.supersedes for item in items):
        return {}
    by_word = {item.name: item for item in items} | {item.id: item for item in items}
    roots = [item for item in items if item.supersedes and may_replace(item)]
    causes: dict[str, str] = {}
    for root in roots:
        for target in _targets(root, by_word):
            causes.setdefault(target.id, f"superseded by {root.name}")
    for root in roots:
        _follow(root, by_word, causes)
    return causes


def _follow(root: AnyItem, by_word: dict[str, AnyItem], causes: dict[str, str]) -> None:
    """Note what lies further down the chains below `root`."""
    waiting = list(_targets(root, by_word))
    done = {root.id, *(item.id for item in waiting)}
    while waiting:
        item = waiting.pop(0)
        for target in _targets(item, by_word):
            if target.id not in done:
                done.add(target.id)
                waiting.append(target)
                through = f"superseded by {root.name} through {item.name}"
                causes.setdefault(target.id, through)


def _targets(item: AnyItem, by_word: dict[str, AnyItem]) -> list[AnyItem]:
    found = (by_word.get(word) for word in item.supersedes)
    return [target for target in found if target is not None and target.id != item.id]
