"""Every bank that this user has: those of the data folder, and those that were opened from elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memtui.agents.bankmap import FOLDER as NOTES
from memtui.agents.bankmap import LIMIT as NOTE_LIMIT
from memtui.bank.config import ConfigError
from memtui.bank.find import BANKS, SHARED, data_bank
from memtui.bank.gitfiles import normal_remote
from memtui.bank.layout import CONFIG, INDEX, BankFiles, detect_layout
from memtui.bank.load import BankError, identify
from memtui.bank.model import BankConfig, Layout
from memtui.paths import Places


@dataclass(frozen=True, slots=True)
class KnownBank:
    """A bank, not opened. `places` are project folders that lead to it; `trouble` says why it cannot open."""

    root: Path
    config: BankConfig | None
    layout: Layout | None
    trouble: str = ""
    places: frozenset[str] = frozenset()

    def state(self, where: Places) -> Path | None:
        """Its state folder; None where it cannot be told."""
        return where.bank_state(self.config.id, self.root) if self.config is not None else None

    def counts(self) -> tuple[int, int]:
        """(cards, pages), counted by their files. Raises OSError."""
        if self.layout is None:
            return 0, 0
        files = BankFiles(self.root, self.layout)
        if self.layout is Layout.CLAUDE:
            return _markdown(self.root) - (self.root / INDEX).exists(), 0
        return _markdown(files.cards), _markdown(files.pages)


@dataclass
class KnownBanks:
    """Looks banks up by project, each file read once. Only reads. Make a new one for a new look."""

    where: Places
    _noted: dict[Path, set[str]] = field(default_factory=dict)
    _known: dict[Path, KnownBank] = field(default_factory=dict)

    @cached_property
    def everything(self) -> tuple[KnownBank, ...]:
        """All banks: noted ones and those of the data folder."""
        for bank, place in _notes(self.where.cache / NOTES):
            self._noted.setdefault(bank, set()).add(place)
        roots = [config.parent for config in sorted((self.where.data / BANKS).glob(f"*/{CONFIG}"))]
        roots += [root for root in sorted(self._noted) if detect_layout(root) is not None]
        return tuple(self.at(root) for root in dict.fromkeys(root.resolve() for root in roots))

    def at(self, root: Path) -> KnownBank:
        """The bank in a folder."""
        root = root.resolve()
        found = self._known.get(root)
        if found is None:
            places = frozenset(self._noted.get(root, ())) - {str(root)}
            try:
                config, layout = identify(root)
                found = KnownBank(root, config, layout, places=places)
            except (ConfigError, BankError, OSError) as error:
                trouble = str(error).replace(f"{root}/", "")
                found = KnownBank(root, None, detect_layout(root), trouble, places)
            self._known[root] = found
        return found

    def of(self, folder: Path, remote: str) -> tuple[KnownBank | None, bool]:
        """The bank to which a project's folder leads, and whether it does so by itself (`find_bank`).

        Else one that names the folder as an alias, or that was opened from there.
        """
        everything = self.everything
        for root in (folder / SHARED, data_bank(self.where.data, folder)):
            if detect_layout(root) is not None:
                return self.at(root), True
        remote = normal_remote(remote) if remote else ""
        data = (self.where.data / BANKS).resolve()
        if remote:
            for bank in everything:
                if bank.root.parent == data and remote in _remotes(bank):
                    return bank, True
        key = str(folder)
        for bank in everything:
            aliases = bank.config.aliases if bank.config is not None else ()
            if key in aliases or key in bank.places:
                return bank, False
        return None, False


def _remotes(bank: KnownBank) -> set[str]:
    if bank.config is None:
        return set()
    return {normal_remote(name) for name in (bank.config.remote, *bank.config.aliases) if name}


def _notes(folder: Path) -> Iterator[tuple[Path, str]]:
    """(bank, place) of every note that can be read: they are derived, so the others do not matter."""
    try:
        files = sorted(folder.glob("*.json"))
    except OSError:
        return
    for file in files:
        try:
            note = json.loads(file.read_bytes()[:NOTE_LIMIT])
            bank, place = note["bank"], note["place"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(bank, str) and isinstance(place, str) and "\0" not in bank:
            yield Path(bank).resolve(), place


def _markdown(folder: Path) -> int:
    try:
        with os.scandir(folder) as entries:
            return sum(e.name.endswith(".md") and not e.name.startswith(".") for e in entries)
    except FileNotFoundError:
        return 0
