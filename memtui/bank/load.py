"""A whole bank from its files, and again after some of them changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISREG

from memtui.bank.cards import parse_card
from memtui.bank.config import derived_bank_id, read_config
from memtui.bank.events import event_files, read_file
from memtui.bank.handles import Handles
from memtui.bank.layout import CONFIG, INDEX, BankFiles, detect_layout
from memtui.bank.model import (
    PAGE_TYPES,
    BankConfig,
    BankContents,
    Card,
    Event,
    Layout,
    Page,
    Problem,
)
from memtui.bank.pages import parse_page

MAX_FILE = 4 * 1024 * 1024
"""Bytes of a memory file that are read; a larger one is a problem, not a card."""


class BankError(OSError):
    """A folder that cannot be opened as a bank: says which, why, and what to do."""


Stamp = tuple[int, int, int]
"""Time in nanoseconds, size and inode: what tells that a file is as it was."""

RACY_NS = 100_000_000
"""A file this young when it is read may change again under the same time: it is read again."""

_BESIDE = (("events",), ("evidence",), ("archive",), ("weights",), (".git",))
"""Parts of a bank that hold no cards and pages; what git does to a bank it does to its files, too."""

Parsed = tuple[Stamp, Card | Page | None, tuple[Problem, ...]]


class BankReader:
    """Reads one bank, and again only the files that changed since.

    `state` is the bank's folder in the state home: it holds the ids of files that carry none, and
    everything of memtui's own for a host's folder. Nothing in the bank is written.
    """

    def __init__(self, root: Path, config: BankConfig, layout: Layout, state: Path | None) -> None:
        self.root = root
        self.config = config
        self.layout = layout
        self.state = state
        self.files = BankFiles(root, layout, state)
        self._seen: dict[str, Parsed] = {}
        self._events: dict[str, tuple[Stamp, list[Event], list[Problem]]] = {}
        self._told: tuple[Event, ...] = ()
        self._folders: dict[Path, bool] = {}
        self._own: tuple[Path, ...] = ()

    def read(self) -> BankContents:
        """The bank as its files are now. Raises BankError when the folder is gone."""
        if not self.root.is_dir():
            raise BankError(f"{self.root} is no longer there")
        self._folders = {self.files.cards.resolve(): False}
        if self.layout is Layout.MEMTUI:
            self._folders[self.files.pages.resolve()] = True
        self._own = tuple(folder.resolve() for folder in (self.root, self.state) if folder)
        return self._contents(self._parsed())

    def reread(self, paths: Iterable[Path]) -> BankContents:
        """The bank with these files as they are now, and all others as they were read before.

        Reads everything where a path is none of the bank's own files, such as a folder that was moved.
        Raises BankError when the bank's folder is gone.
        """
        names: dict[str, bool] = {}
        for path in paths:
            is_page = self._folders.get(path.parent)
            if is_page is None and not self._is_beside(path):
                return self.read()
            if is_page is not None and _is_memory_file(path.name):
                names[str((self.files.pages if is_page else self.files.cards) / path.name)] = (
                    is_page
                )
        for name, is_page in names.items():
            stamp = _stamp(Path(name))
            if stamp == GONE:
                self._seen.pop(name, None)
            elif name not in self._seen or self._seen[name][0] != stamp:
                self._seen[name] = self._parse(name, stamp, is_page)
        return self._contents(list(self._seen.values()))

    def _is_beside(self, path: Path) -> bool:
        """Whether a path below the bank or its own folder says nothing about cards and pages.

        The files of events are looked at in any case.
        """
        for folder in self._own:
            if path.is_relative_to(folder):
                return path.name == INDEX or path.relative_to(folder).parts[:1] in _BESIDE
        return False

    def _contents(self, parsed: list[Parsed]) -> BankContents:
        found = [item for _, item, _ in parsed if item is not None]
        items = self._with_ids(found)
        events, wrong_events = self._read_events()
        return BankContents(
            root=self.root,
            layout=self.layout,
            config=self.config,
            cards=tuple(item for item in items if isinstance(item, Card)),
            pages=tuple(item for item in items if isinstance(item, Page)),
            events=events,
            problems=(
                *(problem for _, _, problems in parsed for problem in problems),
                *(problem for item in items for problem in item.problems),
                *_equal_names(items),
                *wrong_events,
            ),
        )

    def changed(self) -> bool:
        """Whether any file was added, removed or changed since `read`: by their times and sizes alone."""
        files = {path: stamp for path, stamp, _ in self._memory_files()}
        if files.keys() != self._seen.keys():
            return True
        if any(self._seen[path][0] != stamp for path, stamp in files.items()):
            return True
        events = {str(path): _stamp(path) for path in self._event_files()}
        return events != {path: known[0] for path, known in self._events.items()}

    def _parsed(self) -> list[Parsed]:
        """Every memory file, parsed now or earlier."""
        present: dict[str, Parsed] = {}
        for path, stamp, is_page in self._memory_files():
            known = self._seen.get(path)
            if known is None or known[0] != stamp:
                known = self._parse(path, stamp, is_page)
            present[path] = known
        self._seen = present
        return list(present.values())

    def _memory_files(self) -> Iterator[tuple[str, Stamp, bool]]:
        yield from _markdown_in(self.files.cards, is_page=False)
        if self.layout is Layout.MEMTUI:
            yield from _markdown_in(self.files.pages, is_page=True)

    def _parse(self, name: str, stamp: Stamp, is_page: bool) -> Parsed:
        path = Path(name)
        if stamp[1] > MAX_FILE:
            wrong = Problem(path, f"{stamp[1]} bytes: larger than {MAX_FILE}, not read")
            return stamp, None, (wrong,)
        try:
            with open(name, "rb", buffering=0) as stream:  # noqa: PTH123 - 10,000 files: every call counts
                data = stream.read()
        except OSError as error:
            return stamp, None, (Problem(path, f"cannot be read: {error.strerror or error}"),)
        if time.time_ns() - stamp[0] < RACY_NS:
            stamp = (0, *stamp[1:])
        if is_page:
            return stamp, parse_page(path, data), ()
        card = parse_card(path, data)
        return stamp, parse_page(path, data) if card.type in PAGE_TYPES else card, ()

    def _with_ids(self, items: list[Card | Page]) -> list[Card | Page]:
        """The items by name, each with an id that no other has."""
        handles = Handles.read(self.state)
        items.sort(key=lambda item: str(item.path))
        named = handles.assign(self.root, items)
        if self.state is not None and handles.changed:
            handles.save(self.state)
        named.sort(key=lambda item: (item.name, str(item.path)))
        return named

    def _event_files(self) -> list[Path]:
        own = self.layout is Layout.MEMTUI or self.state is not None
        return event_files(self.files.events) if own else []

    def _read_events(self) -> tuple[tuple[Event, ...], list[Problem]]:
        """All events by time, then id; only files that changed are read, else it is the same tuple."""
        present: dict[str, tuple[Stamp, list[Event], list[Problem]]] = {}
        for path in self._event_files():
            stamp = _stamp(path)
            known = self._events.get(str(path))
            if known is None or known[0] != stamp:
                known = (stamp, *read_file(path))
            present[str(path)] = known
        before = [known for known, _, _ in self._events.values()]
        if [known for known, _, _ in present.values()] != before or GONE in before:
            events = [event for _, found, _ in present.values() for event in found]
            events.sort(key=lambda event: (event.at, event.id))
            self._told = tuple(events)
        self._events = present
        return self._told, [problem for _, _, wrong in present.values() for problem in wrong]


def open_bank(root: Path, state: Path | None = None, layout: Layout | None = None) -> BankReader:
    """A reader of the bank at `root`. Raises BankError for what is none, ConfigError for its config.

    `state` is the bank's own state folder, when it is known already; see `identify`.
    """
    config, found = identify(root, layout)
    return BankReader(root, config, found, state)


def identify(root: Path, layout: Layout | None = None) -> tuple[BankConfig, Layout]:
    """The config and layout of the bank at `root`. Raises BankError, ConfigError."""
    if not root.exists():
        raise BankError(f"{root}: no such folder")
    if not root.is_dir():
        raise BankError(f"{root}: a file, and a bank is a folder")
    found = layout or detect_layout(root)
    if found is None:
        raise BankError(
            f"{root}: neither a bank (bank.toml, cards/) nor a memory folder (MEMORY.md, topic files)"
        )
    if found is Layout.CLAUDE:
        return BankConfig(id=derived_bank_id(root)), found
    return read_config(root / CONFIG, derived_bank_id(root)), found


def load(root: Path, *, state: Path | None = None) -> BankContents:
    """Everything in the bank at `root`. Raises BankError, ConfigError."""
    return open_bank(root, state).read()


def _equal_names(items: list[Card | Page]) -> Iterator[Problem]:
    """A problem for every item whose name an item before it has: links reach only the first."""
    owners: dict[str, Path] = {}
    for item in items:
        owner = owners.setdefault(item.name, item.path)
        if owner is not item.path and owner != item.path:
            yield Problem(item.path, f"its name {item.name!r} is also that of {owner.name}")


def _markdown_in(folder: Path, is_page: bool) -> Iterator[tuple[str, Stamp, bool]]:
    """The memory files of a folder by name; a missing folder has none."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if not _is_memory_file(entry.name):
            continue
        try:
            stat = entry.stat()
        except OSError:
            continue  # removed between the listing and now, or a link to nothing
        if S_ISREG(stat.st_mode):
            yield entry.path, (stat.st_mtime_ns, stat.st_size, stat.st_ino), is_page


def _is_memory_file(name: str) -> bool:
    return name.endswith(".md") and name != INDEX and not name.startswith(".")


GONE: Stamp = (0, -1, 0)
"""In place of the stamp of a file that is not there."""


def _stamp(path: Path) -> Stamp:
    """The stamp of a regular file as it is now, else GONE."""
    try:
        stat = path.stat()
    except OSError:
        return GONE
    if not S_ISREG(stat.st_mode):
        return GONE
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)
