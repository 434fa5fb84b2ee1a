"""How far a purge is, for who waits: until `final` nothing is erased, and it can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """What a purge is about to do, as step `done` of `of` (0 where nobody can tell how many).

    `final` is the point of no return: what is erased from here on comes back by nothing.
    """

    what: str
    done: int = 0
    of: int = 0
    final: bool = False


Tell = Callable[[Step], None]
"""Told of each step. What it raises before the point of no return ends the work with nothing erased."""


def untold(_step: Step) -> None:
    """Nobody wants to know how far it is."""
