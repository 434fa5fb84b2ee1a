"""What lint rules read: the bank with everything computed about it once, and what they give back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from memtui import reasons
from memtui.bank.model import BankContents, Card, Item, Layout, Page, Status
from memtui.bank.standing import effective
from memtui.bank.trust import trust_by_id
from memtui.index.states import Known, State, is_absent, key_of, states_of

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: `rule` is `class/rule`, `items` are `card:<id>` or `page:<id>`, both sides.

    `fix` says what helps, `repair` is the verb that does it ("" where only a person can). `path` names a
    file of the bank where no item does, `line` counts from 1.
    """

    rule: str
    severity: str
    items: tuple[str, ...]
    message: str
    fix: str = ""
    repair: str = ""
    path: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Source:
    """A bank to be linted. What is not given is not checked.

    `drift` and `evidence` are facts of the index by item id, `instructions` the texts of the project's
    instruction files by path, `files` those of the files that cards name, `missed` queries that found
    nothing with how often they were asked, `excerpts` the folders in which excerpts are kept, `unfinished`
    acts that a process left half done. `index` is the text of `MEMORY.md`, None where there is none; `block`
    the size of what the next session receives, in characters of its host; `waiting` suggestions in the inbox
    by title with the day since when; `unlogged` the acts of this ledger of which the bank's events say
    nothing.
    """

    contents: BankContents
    now: datetime
    index: bytes | None = None
    drift: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, tuple[State, ...]] = field(default_factory=dict)
    instructions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    missed: Mapping[str, int] = field(default_factory=dict)
    excerpts: tuple[Path, ...] = ()
    unfinished: Collection[str] = ()
    block: int = 0
    waiting: Mapping[str, datetime] = field(default_factory=dict)
    unlogged: Collection[str] = ()

    @cached_property
    def states(self) -> dict[str, tuple[State, ...]]:
        """The computed states by item id."""
        trust = trust_by_id(effective(self.contents.events))
        known = Known(self.now, trust, self.drift, self.evidence)
        return states_of(self.contents, known)

    @cached_property
    def live(self) -> tuple[Card, ...]:
        """Cards whose status is active and whose file reads, whatever else is computed about them."""
        return tuple(c for c in self.contents.cards if c.status is Status.ACTIVE and not c.conflict)

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """Active pages whose file reads."""
        return tuple(p for p in self.contents.pages if p.status is Status.ACTIVE and not p.conflict)

    @cached_property
    def holding(self) -> tuple[Card, ...]:
        """Cards that agents get to see: active, and nothing computed keeps them away."""
        return tuple(card for card in self.live if not is_absent(self.states.get(card.id, ())))

    @cached_property
    def cards_by_name(self) -> dict[str, Card]:
        """Every card by its name."""
        return {card.name: card for card in self.contents.cards}

    @property
    def is_host_folder(self) -> bool:
        """Whether the bank is a host's own folder, which does not follow memtui's habits."""
        return self.contents.layout is Layout.CLAUDE

    def put_away(self, item: Item) -> str:
        """Why the index should not list the item, in words; empty where it should."""
        if item.status is not Status.ACTIVE:
            return item.status.value
        states = self.states.get(item.id, ())
        unlisted = (state for state in states if state.reason in reasons.UNLISTED)
        return next((state.cause or state.reason for state in unlisted), "")

    def relative(self, item: Item) -> str:
        """The item's file, relative to the bank."""
        return item.path.relative_to(self.contents.root).as_posix()


def keys(*items: Item) -> tuple[str, ...]:
    """How findings name items."""
    return tuple(key_of(item) for item in items)
