"""Edits made outside memtui are noticed and become events that undo leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui.bank.events import to_json
from memtui.bank.model import BankContents, Card, Page
from memtui.bank.standing import ACT, act_of
from memtui.curate.act import FileChange, digest
from memtui.curate.acts import record_only
from memtui.curate.curator import EXTERNAL, Curator, new_id
from memtui.curate.file_data import FILES, file_data
from memtui.curate.files import is_item, parse_item, path_of
from memtui.curate.healing import heal_locked
from memtui.index.states import key_of
from memtui.ledger.model import ActRecord, FileRecord

Pair = tuple[Card | Page | None, Card | Page | None]
"""An item as it was and as it is; None for no file."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """One outside change: `verb` is edit, create or remove."""

    act: str
    verb: str
    item: str
    title: str


def notice_external(
    curator: Curator, previous: BankContents, new: BankContents
) -> tuple[Noticed, ...]:
    """Write an event for each item that differs and that no act of this ledger explains.

    Call it when files changed under the app. Two processes that notice the same change write one event.
    """
    return _note_all(curator, _untold(curator, list(_differing(previous, new)), new))


def notice_missed(curator: Curator, contents: BankContents) -> tuple[Noticed, ...]:
    """The same for what was edited while no memtui looked: files that are not as the last act left them.

    What no act of this ledger ever touched is taken as it is.
    """
    items: dict[str, Card | Page] = {path_of(curator, card): card for card in contents.cards}
    items.update((path_of(curator, page), page) for page in contents.pages)
    ids = {item.id for item in items.values()}
    differing: list[Pair] = []
    for path, left in curator.ledger.all_left().items():
        item = items.get(path)
        if not is_item(curator, path) or (item.digest if item else "") == left:
            continue
        kept = curator.ledger.bytes_of(left) if left else None
        old = None if kept is None else parse_item(curator, path, kept)
        if item is not None or (old is not None and old.id and old.id not in ids):
            differing.append((old, item))
    return _note_all(curator, _untold(curator, differing, contents))


def _note_all(curator: Curator, differing: Sequence[Pair]) -> tuple[Noticed, ...]:
    if not differing:
        return ()
    with curator.locked():
        heal_locked(curator)
        return tuple(filter(None, (_note(curator, old, item) for old, item in differing)))


def _untold(curator: Curator, differing: Sequence[Pair], contents: BankContents) -> list[Pair]:
    """Those that no event of somebody else explains: git brings their acts with the files."""
    if not differing:
        return []
    own = {act.id for act in curator.ledger.history(None)}
    told = {
        path: entry.get("after")
        for event in contents.events
        if act_of(event) not in own and isinstance(files := event.data.get(FILES), Mapping)
        for path, entry in files.items()
        if isinstance(entry, Mapping)
    }
    left = []
    for old, item in differing:
        some = item or old
        assert some is not None
        if told.get(path_of(curator, some)) != (item.digest if item else ""):
            left.append((old, item))
    return left


def _differing(previous: BankContents, new: BankContents) -> Iterator[Pair]:
    before, after = _by_id(previous), _by_id(new)
    for item_id in sorted(before.keys() | after.keys()):
        old, item = before.get(item_id), after.get(item_id)
        if old is None or item is None or old.digest != item.digest:
            yield old, item


def _by_id(contents: BankContents) -> dict[str, Card | Page]:
    found: dict[str, Card | Page] = {card.id: card for card in contents.cards}
    found.update((page.id, page) for page in contents.pages)
    return found


def _note(curator: Curator, old: Card | Page | None, new: Card | Page | None) -> Noticed | None:
    item = new or old
    assert item is not None
    path = path_of(curator, item)
    current = curator.read(path)
    seen = new.digest if new else ""
    if digest(current) != seen or curator.ledger.left(path) == seen:
        return None
    before = curator.ledger.bytes_of(old.digest) if old else None
    verb = "create" if old is None else "remove" if new is None else "edit"
    act_id = new_id()
    change = FileChange(path, before, current)
    data = {ACT: act_id, **(file_data(curator, [change]) if before or not old else {})}
    event = curator.event(
        "act",
        verb,
        key_of(item),
        name=item.name,
        title=item.title,
        data=data,
        writer=f"{EXTERNAL}-{curator.writer}",
    )
    kept = FileRecord(path, before, current, old.digest if old else "", digest(current))
    record = ActRecord(
        id=act_id,
        at=curator.clock(),
        writer=event.writer,
        verb=verb,
        items=(event.item,),
        title=item.title,
        summary=f"outside {verb}: {item.title}",
        files=(kept,),
        events=(to_json(event),),
    )
    record_only(curator, record)
    return Noticed(act_id, verb, event.item, item.title)
