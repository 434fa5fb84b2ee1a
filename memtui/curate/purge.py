"""Purge: the one act that cannot be undone. It lists every place first, erases, scans, and gives a receipt.

The item's own file goes last and the tombstone before it, so a purge that is cut off leaves the item
away from every agent and can simply be done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.bank.events import to_json
from memtui.bank.layout import INDEX
from memtui.bank.model import BankContents, Card, Item, Page
from memtui.bank.standing import ACT
from memtui.curate.act import CurateError, digest
from memtui.curate.acts import record_only
from memtui.curate.curator import Curator, new_id
from memtui.curate.files import path_of, read_now
from memtui.curate.healing import heal_locked
from memtui.curate.purging import cleaning
from memtui.curate.purging.needles import Needles, needles_of, own_excerpts, unpacked
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
from memtui.curate.purging.progress import Step, Tell, untold
from memtui.curate.replacing import freed_without
from memtui.curate.tombstones import PRINTS, prints_of
from memtui.index.states import key_of
from memtui.ledger.model import ActRecord, FileRecord
from memtui.safety.locks import LockedError, bank_lock
from memtui.safety.private import private_folder
from memtui.safety.removal import remove_folder

_STEPS = 6
_TOLD_EVERY = 20
"""Files that a scan reads between two words about how far it is."""
_LINES = (".jsonl", ".txt", ".md", ".json", ".log")


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What a purge would erase, to be shown and asked about first."""

    items: tuple[Item, ...]
    contents: BankContents
    needles: Needles
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased, what was scanned after it, and what still holds a byte of it, with the reason."""

    act: str
    at: datetime
    items: tuple[str, ...]
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
        yield f"purged {' '.join(self.items)}: {len(self.erased)} places erased"
        yield from (f"  {place.kind}: {place.path}" for place in self.erased)
        yield f"scanned {self.scanned_files} files, {self.scanned_bytes} bytes: " + (
            "0 bytes of it found" if not self.remaining else f"{len(self.remaining)} places left"
        )
        yield from (f"  {place.kind}: {place.path}: {place.detail}" for place in self.remaining)


def plan_purge(
    curator: Curator,
    items: Sequence[Item],
    contents: BankContents,
    phrases: Iterable[str] = (),
    tell: Tell = untold,
) -> PurgePlan:
    """Every place that holds the items; nothing is changed. `phrases` are further texts to erase.

    Raises CurateError when one of them is gone or there is none, OSError when a place cannot be read, and
    what `tell` raises.
    """
    if not items:
        raise CurateError("nothing to purge", "put the cursor on a card or page, or mark some")
    for item in items:
        read_now(curator, item)
    needles = needles_of(items, contents, excerpt_folders(curator), phrases)
    places = dict.fromkeys(places_of(curator, items, contents, needles, tell))
    return PurgePlan(tuple(items), contents, needles, tuple(places))


def purge(
    curator: Curator,
    plan: PurgePlan,
    rebuild: Callable[[], None] | None = None,
    *,
    tell: Tell = untold,
) -> Receipt:
    """Erase what the plan lists, rebuild what is derived, scan everything, and tell what is left.

    `rebuild` makes the derived stores again. Until `tell` hears of a final step it may raise, and nothing
    is erased. Raises OSError, LockedError (another act takes very long): do it again then.
    """
    items, needles = plan.items, plan.needles
    tell(Step("waiting for other processes"))
    with _index_lock(curator), curator.locked():
        heal_locked(curator)
        tell(Step("about to erase"))
        _clean_bank(curator, plan, tell)
        tell(_final("erasing evidence, archive and spool", 2))
        _clean_folders(curator, items, plan.contents, needles)
        tell(_final("erasing the ledger", 3))
        paths = [path_of(curator, item) for item in items]
        curator.ledger.erase(needles.in_text, [key_of(item) for item in items], paths)
        curator.ledger.shrink()
        tell(_final("erasing what is derived, and the files", 4))
        remove_folder(curator.cache)
        act = _tombstones(curator, plan)
        for path in paths:
            curator.write(path, None)
        cleaning.forget_handles(curator, items)
    if rebuild is not None:
        tell(_final("building the index anew", 5))
        rebuild()
    files, size, remaining = scan(curator, items, needles, tell)
    keys = tuple(key_of(item) for item in items)
    return Receipt(act, curator.clock(), keys, _done(plan.places), files, size, tuple(remaining))


def scan(
    curator: Curator, items: Sequence[Item], needles: Needles, tell: Tell = untold
) -> tuple[int, int, list[Place]]:
    """Read every file of bank, state, cache and spool: how many, how many bytes, which hold the text."""
    count = size = 0
    found: list[Place] = []
    paths = list(_all_files(curator))
    for path in paths:
        if count % _TOLD_EVERY == 0:
            tell(Step("scanning every file for it", count, len(paths), final=True))
        try:
            data = unpacked(path)
        except FileNotFoundError:
            continue  # a derived file that was replaced meanwhile
        count += 1
        size += len(data)
        if needles.in_bytes(data):
            found.append(_left(curator, path))
    found += git_places(curator, items, needles)
    return count, size, found


def _final(what: str, done: int) -> Step:
    return Step(what, done, _STEPS, final=True)


@contextmanager
def _index_lock(curator: Curator) -> Iterator[None]:
    """Hold the `index` lock where it is free, so that nobody builds an index meanwhile.

    An agent's memory server may hold it for days, and a purge must not wait for that. Who holds it loses
    its files, notices by the vectors' new epoch that they are not the ones it knew, and builds anew.
    """
    private_folder(curator.state)
    lock = bank_lock(curator.state, "index", timeout=0.0)
    try:
        lock.acquire()
    except LockedError:
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _clean_bank(curator: Curator, plan: PurgePlan, tell: Tell) -> None:
    items, needles = plan.items, plan.needles
    quoting = quoting_items(items, plan.contents, needles)
    tell(_final("erasing it from cards, pages and the index", 0))
    for page in quoting.pages:
        if isinstance(page, Page):
            cleaning.clean_page(curator, page, items, needles)
    for card in quoting.cards:
        if isinstance(card, Card):
            cleaning.clean_card(curator, card, items, needles)
    freed = freed_without(curator, plan.contents, items)
    cleaning.clean_index(curator, items, needles, freed)
    tell(_final("erasing it from the events", 1))
    cleaning.clean_events(curator, items, needles)


def _clean_folders(
    curator: Curator, items: Sequence[Item], contents: BankContents, needles: Needles
) -> None:
    for name in own_excerpts(items, contents):
        for folder in excerpt_folders(curator):
            (folder / f"{name}.json").unlink(missing_ok=True)
    for path in own_archive(curator, items, needles):
        path.unlink()
    for path in holding_files(curator.places.spool, needles):
        path.unlink()
    for path in (*holding_files(curator.root / "weights", needles), *state_files(curator)):
        if path.suffix in _LINES and needles.in_bytes(path.read_bytes()):
            cleaning.clean_lines(path, needles)


def _tombstones(curator: Curator, plan: PurgePlan) -> str:
    """Write a tombstone for each item: an event without content; and which files the purge left how."""
    act = new_id()
    events = [
        curator.event("tombstone", "purge", key_of(item), data={ACT: act, PRINTS: prints_of(item)})
        for item in plan.items
    ]
    cleaned = [place.path for place in plan.places if place.kind in ("page", "card")]
    keys = tuple(key_of(item) for item in plan.items)
    record = ActRecord(
        id=act,
        at=curator.clock(),
        writer=curator.writer,
        verb="purge",
        items=keys,
        title="",
        summary=f"purged {' '.join(keys)}",
        files=(
            *(_left_so(curator, path) for path in (*cleaned, INDEX)),
            *(_gone(path_of(curator, item)) for item in plan.items),
        ),
        events=tuple(to_json(event) for event in events),
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
