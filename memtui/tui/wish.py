"""What the editor of a card asks for when it saves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.bank.model import Card, Item

if TYPE_CHECKING:
    from memtui.workspace.drafting import Material


@dataclass(frozen=True, slots=True)
class Wish:
    """What shall become of the draft: `updates` is a card that it changes, `supersedes` those that go."""

    material: Material
    updates: Card | None = None
    supersedes: tuple[Item, ...] = ()


Save = Callable[[Wish, Callable[[], None], Callable[[str], None]], None]
"""Saves: calls the first when it is done, the second with what stands in the way."""
