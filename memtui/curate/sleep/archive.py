"""The archive: retired cards, compressed, out of the way. They come back byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import zstandard

from memtui.bank.model import BankContents, Card, Status
from memtui.bank.standing import standing
from memtui.curate.act import Act, ActResult, CurateError, FileChange
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.file_data import file_data
from memtui.curate.files import parse_item, path_of
from memtui.curate.index_lines import follow_items
from memtui.index.states import key_of

REST = timedelta(days=28)
"""How long a card is retired before it goes into the archive."""
SUFFIX = ".md.zst"
LARGEST = 16 * 1024 * 1024


def archivable(contents: BankContents, now: datetime) -> list[Card]:
    """Retired cards that nothing alive leans on and that have rested long enough, by name."""
    needed = {source for page in contents.pages for source in page.sources}
    linked = {
        name
        for item in (*contents.cards, *contents.pages)
        if item.status is Status.ACTIVE
        for name in item.links
    }
    since = _retired_since(contents)
    found = []
    for card in contents.cards:
        left = card.status is Status.RETIRED and not card.conflict and card.id not in needed
        start = since.get(key_of(card)) or card.modified or card.created
        if left and card.name not in linked and start is not None and start + REST <= now:
            found.append(card)
    return sorted(found, key=lambda card: card.name)


def archive(curator: Curator, cards: Sequence[Card]) -> ActResult:
    """Move the files of retired cards into the archive. Raises CurateError, ConflictError."""
    if not cards:
        raise CurateError("nothing to archive", "retired cards go there after 28 days")

    def build(_act_id: str) -> Act:
        changes: list[FileChange] = []
        events = []
        for card in cards:
            path = path_of(curator, card)
            data = curator.read(path)
            if data is None:
                continue
            moved = FileChange(path, data, None)
            packed = _place(curator, card.name)
            changes += [moved, FileChange(packed, curator.read(packed), _pack(data))]
            kept = {"archive": packed, **file_data(curator, [moved])}
            key = key_of(card)
            events.append(
                curator.event("act", "archive", key, name=card.name, title=card.title, data=kept)
            )
        if not changes:
            raise CurateError("the cards are gone", "reload the bank")
        title = cards[0].title if len(events) == 1 else f"{len(events)} retired cards"
        return Act(
            verb="archive",
            items=tuple(event.item for event in events),
            title=title,
            summary=f"archived: {title}",
            changes=(*changes, *follow_items(curator, changes)),
            events=tuple(events),
        )

    return perform(curator, build)


def restore(curator: Curator, name: str) -> ActResult:
    """Bring an archived card back, byte for byte. Raises CurateError, ConflictError."""

    def build(_act_id: str) -> Act:
        packed = _place(curator, name)
        data = curator.read(packed)
        if data is None:
            known = ", ".join(archived(curator)[:5]) or "nothing is archived"
            raise CurateError(f"{name} is not in the archive", known)
        path = curator.relative(curator.files.card_path(name))
        whole = _unpack(packed, data)
        changes = (FileChange(path, curator.read(path), whole), FileChange(packed, data, None))
        if changes[0].base not in (None, whole):
            raise CurateError(f"{path} exists", "rename it first")
        card = parse_item(curator, path, whole)
        key = key_of(card)
        event = curator.event("act", "restore", key, name=card.name, title=card.title)
        return Act("restore", (key,), card.title, f"restored: {card.title}", changes, (event,))

    return perform(curator, build)


def archived(curator: Curator) -> list[str]:
    """The names of the cards in the archive."""
    found = curator.files.archive.glob(f"*{SUFFIX}")
    return sorted(path.name.removesuffix(SUFFIX) for path in found)


def _retired_since(contents: BankContents) -> dict[str, datetime]:
    return {
        event.item: event.at
        for event in standing(contents.events)
        if event.verb == "demote" and event.data.get("to") == Status.RETIRED.value
    }


def _place(curator: Curator, name: str) -> str:
    return curator.relative(curator.files.archive / f"{name}{SUFFIX}")


def _pack(data: bytes) -> bytes:
    packed: bytes = zstandard.ZstdCompressor(level=10, write_checksum=True).compress(data)
    return packed


def _unpack(path: str, data: bytes) -> bytes:
    try:
        whole: bytes = zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST)
    except zstandard.ZstdError as error:
        raise CurateError(f"{Path(path).name} is damaged: {error}", "look in git for it") from error
    return whole
