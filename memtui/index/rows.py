"""From a bank in memory to the rows of the index, and to what an injection is planned from.

One function makes the rows for both, so that a preview from memory and a hook that reads `index.db`
plan over the same values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from memtui.bank.model import BankContents, Event, Item, Page, Policy, Tier, Trust
from memtui.bank.standing import effective
from memtui.bank.trust import NO_EVENTS
from memtui.index.days import day_of as day_of
from memtui.index.days import expiry_day
from memtui.index.reader import CANDIDATE_WIDTH, Ingredients, decoded
from memtui.index.states import Known, State, is_absent, is_external, states_of

CHECKED = frozenset((Tier.CHECKED, Tier.CONFIRMED))


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a bank besides its text, by item id.

    `trust` from the events, `drift` causes, `evidence` states, `used` the day number of the last fetch
    or use by an agent (from the ledger), `secrets` why a line would say one.
    """

    now: datetime
    trust: Mapping[str, Trust]
    drift: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, tuple[State, ...]] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """One item with its row: the values of `schema.ITEM_COLUMNS`, file times left at 0."""

    item: Item
    row: tuple[Any, ...]

    @cached_property
    def candidate(self) -> tuple[Any, ...]:
        """The row as an injection candidate, made once."""
        return decoded(self.row[:CANDIDATE_WIDTH])


States = Mapping[str, tuple[State, ...]]
"""The states of items by id, for ids that have any."""


@dataclass(slots=True)
class KeptRows:
    """The rows of a bank as they were made last, each with what it was made from, by path."""

    bank: tuple[Any, ...] = ()
    rows: dict[Path, tuple[Item, tuple[Any, ...], Entry]] = field(default_factory=dict)


def states_under(contents: BankContents, facts: Facts) -> dict[str, tuple[State, ...]]:
    """The states of every card and page by id (see `states_of`) under these facts."""
    return states_of(
        contents, Known(facts.now, facts.trust, facts.drift, facts.evidence, facts.secrets)
    )


def entries_of(
    contents: BankContents, facts: Facts, states: States | None = None, kept: KeptRows | None = None
) -> list[Entry]:
    """A row for every card and page, sorted by layer, name and path.

    `states` are those of `states_under`, where they were computed already. With `kept`, which is
    brought up to date, only rows of which something changed are made.
    """
    states = states_under(contents, facts) if states is None else states
    maker = _RowMaker(contents, facts, states)
    items = (*contents.cards, *contents.pages)
    entries = maker.entries(items, KeptRows() if kept is None else kept)
    entries.sort(key=lambda entry: (entry.row[3], entry.row[1], entry.row[19]))
    return entries


def ingredients_of(
    contents: BankContents, facts: Facts, entries: Sequence[Entry] | None = None
) -> Ingredients:
    """What an injection is planned from, equal to what `reader.injection_rows` reads after a refresh.

    `entries` are those of `entries_of`, where they were made already.
    """
    config = contents.config
    made = entries_of(contents, facts) if entries is None else entries
    return Ingredients(
        bank=storable(config.id),
        project=storable(config.project),
        aliases=tuple(storable(alias) for alias in config.aliases),
        policy=policy_tuple(config.policy),
        items=tuple(entry.candidate for entry in made),
    )


def policy_tuple(policy: Policy) -> tuple[Any, ...]:
    """A policy as the injection's own takes it, field by field."""
    return (
        tuple(storable(name) for name in policy.types),
        policy.max_lines,
        policy.budget,
        policy.unchecked_lines,
        policy.importance_weight,
        policy.trust_weight,
        policy.recency_weight,
    )


def least_bytes(item: Item, tier: str) -> int:
    """A lower bound of the UTF-8 bytes that an item's injected line has, whatever cleaning drops."""
    fixed = len("- []  (; )") + len(tier) + _plain(item.id) + _plain(item.type)
    tags = [size + len(", ") for tag in item.tags[:3] if (size := _plain(tag))]
    return fixed + sum(tags) + _firm(item.title)


def _plain(word: str) -> int:
    """The length of a word that no cleaning touches, else 0."""
    return len(word) if len(word) <= 20 and word.isascii() and word.isalnum() else 0


def _firm(title: str) -> int:
    """The bytes of the letters and digits of a title, up to where it may be cut."""
    if "memtui" in title.lower() or not _ODD.isdisjoint(title):
        return 0
    start = title[:SURE_BYTES]
    if start.isascii() and start.isprintable():
        return max(0, len(start) - start.count(" ") - 4)
    start = title.encode("utf-8", "replace")[:SURE_BYTES].decode("utf-8", "ignore")
    return max(0, len("".join(filter(str.isalnum, start)).encode()) - 4)


SURE_BYTES = 96
"""A title shows at least this much of itself before it is cut."""

_ODD = frozenset("\u115f\u1160\u3164\uffa0\u0130")
"""Letters that are drawn as nothing, or that change their length with their case."""


def storable(text: str) -> str:
    """`text` with lone surrogates (bytes that were no UTF-8) replaced: SQLite stores no others."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def last_confirmed(events: tuple[Event, ...]) -> dict[str, datetime]:
    """When each item (`card:<id>`, `page:<id>`) was last confirmed by a person, undone acts aside."""
    told = (event for event in effective(events) if event.verb == "confirm")
    confirms = (event for event in told if event.by == "human")
    return {event.item: event.at for event in confirms}


class _RowMaker:
    """Makes rows; holds what all rows of one bank share."""

    def __init__(self, contents: BankContents, facts: Facts, states: States) -> None:
        config = contents.config
        self.root = os.fsencode(contents.root)
        self.inside = os.path.join(self.root, b"")  # noqa: PTH118 - bytes
        self.project = storable(config.project)
        self.aliases = {storable(alias) for alias in config.aliases}
        self.types = frozenset(map(storable, config.policy.types))
        self.facts = facts
        self.states = states
        self.confirmed = last_confirmed(contents.events)
        self.bank = (contents.root, config)

    def entries(self, items: Sequence[Item], kept: KeptRows) -> list[Entry]:
        """The rows of all items, made anew where something changed; brings `kept` up to date."""
        before = kept.rows if kept.bank == self.bank else {}
        kept.bank, kept.rows, entries = self.bank, {}, []
        for item in items:
            rests_on = self._rests_on(item)
            known = before.get(item.path)
            if known is None or known[1] != rests_on or (known[0] is not item and known[0] != item):
                known = (item, rests_on, Entry(item, self.row(item)))
            kept.rows[item.path] = known
            entries.append(known[2])
        return entries

    def _rests_on(self, item: Item) -> tuple[Any, ...]:
        """Everything besides the item and the bank that its row says."""
        layer = "page" if isinstance(item, Page) else "card"
        trust = self.facts.trust.get(item.id, NO_EVENTS)
        return self.states.get(item.id, ()), trust, self._used(item, layer)

    def row(self, item: Item) -> tuple[Any, ...]:
        """The values of `schema.ITEM_COLUMNS` for one item."""
        layer = "page" if isinstance(item, Page) else "card"
        states = self.states.get(item.id, ())
        trust = self.facts.trust.get(item.id, NO_EVENTS)
        tier = trust.tier
        live = not is_absent(states)
        trusted = tier is Tier.CONFIRMED or not is_external(item.origin)
        fit = live and trusted and storable(item.type) in self.types
        project = storable(item.scope.project or "")
        created = day_of(item.created or item.modified)
        return (
            storable(item.id),
            storable(item.name),
            storable(item.title),
            layer,
            storable(item.type),
            _texts(item.tags),
            tier.value,
            _number(trust.score),
            _number(item.importance),
            created,
            max(self._used(item, layer), created),
            int(item.pinned),
            project,
            storable(item.scope.branch or ""),
            storable(item.origin),
            _texts(state.reason for state in states),
            expiry_day(item.expires),
            _texts(state.cause for state in states),
            item.status.value,
            self._path(item),
            0,
            0,
            item.digest,
            self.project if not project or project in self.aliases else project,
            int(tier in CHECKED),
            int(live),
            int(fit),
            least_bytes(item, tier.value),
        )

    def _used(self, item: Item, layer: str) -> int:
        confirmed = day_of(self.confirmed.get(f"{layer}:{item.id}"))
        return max(confirmed, self.facts.used.get(item.id, 0))

    def _path(self, item: Item) -> bytes:
        path = os.fsencode(item.path)
        if path.startswith(self.inside):
            return path[len(self.inside) :]
        return os.path.relpath(path, self.root)


def _texts(values: Any) -> str:
    """A JSON list of texts; the empty list is the empty text, so that most rows cost no parsing."""
    texts = [storable(value) for value in values]
    return json.dumps(texts, ensure_ascii=False) if texts else ""


def _number(value: float) -> float:
    return float(value) if value == value else 0.0  # SQLite stores NaN as NULL
