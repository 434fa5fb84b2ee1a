"""How each kind of place is cleaned. Each step can be done again, so a purge that was cut off is repeated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
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
from memtui.curate.index_lines import Index
from memtui.curate.purging.needles import PURGED, Needles
from memtui.index.states import key_of

KEPT_DATA = (ACT, OF, "verb")


def clean_page(curator: Curator, page: Page, items: Sequence[Item], needles: Needles) -> None:
    """Take out the claims that rest on the items alone, their citations elsewhere, and the sources."""
    path = path_of(curator, page)
    data = curator.read(path)
    if data is None:
        return
    text = text_of(data)
    _, body = split(text)
    kept = [_claim_line(line, items, needles) for line in body.split("\n")]
    head = text[: len(text) - len(body)]
    new = bytes_of(needles.without(head) + "\n".join(line for line in kept if line is not None))
    gone: dict[tuple[str, ...], Any] = {
        (META, "sources", item.id): REMOVE for item in items if item.id in page.sources
    }
    new = _without_ids(set_keys_bytes(new, gone) if gone else new, page, items)
    if new != data:
        curator.write(path, new)


def clean_card(curator: Curator, card: Card, items: Sequence[Item], needles: Needles) -> None:
    """Mask what the card quotes, and the links to the items."""
    path = path_of(curator, card)
    data = curator.read(path)
    if data is None:
        return
    new = bytes_of(_unlinked(needles.without(text_of(data)), items, PURGED))
    new = _without_ids(new, card, items)
    if new != data:
        curator.write(path, new)


def clean_index(
    curator: Curator, items: Sequence[Item], needles: Needles, freed: Iterable[Item]
) -> None:
    """Remove the items' lines from `MEMORY.md`, mask their text elsewhere, and list what they replaced."""
    data = curator.read(INDEX)
    if data is None:
        return
    paths = {path_of(curator, item) for item in items}
    gone = {line.number for line in parse_index(data) if target_of(line) in paths}
    lines = [line for at, line in enumerate(lines_of(data)) if at not in gone]
    index = Index(curator, b"".join(bytes_of(needles.without(text_of(line))) for line in lines))
    for item in freed:
        path = path_of(curator, item)
        index.update(path, None, path, item)
    if index.data != data:
        curator.write(INDEX, index.data)


def clean_events(curator: Curator, items: Sequence[Item], needles: Needles) -> None:
    """Empty the events about the items, and mask their text in all others; every row stays."""
    for path in event_files(curator.files.events):
        data = path.read_bytes()
        new = b"".join(_event_line(line, items, needles) for line in lines_of(data))
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


def forget_handles(curator: Curator, items: Sequence[Item]) -> None:
    """Forget the ids that state keeps for the items' files."""
    handles = Handles.read(curator.state)
    kept = [handles.known.pop(path_of(curator, item), None) for item in items]
    if any(one is not None for one in kept):
        handles.changed = True
        handles.save(curator.state)


def _claim_line(line: str, items: Sequence[Item], needles: Needles) -> str | None:
    """A line of a page without the items, or None when nothing else supports it."""
    names = {name.strip() for name in LINK.findall(line)}
    gone = {item.name for item in items}
    if needles.in_text(line) or (names and names <= gone):
        return None
    return _unlinked(line, items)


def _unlinked(text: str, items: Sequence[Item], instead: str = "") -> str:
    names = {item.name for item in items}

    def without(found: Any) -> str:
        return instead if found[1].strip() in names else str(found[0])

    return "\n".join(
        LINK.sub(without, line).rstrip() if any(f"[[{name}" in line for name in names) else line
        for line in text.split("\n")
    )


def _without_ids(data: bytes, other: Item, items: Sequence[Item]) -> bytes:
    gone = {word for item in items for word in (item.id, item.name)}
    left = [word for word in other.supersedes if word not in gone]
    if len(left) == len(other.supersedes):
        return data
    return set_keys_bytes(data, {(META, "supersedes"): left})


def _event_line(line: bytes, items: Sequence[Item], needles: Needles) -> bytes:
    keys = {key_of(item) for item in items}
    if not any(key.encode() in line for key in keys) and not needles.in_bytes(line):
        return line
    try:
        event = json.loads(line)
    except ValueError:
        # A damaged line says nothing that can be kept apart from the text that it holds.
        return b"" if needles.in_bytes(line) else line
    if not isinstance(event, dict):
        return line
    if event.get("item") in keys:
        data = event.get("data")
        kept = {k: data[k] for k in KEPT_DATA if k in data} if isinstance(data, Mapping) else {}
        event = {k: v for k, v in event.items() if k not in ("name", "title", "reason", "data")}
        event.update({"data": kept} if kept else {})
    else:
        masked = _masked(event, _names(items), needles)
        if masked == event:
            return line
        event = masked
    made = json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode()
    return made + (b"\n" if line.endswith(b"\n") else b"")


def _names(items: Sequence[Item]) -> frozenset[str]:
    """What names the items in the data of other events: their files and their names."""
    forms = ("cards/{}.md", "pages/{}.md", "{}.md", "{}")
    return frozenset(form.format(item.name) for item in items for form in forms)


def _masked(value: Any, names: frozenset[str], needles: Needles) -> Any:
    """JSON values with texts masked, and what lies under the items' own names dropped."""
    if isinstance(value, str):
        return PURGED if value in names or needles.in_text(value) else value
    if isinstance(value, list):
        return [_masked(part, names, needles) for part in value]
    if isinstance(value, dict):
        return {k: _masked(v, names, needles) for k, v in value.items() if k not in names}
    return value
