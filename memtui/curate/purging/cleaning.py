"""How each kind of place is cleaned. Each step can be done again, so a purge that was cut off is repeated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtui.bank.events import event_files
from memtui.bank.frontmatter import REMOVE, set_keys_bytes, split
from memtui.bank.handles import Handles
from memtui.bank.items import LINK
from memtui.bank.layout import INDEX
from memtui.bank.memory_index import parse_index
from memtui.bank.model import Card, Item, Page
from memtui.bank.standing import ACT, OF
from memtui.bank.write import atomic_write
from memtui.curate.curator import Curator
from memtui.curate.files import META, path_of
from memtui.curate.following import target_of
from memtui.curate.hunks import bytes_of, lines_of, text_of
from memtui.curate.purging.needles import PURGED, Needles
from memtui.index.states import key_of

KEPT_DATA = (ACT, OF, "verb")


def clean_page(curator: Curator, page: Page, item: Item, needles: Needles) -> None:
    """Take out the claims that rest on the item alone, its citations elsewhere, and its source."""
    path = path_of(curator, page)
    data = curator.read(path)
    if data is None:
        return
    text = text_of(data)
    _, body = split(text)
    kept = [_claim_line(line, item, needles) for line in body.split("\n")]
    head = text[: len(text) - len(body)]
    new = bytes_of(needles.without(head) + "\n".join(line for line in kept if line is not None))
    if item.id in page.sources:
        new = set_keys_bytes(new, {(META, "sources", item.id): REMOVE})
    new = _without_id(new, page, item)
    if new != data:
        curator.write(path, new)


def clean_card(curator: Curator, card: Card, item: Item, needles: Needles) -> None:
    """Mask what the card quotes, and turn links to the item into nothing."""
    path = path_of(curator, card)
    data = curator.read(path)
    if data is None:
        return
    new = bytes_of(_unlinked(needles.without(text_of(data)), item))
    new = _without_id(new, card, item)
    if new != data:
        curator.write(path, new)


def clean_index(curator: Curator, item: Item, needles: Needles) -> None:
    """Remove the item's line from `MEMORY.md` and mask its text elsewhere."""
    data = curator.read(INDEX)
    if data is None:
        return
    path = path_of(curator, item)
    gone = {line.number for line in parse_index(data) if target_of(line) == path}
    lines = [line for at, line in enumerate(lines_of(data)) if at not in gone]
    new = b"".join(bytes_of(needles.without(text_of(line))) for line in lines)
    if new != data:
        curator.write(INDEX, new)


def clean_events(curator: Curator, item: Item, needles: Needles) -> None:
    """Empty the events about the item, and mask its text in all others; every row stays."""
    for path in event_files(curator.files.events):
        data = path.read_bytes()
        new = b"".join(_event_line(line, item, needles) for line in lines_of(data))
        if new != data:
            atomic_write(path, new)


def clean_lines(path: Path, needles: Needles) -> None:
    """Remove the lines that hold the text; a file of which no line is left is deleted."""
    data = path.read_bytes()
    kept = [line for line in lines_of(data) if not needles.in_bytes(line)]
    if not b"".join(kept).strip():
        path.unlink()
    elif len(kept) < len(lines_of(data)):
        atomic_write(path, b"".join(kept))


def forget_handle(curator: Curator, item: Item) -> None:
    """Forget the id that state keeps for the item's file."""
    handles = Handles.read(curator.state)
    if handles.known.pop(path_of(curator, item), None) is not None:
        handles.changed = True
        handles.save(curator.state)


def _claim_line(line: str, item: Item, needles: Needles) -> str | None:
    """A line of a page without the item, or None when nothing else supports it."""
    names = [name.strip() for name in LINK.findall(line)]
    if needles.in_text(line) or (item.name in names and set(names) == {item.name}):
        return None
    return _unlinked(line, item)


def _unlinked(text: str, item: Item) -> str:
    if item.name not in text:
        return text

    def without(found: Any) -> str:
        return "" if found[1].strip() == item.name else str(found[0])

    return "\n".join(
        LINK.sub(without, line).rstrip() if f"[[{item.name}" in line else line
        for line in text.split("\n")
    )


def _without_id(data: bytes, other: Item, item: Item) -> bytes:
    if item.id not in other.supersedes:
        return data
    left = [word for word in other.supersedes if word != item.id]
    return set_keys_bytes(data, {(META, "supersedes"): left})


def _event_line(line: bytes, item: Item, needles: Needles) -> bytes:
    about = key_of(item).encode() in line
    if not about and not needles.in_bytes(line):
        return line
    try:
        event = json.loads(line)
    except ValueError:
        # A damaged line says nothing that can be kept apart from the text that it holds.
        return b"" if needles.in_bytes(line) else line
    if not isinstance(event, dict):
        return line
    if event.get("item") == key_of(item):
        data = event.get("data")
        kept = {k: data[k] for k in KEPT_DATA if k in data} if isinstance(data, Mapping) else {}
        event = {k: v for k, v in event.items() if k not in ("name", "title", "reason", "data")}
        event.update({"data": kept} if kept else {})
    else:
        masked = _masked(event, _names(item), needles)
        if masked == event:
            return line
        event = masked
    made = json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode()
    return made + (b"\n" if line.endswith(b"\n") else b"")


def _names(item: Item) -> frozenset[str]:
    """What names the item in the data of other events: its file and its name."""
    return frozenset(
        (f"cards/{item.name}.md", f"pages/{item.name}.md", f"{item.name}.md", item.name)
    )


def _masked(value: Any, names: frozenset[str], needles: Needles) -> Any:
    """JSON values with texts masked, and what lies under the item's own names dropped."""
    if isinstance(value, str):
        return PURGED if value in names or needles.in_text(value) else value
    if isinstance(value, list):
        return [_masked(part, names, needles) for part in value]
    if isinstance(value, dict):
        return {k: _masked(v, names, needles) for k, v in value.items() if k not in names}
    return value
