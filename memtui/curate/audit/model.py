"""What an audit found, and the record of it that tells whether another one is due."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.bank.write import atomic_write
from memtui.clock import format_time
from memtui.safety.private import private_folder

FILE = "audit.json"
"""In the bank's state folder: when it was audited last, and under which rules."""

Tell = Callable[[int, int, str], None]
"""How many places are done of how many, and which one is looked at."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place that holds what the rules mask. `where` is a line or row in it, `kinds` what was found.

    `kind` is card, page, index file, events, evidence, archive, ledger, spool, state, index,
    catalogue or file; `item` its handle, where it is one's; `do` says what helps. Never the text itself.
    """

    kind: str
    path: str
    where: str
    kinds: str
    do: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit: `looked` counts the places, `bytes` what was read; `unread` are those that could not be,
    with why. `cleaned` says what was erased of what was found."""

    at: datetime
    rules: str
    spots: tuple[Spot, ...]
    looked: int
    bytes: int
    seconds: float
    unread: tuple[tuple[str, str], ...] = ()
    cleaned: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether everything could be looked at and nothing was found."""
        return not self.spots and not self.unread


def to_json(found: Audit) -> dict[str, Any]:
    """An audit as JSON."""
    return {
        "at": format_time(found.at),
        "rules": found.rules,
        "clean": found.clean,
        "looked": found.looked,
        "bytes": found.bytes,
        "seconds": round(found.seconds, 3),
        "found": [asdict(spot) for spot in found.spots],
        "unread": [{"path": path, "why": why} for path, why in found.unread],
        "cleaned": list(found.cleaned),
    }


def keep(state: Path, found: Audit) -> None:
    """Remember an audit that looked at everything. Raises OSError."""
    told = {"at": format_time(found.at), "rules": found.rules, "found": len(found.spots)}
    private_folder(state)
    atomic_write(state / FILE, json.dumps(told).encode())


def last(state: Path) -> Mapping[str, Any] | None:
    """The last audit of a bank: `at`, `rules`, `found`. None for one that never was, or is damaged."""
    try:
        told = json.loads((state / FILE).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    whole = isinstance(told, dict) and {"at", "rules", "found"} <= told.keys()
    return told if whole else None
