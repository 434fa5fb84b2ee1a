"""Purge: the one act that cannot be undone. It lists every place first, erases, scans, and gives a receipt.

The item's own file goes last and the tombstone before it, so a purge that is cut off leaves the item
away from every agent and can simply be done again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.bank.events import to_json
from memtui.bank.model import BankContents, Card, Event, Item, Page
from memtui.bank.standing import ACT
from memtui.curate.act import digest
from memtui.curate.acts import record_only
from memtui.curate.curator import Curator, new_id
from memtui.curate.files import path_of, read_now
from memtui.curate.healing import heal_locked
from memtui.curate.purging import cleaning
from memtui.curate.purging.needles import Needles, needles_of, own_excerpts, prints, unpacked
from memtui.curate.purging.places import (
    Place,
    excerpt_folders,
    files_in,
    git_places,
    holding_files,
    own_archive,
    places_of,
    quoting_items,
    state_files,
)
from memtui.index.states import key_of
from memtui.ledger.model import ActRecord, FileRecord
from memtui.safety.locks import bank_lock

PRINTS = "prints"
"""Key in a tombstone's data: fingerprints of what was purged, so that it is not captured again."""
_LINES = (".jsonl", ".txt", ".md", ".json", ".log")


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What a purge would erase, to be shown and asked about first."""

    item: Item
    contents: BankContents
    needles: Needles
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased, what was scanned after it, and what still holds a byte of it, with the reason."""

    act: str
    at: datetime
    item: str
    erased: tuple[Place, ...]
    scanned_files: int
    scanned_bytes: int
    remaining: tuple[Place, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing that memtui keeps holds any of it."""
        return not any(place.kind not in ("git", "transcripts") for place in self.remaining)

    def lines(self) -> Iterator[str]:
        """The receipt for reading."""
        yield f"purged {self.item}: {len(self.erased)} places erased"
        yield from (f"  {place.kind}: {place.path}" for place in self.erased)
        yield f"scanned {self.scanned_files} files, {self.scanned_bytes} bytes: " + (
            "0 bytes of it found" if not self.remaining else f"{len(self.remaining)} places left"
        )
        yield from (f"  {place.kind}: {place.path}: {place.detail}" for place in self.remaining)


def plan_purge(
    curator: Curator, item: Item, contents: BankContents, phrases: Iterable[str] = ()
) -> PurgePlan:
    """Every place that holds the item; nothing is changed. `phrases` are further texts to erase.

    Raises CurateError when the item is gone, OSError when a place cannot be read.
    """
    read_now(curator, item)
    needles = needles_of(item, contents, excerpt_folders(curator), phrases)
    places = tuple(places_of(curator, item, contents, needles))
    return PurgePlan(item, contents, needles, places)


def purge(
    curator: Curator,
    plan: PurgePlan,
    rebuild: Callable[[], None] | None = None,
    *,
    holds_index: bool = False,
) -> Receipt:
    """Erase what the plan lists, rebuild what is derived, scan everything, and tell what is left.

    `rebuild` makes the derived stores again; `holds_index` says that this process holds the `index`
    lock. Raises OSError, LockedError (another process has the vectors open): do it again then.
    """
    item, needles = plan.item, plan.needles
    with _index_lock(curator, holds_index), curator.locked():
        heal_locked(curator)
        _clean_bank(curator, plan)
        _clean_folders(curator, item, plan.contents, needles)
        curator.ledger.erase(needles.in_text, [key_of(item)], [path_of(curator, item)])
        curator.ledger.shrink()
        if curator.cache.exists():
            shutil.rmtree(curator.cache)
        act = _tombstone(curator, plan)
        curator.write(path_of(curator, item), None)
        cleaning.forget_handle(curator, item)
    if rebuild is not None:
        rebuild()
    files, size, remaining = scan(curator, item, needles)
    return Receipt(
        act, curator.clock(), key_of(item), _done(plan.places), files, size, tuple(remaining)
    )


def scan(curator: Curator, item: Item, needles: Needles) -> tuple[int, int, list[Place]]:
    """Read every file of bank, state, cache and spool: how many, how many bytes, which hold the text."""
    count = size = 0
    found: list[Place] = []
    for path in _all_files(curator):
        try:
            data = unpacked(path)
        except FileNotFoundError:
            continue  # a derived file that was replaced meanwhile
        count += 1
        size += len(data)
        if needles.in_bytes(data):
            found.append(_left(curator, path))
    found += git_places(curator, item, needles)
    return count, size, found


def is_tombstoned(events: Iterable[Event], title: str, body: str) -> bool:
    """Whether this text was purged: nothing that captures may propose it again."""
    own = set(prints(title, body))
    return any(
        own & set(event.data.get(PRINTS) or ()) for event in events if event.kind == "tombstone"
    )


@contextmanager
def _index_lock(curator: Curator, held: bool) -> Iterator[None]:
    if held:
        yield
        return
    curator.state.mkdir(parents=True, exist_ok=True)
    with bank_lock(curator.state, "index"):
        yield


def _clean_bank(curator: Curator, plan: PurgePlan) -> None:
    quoting = quoting_items(plan.item, plan.contents, plan.needles)
    for page in quoting.pages:
        if isinstance(page, Page):
            cleaning.clean_page(curator, page, plan.item, plan.needles)
    for card in quoting.cards:
        if isinstance(card, Card):
            cleaning.clean_card(curator, card, plan.item, plan.needles)
    cleaning.clean_index(curator, plan.item, plan.needles)
    cleaning.clean_events(curator, plan.item, plan.needles)


def _clean_folders(curator: Curator, item: Item, contents: BankContents, needles: Needles) -> None:
    for name in own_excerpts(item, contents):
        for folder in excerpt_folders(curator):
            (folder / f"{name}.json").unlink(missing_ok=True)
    for path in own_archive(curator, item, needles):
        path.unlink()
    for path in holding_files(curator.places.spool, needles):
        path.unlink()
    for path in (*holding_files(curator.root / "weights", needles), *state_files(curator)):
        if path.suffix in _LINES and needles.in_bytes(path.read_bytes()):
            cleaning.clean_lines(path, needles)


def _tombstone(curator: Curator, plan: PurgePlan) -> str:
    """Write the tombstone: an event without content, and which files the purge left how."""
    item, act = plan.item, new_id()
    data = {ACT: act, PRINTS: list(prints(item.title, item.body))}
    event = curator.event("tombstone", "purge", key_of(item), data=data)
    cleaned = (place.path for place in plan.places if place.kind in ("page", "card", "index line"))
    record = ActRecord(
        id=act,
        at=curator.clock(),
        writer=curator.writer,
        verb="purge",
        items=(key_of(item),),
        title="",
        summary=f"purged {key_of(item)}",
        files=(*(_left_so(curator, path) for path in cleaned), _gone(path_of(curator, item))),
        events=(to_json(event),),
    )
    record_only(curator, record)
    return act


def _left_so(curator: Curator, path: str) -> FileRecord:
    """Only the digest: a purge keeps no bytes, and nothing may bring the old ones back."""
    now = digest(curator.read(path))
    return FileRecord(path, None, None, now, now)


def _gone(path: str) -> FileRecord:
    return FileRecord(path, None, None, "", "")


def _done(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(place for place in places if place.kind != "git")


def _all_files(curator: Curator) -> Iterator[Path]:
    folders = (curator.root, curator.state, curator.cache, curator.places.spool)
    seen: set[Path] = set()
    for folder in folders:
        for path in files_in(folder):
            if path not in seen:
                seen.add(path)
                yield path
    catalogue = curator.places.catalogue
    yield from (path for path in catalogue.parent.glob(f"{catalogue.name}*") if path.is_file())


def _left(curator: Curator, path: Path) -> Place:
    if path.name.startswith(curator.places.catalogue.name) and path.parent == curator.places.cache:
        detail = "from the host's own transcript, which memtui never writes; it goes when that goes"
        return Place("transcripts", str(path), detail)
    kinds = (
        ("evidence", curator.files.evidence, "another item cites the same record: purge that too"),
        ("evidence", curator.state / "evidence", "another item cites the same record"),
        ("weights", curator.root / "weights", "trained on it: retrain without it"),
        ("cache", curator.cache, "derived: delete it"),
        ("spool", curator.places.spool, "written meanwhile: purge again"),
        ("state", curator.state, "purge again"),
    )
    for kind, folder, detail in kinds:
        if path.is_relative_to(folder):
            return Place(kind, str(path), detail)
    return Place("file", str(path), "memtui does not know this file: remove it by hand")
