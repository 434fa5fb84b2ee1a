"""Items that come back into the index, or leave it, because of what other items supersede.

A superseded item is in no injection and in no index. When the item that replaces it is demoted, it holds
again; when that one is promoted, it is gone again; and promoting a superseded item does not list it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui import reasons
from memtui.bank.load import BankReader
from memtui.bank.model import BankContents, Card, Item, Page, Status
from memtui.bank.trust import trust_by_id
from memtui.curate.act import FileChange
from memtui.curate.curator import Curator
from memtui.curate.files import is_item, item_files, parse_item
from memtui.index.states import Known, states_of

_KEY = b"supersedes:"


@dataclass(frozen=True, slots=True)
class Turned:
    """What changes of other items do: `released` items hold again, `covered` ones are replaced.

    `replaced` are the files of all items that are replaced after the changes.
    """

    released: tuple[Item, ...] = ()
    covered: tuple[Item, ...] = ()
    replaced: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class _Step:
    """One item before and after a change."""

    path: str
    old: Card | Page | None
    new: Card | Page | None

    @property
    def rises(self) -> bool:
        return _holds(self.new) and not _holds(self.old)

    @property
    def turns(self) -> bool:
        """Whether it replaces others than before, itself or in a chain (there its own status is nothing)."""
        old, new = _supersedes(self.old), _supersedes(self.new)
        return old != new or bool(new and _holds(self.old) != _holds(self.new))


def turned(curator: Curator, changes: Sequence[FileChange]) -> Turned:
    """What the changes do to items that they do not touch, and to those that they bring up.

    The bank is read only where something is superseded at all.
    """
    steps = list(_steps(curator, changes))
    rising = [step for step in steps if step.rises]
    if not any(step.turns for step in steps) and not _named(curator, rising):
        return Turned()
    reader = BankReader(curator.root, curator.config, curator.layout, curator.state)
    contents = reader.read()
    later = _after(curator, contents, steps)
    before, after = _superseded(curator, contents), _superseded(curator, later)
    touched = {curator.place(step.path) for step in steps}
    up = {curator.place(step.path) for step in rising}
    items = (*later.cards, *later.pages)
    return Turned(
        tuple(i for i in items if i.id in before - after and _holds(i) and i.path not in touched),
        tuple(i for i in items if i.id in after and (i.id not in before or i.path in up)),
        frozenset(i.path for i in items if i.id in after),
    )


def _steps(curator: Curator, changes: Sequence[FileChange]) -> Iterator[_Step]:
    for change in changes:
        if is_item(curator, change.path):
            sides = (
                None if data is None else parse_item(curator, change.path, data)
                for data in (change.base, change.new)
            )
            yield _Step(change.path, *sides)


def _holds(item: Item | None) -> bool:
    return item is not None and item.status is Status.ACTIVE and not item.conflict


def _supersedes(item: Card | Page | None) -> frozenset[str]:
    return frozenset() if item is None else frozenset(item.supersedes)


def _named(curator: Curator, rising: Sequence[_Step]) -> bool:
    """Whether some file may say that it supersedes one of the items that rise."""
    words = [word.encode() for step in rising for word in _words(step) if word]
    if not words:
        return False
    texts = (file.read_bytes() for file in item_files(curator))
    return any(_KEY in text and any(word in text for word in words) for text in texts)


def _words(step: _Step) -> tuple[str, ...]:
    return () if step.new is None else (step.new.id, step.new.name)


def _after(curator: Curator, contents: BankContents, steps: Sequence[_Step]) -> BankContents:
    """The bank as the changes leave it."""
    items = {item.path: item for item in (*contents.cards, *contents.pages)}
    for step in steps:
        path = curator.place(step.path)
        known = items.pop(path, None)
        if step.new is not None:
            # A host's file carries no id: it keeps the one under which it is listed.
            items[path] = replace(step.new, id=known.id) if known is not None else step.new
    return replace(
        contents,
        cards=tuple(item for item in items.values() if isinstance(item, Card)),
        pages=tuple(item for item in items.values() if isinstance(item, Page)),
    )


def _superseded(curator: Curator, contents: BankContents) -> frozenset[str]:
    known = Known(curator.clock(), trust_by_id(contents.events), {}, {})
    return frozenset(
        item
        for item, states in states_of(contents, known).items()
        if any(state.reason == reasons.SUPERSEDED for state in states)
    )
