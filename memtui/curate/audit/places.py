"""Every file in which memtui keeps text of a bank, and what helps where one holds a secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.layout import INDEX
from memtui.bank.model import BankContents
from memtui.curate.curator import Curator
from memtui.curate.purging.places import excerpt_folders, files_in
from memtui.ledger.access import LEDGER_NAME

CLEAN = "`memtui audit --clean` erases it"
_SKIPPED = ("-wal", "-shm", ".lock", "audit.json", "chroma.sqlite3")
"""Side files of databases are read with them; vectors hold no text."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One file: `kind` as in a spot; `do` what helps; `item` the handle, where it is one's."""

    kind: str
    path: Path
    do: str
    item: str = ""


def kept_files(
    curator: Curator, contents: BankContents, catalogue: Path, index: Path
) -> Iterator[Kept]:
    """Each file once, the bank's own first."""
    seen: set[Path] = set()
    for one in _all(curator, _handles(contents), catalogue, index):
        path = one.path.resolve()
        if path not in seen and path.is_file() and not path.name.endswith(_SKIPPED):
            seen.add(path)
            yield one


def _handles(contents: BankContents) -> dict[str, str]:
    """By the path of an item, or the digest of an excerpt that it cites, its handle: a name may hold
    what was found.
    """
    items = (*contents.cards, *contents.pages)
    found = {cited.excerpt: item.id for item in items for cited in item.evidence if cited.excerpt}
    return found | {str(item.path): item.id for item in items}


def _all(
    curator: Curator, handles: Mapping[str, str], catalogue: Path, index: Path
) -> Iterator[Kept]:
    for folder in excerpt_folders(curator):
        for path in files_in(folder):
            item = handles.get(path.stem, "")
            do = f"`memtui purge {item}`, which cites it" if item else "nothing cites it: delete it"
            yield Kept("evidence", path, do, item)
    for path in files_in(curator.files.events):
        yield Kept("events", path, "`memtui purge` of the item that it is about")
    for path in files_in(curator.files.archive):
        name = path.name.split(".")[0]
        do = f"`memtui sleep --restore {name}`, then edit or purge it"
        yield Kept("archive", path, do)
    for path in files_in(curator.root):
        yield _of_bank(curator, path, handles.get(str(path), ""))
    yield Kept("ledger", curator.state / LEDGER_NAME, CLEAN)
    for path in files_in(curator.state):
        yield Kept("state", path, "delete the file")
    for path in files_in(curator.places.spool):
        yield Kept("spool", path, CLEAN)
    yield Kept("index", index, CLEAN)
    yield Kept("catalogue", catalogue, CLEAN)


def _of_bank(curator: Curator, path: Path, item: str) -> Kept:
    where = path.relative_to(curator.root)
    if where.name == INDEX:
        return Kept("index file", path, "edit the file")
    if not item:
        return Kept("file", path, "edit the file")
    kind = "page" if where.parts[0] == "pages" else "card"
    do = f"saving it with `memtui edit {item}` masks it; `memtui purge {item}` erases it everywhere"
    return Kept(kind, path, do, item)
