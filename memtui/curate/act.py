"""What an act is, what it gives back, and what can stand in its way."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.bank.model import Event

STATE = "@state/"
"""Paths that begin so lie in the bank's state folder: evidence that is not shared, a host bank's events."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of an act: `base` is what was read, `new` what shall be; None means no file.

    A change that `follows` is made in whatever the file holds by then, line by line: the index of a
    bank, which a host may write at any time.
    """

    path: str
    base: bytes | None
    new: bytes | None
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """One curation step before it is done. `undoes` names the act that an undo or redo is about.

    An act without events changes files only in state; all others say what happened in the bank.
    """

    verb: str
    items: tuple[str, ...]
    title: str
    summary: str
    changes: tuple[FileChange, ...] = ()
    events: tuple[Event, ...] = ()
    undoes: str | None = None


@dataclass(frozen=True, slots=True)
class ActResult:
    """What happened: `summary` is one line for a toast, `items` are `card:<id>` or `page:<id>`.

    `details` holds what a verb wants to tell besides (the id of a new card, the paths of a purge).
    """

    act: str
    verb: str
    summary: str
    items: tuple[str, ...]
    undoable: bool = True
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that changed since it was read: what stands there, what was wanted, what both came from."""

    path: str
    theirs: bytes | None
    ours: bytes | None
    base: bytes | None


class CurateError(Exception):
    """Something the user can act on. `what` happened, `do` says what helps."""

    def __init__(self, what: str, do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.do = do


class NoBankError(CurateError):
    """There is no bank to act on."""

    def __init__(self) -> None:
        super().__init__(
            "no bank for this project yet",
            "`memtui init` begins one; --bank PATH names another",
        )


class NothingToDoError(CurateError):
    """The bank is already as it was asked to be: nothing was changed."""


class ConflictError(CurateError):
    """Nothing was changed: files are not as they were read. Ask, then call again with `resolve`."""

    def __init__(self, conflicts: tuple[Conflict, ...]) -> None:
        paths = ", ".join(conflict.path for conflict in conflicts)
        super().__init__(f"changed meanwhile: {paths}", "compare the texts and choose")
        self.conflicts = conflicts


def digest(data: bytes | None) -> str:
    """sha256 of a file's bytes, empty where there is no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


Resolution = Mapping[str, bytes | None]
"""What a person chose for a path in conflict: the bytes to write, or None to remove the file."""
