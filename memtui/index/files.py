"""The files of a bank as the index saw them, so that a hook can tell what changed since."""

from __future__ import annotations

import os
import time
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memtui.bank.layout import INDEX, BankFiles
from memtui.bank.model import BankContents, Layout

RACY_NS = 20_000_000
"""A file younger than this may change once more without its time telling: it counts as not seen."""


UNKNOWN, ABSENT = 0, -1
"""In place of a folder's time: it has to be listed again; it is not there."""


class Stat(NamedTuple):
    """Modification time in ns and size in bytes; (0, 0) for a file that was not seen as loaded."""

    mtime_ns: int
    size: int


_INDEX = INDEX.encode()
UNSEEN = Stat(0, 0)


class Folders(NamedTuple):
    """The listed files by absolute bytes path, and the folders' own times by path in the bank.

    A folder's time is UNKNOWN when it lists other files than the bank in memory has.
    """

    files: dict[bytes, Stat]
    times: dict[str, int]


def look(contents: BankContents) -> Folders:
    """List the bank's folders with the times and sizes of their memory files."""
    places = BankFiles(contents.root, contents.layout)
    known = {os.fsencode(item.path) for item in (*contents.cards, *contents.pages)}
    unread = {os.fsencode(problem.path) for problem in contents.problems}
    files: dict[bytes, Stat] = {}
    times: dict[str, int] = {}
    for folder in dict.fromkeys((places.cards, places.pages)):
        found, mtime = _listed(folder)
        same = all(path in known or path in unread for path in found)
        name = "" if folder == contents.root else folder.name
        young = mtime > time.time_ns() - RACY_NS
        times[name] = mtime if same and not young else UNKNOWN
        files |= found
    if not known <= files.keys():
        times = dict.fromkeys(times, UNKNOWN)
    return Folders(files, times)


def _listed(folder: Path) -> tuple[dict[bytes, Stat], int]:
    """The memory files of one folder, and its time from before they were listed (ABSENT without it)."""
    found: dict[bytes, Stat] = {}
    try:
        mtime = folder.stat().st_mtime_ns
        with os.scandir(os.fsencode(folder)) as entries:
            for entry in entries:
                if is_memory_file(entry.name):
                    stat = entry.stat()
                    found[entry.path] = Stat(stat.st_mtime_ns, stat.st_size)
    except (FileNotFoundError, NotADirectoryError):
        return found, ABSENT
    return found, mtime


def is_memory_file(name: bytes) -> bool:
    """Whether a file of this name is a card or page."""
    return name.endswith(b".md") and name != _INDEX and not name.startswith(b".")


def seen_as_loaded(path: Path, digest: str) -> Stat:
    """Time and size of a file that still has the content it was loaded with, else UNSEEN."""
    try:
        with path.open("rb") as stream:
            stat = os.fstat(stream.fileno())
            content = stream.read()
    except OSError:
        return UNSEEN
    young = stat.st_mtime_ns > time.time_ns() - RACY_NS
    if young or len(content) != stat.st_size or sha256(content).hexdigest() != digest:
        return UNSEEN
    return Stat(stat.st_mtime_ns, stat.st_size)


def events_folder(contents: BankContents, known: Path | None) -> Path | None:
    """The folder of the event files: `known`, else the bank's own where its layout has one."""
    if known is not None or contents.layout is not Layout.MEMTUI:
        return known
    return BankFiles(contents.root, contents.layout).events


def event_sizes(folder: Path | None) -> dict[str, int]:
    """Sizes of the event files in a folder, by name."""
    if folder is None:
        return {}
    try:
        return {
            entry.name: entry.stat().st_size
            for entry in os.scandir(folder)
            if entry.name.endswith(".jsonl")
        }
    except (FileNotFoundError, NotADirectoryError):
        return {}
