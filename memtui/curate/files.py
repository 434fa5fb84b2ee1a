"""Cards and pages as files of an act: read under the lock, checked, written with only their changed keys."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui.bank.cards import parse_card
from memtui.bank.frontmatter import FrontMatterError, set_keys_bytes
from memtui.bank.layout import INDEX
from memtui.bank.model import PAGE_TYPES, Card, Item, Layout, Page
from memtui.bank.pages import parse_page
from memtui.curate.act import CurateError, FileChange
from memtui.curate.curator import Curator

META = "metadata"
_ID = re.compile(rb"^\s*id:\s*[\"']?([a-z0-9]{6})\b", re.MULTILINE)


def parse_item(curator: Curator, path: str, data: bytes) -> Card | Page:
    """The card or page in a file's bytes: by where it lies, and by its type."""
    file = curator.place(path)
    if curator.layout is Layout.MEMTUI and path.startswith("pages/"):
        return parse_page(file, data)
    card = parse_card(file, data)
    return parse_page(file, data) if card.type in PAGE_TYPES else card


def is_item(curator: Curator, path: str) -> bool:
    """Whether a path of an act is that of a card or page."""
    if not path.endswith(".md") or path == INDEX or path.startswith("@"):
        return False
    return curator.layout is Layout.CLAUDE or path.startswith(("cards/", "pages/"))


def id_in(data: bytes) -> str:
    """The id that the front matter of a file gives, found without parsing it; empty when none."""
    found = _ID.search(data[:4096])
    return found[1].decode() if found else ""


def item_files(curator: Curator) -> list[Path]:
    """The files of all cards and pages, and the index where it lies beside them."""
    folders = sorted({curator.files.cards, curator.files.pages})
    return [file for folder in folders for file in sorted(folder.glob("*.md"))]


def refuse_renamed(
    curator: Curator, path: str, left: bytes, current: bytes | None, own: Collection[str]
) -> None:
    """Raises CurateError when the item that `path` held, as `left`, is not what `path` holds by now.

    To put it back, or to take it away, would leave it twice or not at all, or overwrite another one that
    took its name. `own` are the files that the same act puts right besides.
    """
    item = id_in(left) if is_item(curator, path) else ""
    if not item or (current is not None and id_in(current) in ("", item)):
        return
    if current is not None:
        raise CurateError(
            f"{path} is another item by now, {id_in(current)} and not {item}",
            "edit by hand instead",
        )
    for file in item_files(curator):
        other = curator.relative(file)
        if other != path and other not in own and id_in(file.read_bytes()) == item:
            raise CurateError(f"{path} is {other} since", "revert the renaming in History first")


def refuse_twins(curator: Curator, changes: Sequence[FileChange]) -> None:
    """Raises CurateError when a file would come back whose item stays where it was moved to."""
    after = {change.path: change.new for change in changes}
    back = {
        id_in(change.new): change.path
        for change in changes
        if change.base is None and change.new is not None and is_item(curator, change.path)
    }
    for file in item_files(curator) if back.keys() - {""} else ():
        path = curator.relative(file)
        data = after[path] if path in after else file.read_bytes()
        first = back.get(id_in(data)) if data is not None else None
        if first is not None and first != path and id_in(data or b""):
            raise CurateError(
                f"{first} would come back beside {path}, which is the same item",
                "choose the old text for that file too, or revert what came after it first",
            )


def path_of(curator: Curator, item: Item) -> str:
    """The item's file, relative to the bank."""
    return curator.relative(item.path)


def read_now(curator: Curator, item: Item) -> tuple[str, bytes, Card | Page]:
    """Path, bytes and parsed form of the item as its file is now. Raises CurateError when it is gone."""
    path = path_of(curator, item)
    data = curator.read(path)
    if data is None:
        raise CurateError(f"{path} is gone", "reload the bank")
    current = parse_item(curator, path, data)
    if current.conflict:
        raise CurateError(f"{path} holds git conflict markers", "resolve them with edit")
    return path, data, current


def with_keys(path: str, data: bytes, changes: Mapping[str, Any]) -> FileChange:
    """The change that sets keys below `metadata`. Raises CurateError where the file cannot hold them."""
    keys: dict[tuple[str, ...], Any] = {(META, key): value for key, value in changes.items()}
    try:
        return FileChange(path, data, set_keys_bytes(data, keys))
    except FrontMatterError as error:
        raise CurateError(f"{path}: {error}", "mend the front matter with edit") from error


def slug(title: str) -> str:
    """A file stem from a title: words in lower case, 60 characters at most."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    stem = ""
    for word in words:
        longer = f"{stem}-{word}" if stem else word[:60]
        if len(longer) > 60:
            break
        stem = longer
    return stem or "card"


def free_name(curator: Curator, folder: Path, title: str, taken: Collection[str] = ()) -> str:
    """A name from the title that no file in `folder` and nothing in `taken` has."""
    base = slug(title)
    name, number = base, 1
    while name in taken or (folder / f"{name}.md").exists() or f"{name}.md" == INDEX.lower():
        number += 1
        name = f"{base}-{number}"
    return name
