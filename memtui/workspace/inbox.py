"""The inbox at one moment, for screen and commands. Light: the first paint counts what waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.curate.proposals import Proposal


@dataclass(frozen=True, slots=True)
class Entry:
    """A proposal with how often it was seen."""

    proposal: Proposal
    sightings: int = 1


@dataclass(frozen=True, slots=True)
class InboxView:
    """The inbox at one moment: what waits, the most surprising first, and how much was read.

    `expired` are those that nobody decided in time; `failed` are sessions that could not be read, with
    why; `fell_back` are those of the last sleep that the rules drafted without the drafter, with why;
    `drafted` says what the drafter cost until now, "" when it was never asked; `outcomes` says of each
    session that was read (`host:session`) how it went.
    """

    waiting: tuple[Entry, ...] = ()
    expired: tuple[Entry, ...] = ()
    accepted: int = 0
    rejected: int = 0
    read: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    fell_back: tuple[tuple[str, str], ...] = ()
    drafted: str = ""
    outcomes: Mapping[str, str] = field(default_factory=dict)

    def find(self, word: str) -> Entry | None:
        """One that waits or has expired, by its id or the end of it."""
        every = (*self.waiting, *self.expired)
        exact = [entry for entry in every if entry.proposal.id == word]
        begin = [entry for entry in every if word and entry.proposal.id.endswith(word)]
        return next(iter(exact or (begin if len(begin) == 1 else [])), None)
