"""Items that come back into the index, or leave it, because of what other items supersede.

A superseded item is in no injection and in no index. When the item that replaces it is demoted, it holds
again; when that one is promoted, it is gone again; and promoting a superseded item does not list it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui import reasons
from memtui.bank.load import BankReader
from memtui.bank.model import BankContents, Card, Event, Item, Page, Status
from memtui.bank.standing import CORRECTIONS
from memtui.bank.trust import VERDICTS, trust_by_id
from memtui.curate.act import FileChange
from memtui.curate.curator import Curator
from memtui.curate.files import is_item, item_files, parse_item
from memtui.index.states import Known, states_of

_SUPERSEDES = re.compile(rb"supersedes:\s*(?:\[\s*[^\s\]]|[^\s\[])")
"""Front matter that names something which is superseded, whatever its YAML looks like."""
_ABOUT_VERDICTS = frozenset((*VERDICTS, "merge"))
"""Acts that say whom people trust: a card from outside supersedes only once it is confirmed."""


@dataclass(frozen=True, slots=True)
class Turned:
    """What changes do to the standing of items: `released` hold again, `covered` are replaced by now.

    `replaced` are the files of all items that are replaced after the changes, `items` all items by file
    where the bank had to be read.
    """

    released: tuple[Item, ...] = ()
    covered: tuple[Item, ...] = ()
    replaced: frozenset[Path] = frozenset()
    items: Mapping[Path, Item] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Step:
    """One item before and after a change."""

    path: str
    old: Card | Page | None
    new: Card | Page | None

    @property
    def rises(self) -> bool:
        return holds(self.new) and not holds(self.old)

    @property
    def leaves_name(self) -> bool:
        """Whether the item is gone from this file, so that who named the file means it no longer."""
        return holds(self.old) and self.new is None

    @property
    def turns(self) -> bool:
        """Whether it replaces others than before, itself or in a chain (there its own status is nothing)."""
        old, new = _supersedes(self.old), _supersedes(self.new)
        return old != new or bool(new and holds(self.old) != holds(self.new))


def turned(
    curator: Curator,
    changes: Sequence[FileChange],
    events: Sequence[Event] = (),
    asked: Collection[str] = (),
) -> Turned:
    """What the changes and the events of an act do to the standing of all items.

    `asked` are files whose standing is wanted in any case. The bank is read only where one of the items
    in question is superseded, or supersedes another, at all.
    """
    steps = list(_steps(curator, changes))
    in_question = [
        *(step.new for step in steps if step.rises),
        *(step.old for step in steps if step.leaves_name),
        *_items_of(curator, asked),
    ]
    if not (
        any(step.turns for step in steps)
        or _named(curator, in_question)
        or _trusted_otherwise(curator, events)
    ):
        return Turned()
    reader = BankReader(curator.root, curator.config, curator.layout, curator.state)
    contents = reader.read()
    later = _after(curator, contents, steps)
    later = replace(later, events=(*later.events, *events))
    before, after = _superseded(curator, contents), _superseded(curator, later)
    up = {curator.place(step.path) for step in steps if step.rises}
    items = (*later.cards, *later.pages)
    return Turned(
        tuple(i for i in items if i.id in before - after and holds(i)),
        tuple(i for i in items if i.id in after and (i.id not in before or i.path in up)),
        frozenset(i.path for i in items if i.id in after),
        {item.path: item for item in items},
    )


def freed_without(
    curator: Curator, before: BankContents, gone: Collection[Item]
) -> tuple[Item, ...]:
    """The items that hold again, as the files are now, without those that go; `before` is how it was."""
    if not any(item.supersedes for item in (*before.cards, *before.pages)):
        return ()
    paths = {item.path for item in gone}
    now = BankReader(curator.root, curator.config, curator.layout, curator.state).read()
    left = replace(
        now,
        cards=tuple(card for card in now.cards if card.path not in paths),
        pages=tuple(page for page in now.pages if page.path not in paths),
    )
    freed = _superseded(curator, before) - _superseded(curator, left)
    return tuple(item for item in (*left.cards, *left.pages) if item.id in freed and holds(item))


def _steps(curator: Curator, changes: Sequence[FileChange]) -> Iterator[_Step]:
    for change in changes:
        if is_item(curator, change.path):
            sides = (
                None if data is None else parse_item(curator, change.path, data)
                for data in (change.base, change.new)
            )
            yield _Step(change.path, *sides)


def _items_of(curator: Curator, paths: Collection[str]) -> list[Card | Page]:
    read = ((path, curator.read(path)) for path in paths)
    return [parse_item(curator, path, data) for path, data in read if data is not None]


def holds(item: Item | None) -> bool:
    """Whether the item belongs into the index, unless something replaces it."""
    return item is not None and item.status is Status.ACTIVE and not item.conflict


def _supersedes(item: Card | Page | None) -> frozenset[str]:
    return frozenset() if item is None else frozenset(item.supersedes)


def _named(curator: Curator, items: Sequence[Item | None]) -> bool:
    """Whether some file may say that it supersedes one of the items."""
    known = [item for item in items if item is not None]
    words = [word.encode() for item in known for word in (item.id, item.name) if word]
    return bool(words) and any(any(word in text for word in words) for text in _replacing(curator))


def _trusted_otherwise(curator: Curator, events: Sequence[Event]) -> bool:
    """Whether the events may let a card from outside supersede others, or keep it from doing so."""
    verbs = (
        event.data.get("verb") if event.verb in CORRECTIONS else event.verb for event in events
    )
    if not any(verb in _ABOUT_VERDICTS for verb in verbs):
        return False
    return any(b"external" in text.lower() for text in _replacing(curator))


def _replacing(curator: Curator) -> Iterator[bytes]:
    """The files of items that supersede something."""
    texts = (file.read_bytes() for file in item_files(curator))
    return (text for text in texts if _SUPERSEDES.search(text))


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
