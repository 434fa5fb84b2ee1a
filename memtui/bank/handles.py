"""Ids of cards and pages, and the ids that state keeps for files which carry none.

A file written by a host or by hand has no id. It is listed under one derived from its path, kept in
`handles.json` of the state folder; a file that vanished and came back elsewhere with the same bytes
keeps its id.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from memtui.bank.model import Item, Problem
from memtui.bank.write import atomic_write

LETTERS = "abcdefghjkmnpqrstvwxyz"
ALPHABET = LETTERS + "23456789"
LENGTH = 6
FILE = "handles.json"

SomeItem = TypeVar("SomeItem", bound=Item)


def new_id(taken: Collection[str] = ()) -> str:
    """A random id of six characters that is not in `taken`; no reader takes it for a number."""
    while True:
        word = secrets.choice(LETTERS) + "".join(
            secrets.choice(ALPHABET) for _ in range(LENGTH - 1)
        )
        if word not in taken:
            return word


def derived_id(key: str, attempt: int = 0) -> str:
    """The id that `key` always gets; `attempt` counts past ids that others hold."""
    number = int.from_bytes(
        sha256(f"{key}\0{attempt}".encode("utf-8", "replace")).digest()[:8], "big"
    )
    number, first = divmod(number, len(LETTERS))
    word = LETTERS[first]
    for _ in range(LENGTH - 1):
        number, digit = divmod(number, len(ALPHABET))
        word += ALPHABET[digit]
    return word


@dataclass(slots=True)
class Handles:
    """The ids that state keeps: file path relative to the bank -> (id, digest when last seen)."""

    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def read(cls, state: Path | None) -> Handles:
        """The mapping kept in `state`; a missing or damaged file is an empty one."""
        if state is None:
            return cls()
        try:
            data = json.loads((state / FILE).read_bytes())
            return cls({str(k): (str(v[0]), str(v[1])) for k, v in data["handles"].items()})
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            return cls()

    def save(self, state: Path) -> None:
        """Write the mapping where it changed. Raises OSError."""
        if self.changed:
            data: dict[str, Any] = {"v": 1, "handles": dict(sorted(self.known.items()))}
            atomic_write(state / FILE, (json.dumps(data, indent=1) + "\n").encode())
            self.changed = False

    def assign(self, root: Path, items: Iterable[SomeItem]) -> list[SomeItem]:
        """`items` with an id of its own for each: ids in files first, then the kept, then derived ones.

        Where two files carry one id, the first path keeps it; the other is listed under a kept id and
        says so.
        """
        result = list(items)
        owners: dict[str, Path] = {}
        waiting: list[int] = []
        for at, item in enumerate(result):
            owner = None if item.assigned else owners.setdefault(item.id, item.path)
            if owner is not item.path and owner != item.path:  # the first look is the quick one
                waiting.append(at)
        if waiting:
            taken = set(owners)
            keys = {at: result[at].path.relative_to(root).as_posix() for at in waiting}
            moved = self._vanished(root, set(keys.values()))
            # Kept ids are handed out before derived ones, which could be equal to them.
            waiting.sort(
                key=lambda at: (keys[at] not in self.known, result[at].digest not in moved)
            )
            for at in waiting:
                result[at] = self._give(result[at], keys[at], taken, moved, owners)
        return result

    def _vanished(self, root: Path, present: set[str]) -> dict[str, str]:
        """Digest -> path of the kept files that are no longer where they were."""
        return {
            digest: key
            for key, (_, digest) in self.known.items()
            if key not in present and not (root / key).exists()
        }

    def _give(
        self,
        item: SomeItem,
        key: str,
        taken: set[str],
        moved: dict[str, str],
        owners: dict[str, Path],
    ) -> SomeItem:
        entry = self.known.get(key)
        if entry is None and item.digest in moved:
            entry = self.known.pop(moved.pop(item.digest))
        handle = entry[0] if entry else derived_id(item.path.name)
        attempt = 0
        while handle in taken:
            attempt += 1
            handle = derived_id(key, attempt)
        taken.add(handle)
        if self.known.get(key) != (handle, item.digest):
            self.known[key] = (handle, item.digest)
            self.changed = True
        if item.assigned:
            return item if item.id == handle else replace(item, id=handle)
        problem = Problem(item.path, f"its id {item.id!r} is also that of {owners[item.id].name}")
        return replace(item, id=handle, assigned=True, problems=(*item.problems, problem))
