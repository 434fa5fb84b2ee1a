"""A whole bank from its files, and again after some of them changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.cards import parse_card
from memtui.bank.config import derived_bank_id, read_config
from memtui.bank.events import read_all
from memtui.bank.handles import Handles
from memtui.bank.layout import CONFIG, INDEX, BankFiles, detect_layout
from memtui.bank.model import PAGE_TYPES, BankConfig, BankContents, Card, Layout, Page, Problem
from memtui.bank.pages import parse_page

MAX_FILE = 4 * 1024 * 1024
"""Bytes of a memory file that are read; a larger one is a problem, not a card."""


class BankError(OSError):
    """A folder that cannot be opened as a bank: says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a file is as it was: its times and size."""

    mtime_ns: int
    size: int
    inode: int


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
        self._seen: dict[Path, tuple[Stamp, Card | Page | None, tuple[Problem, ...]]] = {}

    def read(self) -> BankContents:
        """The bank as its files are now. Raises BankError when the folder is gone."""
        if not self.root.is_dir():
            raise BankError(f"{self.root} is no longer there")
        problems: list[Problem] = []
        cards: list[Card] = []
        pages: list[Page] = []
        present: dict[Path, tuple[Stamp, Card | Page | None, tuple[Problem, ...]]] = {}
        for path, stamp, is_page in self._memory_files():
            known = self._seen.get(path)
            if known is None or known[0] != stamp:
                known = (stamp, *self._parse(path, stamp, is_page))
            present[path] = known
            _, item, wrong = known
            problems += wrong
            if isinstance(item, Page):
                pages.append(item)
            elif item is not None:
                cards.append(item)
        self._seen = present
        cards, pages = self._with_ids(cards, pages)
        events, wrong_events = read_all(self.files.events) if self._has_own() else ([], [])
        return BankContents(
            root=self.root,
            layout=self.layout,
            config=self.config,
            cards=tuple(sorted(cards, key=lambda card: card.name)),
            pages=tuple(sorted(pages, key=lambda page: page.name)),
            events=tuple(events),
            problems=(*problems, *_of_items(cards), *_of_items(pages), *wrong_events),
        )

    def _has_own(self) -> bool:
        return self.layout is Layout.MEMTUI or self.state is not None

    def _memory_files(self) -> Iterator[tuple[Path, Stamp, bool]]:
        yield from _markdown_in(self.files.cards, is_page=False)
        if self.layout is Layout.MEMTUI:
            yield from _markdown_in(self.files.pages, is_page=True)

    def _parse(
        self, path: Path, stamp: Stamp, is_page: bool
    ) -> tuple[Card | Page | None, tuple[Problem, ...]]:
        if stamp.size > MAX_FILE:
            return None, (Problem(path, f"{stamp.size} bytes: larger than {MAX_FILE}, not read"),)
        try:
            data = path.read_bytes()
        except OSError as error:
            return None, (Problem(path, f"cannot be read: {error.strerror or error}"),)
        if is_page:
            return parse_page(path, data), ()
        card = parse_card(path, data)
        return (parse_page(path, data) if card.type in PAGE_TYPES else card), ()

    def _with_ids(self, cards: list[Card], pages: list[Page]) -> tuple[list[Card], list[Page]]:
        handles = Handles.read(self.state)
        items: list[Card | Page] = [*cards, *pages]
        items.sort(key=lambda item: str(item.path))
        named = handles.assign(self.root, items)
        if self.state is not None and handles.changed:
            self.state.mkdir(parents=True, exist_ok=True)
            handles.save(self.state)
        return (
            [item for item in named if isinstance(item, Card)],
            [item for item in named if isinstance(item, Page)],
        )


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


def _markdown_in(folder: Path, is_page: bool) -> Iterator[tuple[Path, Stamp, bool]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if not entry.name.endswith(".md") or entry.name == INDEX or entry.name.startswith("."):
            continue
        try:
            stat = entry.stat()
        except OSError:
            continue  # removed between the listing and now
        if entry.is_file():
            stamp = Stamp(stat.st_mtime_ns, stat.st_size, stat.st_ino)
            yield Path(entry.path), stamp, is_page


def _of_items(items: list[Card] | list[Page]) -> list[Problem]:
    return [problem for item in items for problem in item.problems]
