"""What a sleep is asked, and what it tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.bank.model import BankContents
    from memtui.curate.drafter.model import Drafter
    from memtui.sessions.catalogue import Catalogue

_PLURAL = re.compile(r"\b(session|procedure|merge|card|proposal|page)s\b")

DUE_AFTER = timedelta(hours=24)
DUE_SESSIONS = 5
QUIET = timedelta(minutes=5)
"""A session that was written to more recently is not finished."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What sleep works on besides the bank's own files.

    `projects` are the folders that mean this project; `absent` are the ids of cards that do not hold,
    each with its reason; `behind` are pages with the number of their cards that changed. `drafter` is
    asked about every session that is read, where the user set one.
    """

    catalogue: Catalogue
    contents: BankContents
    projects: Sequence[str]
    absent: Mapping[str, str]
    behind: Mapping[str, int] = field(default_factory=dict)
    hidden: Collection[str] = ()
    drafter: Drafter | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sleep is: sessions read of all that are to read, and what is at hand."""

    done: int
    total: int
    what: str


Tell = Callable[[Progress], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """One step with its count, why it is done, and its first lines. `safe` ones are done by `--apply`."""

    name: str
    title: str
    count: int
    why: str
    lines: tuple[str, ...] = ()
    safe: bool = True

    @property
    def noun(self) -> str:
        """The title for its count: `cold cards`, `cold card` of one."""
        return _PLURAL.sub(r"\1", self.title, count=1) if self.count == 1 else self.title


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a sleep asked its drafter, or would ask: sessions, characters, estimated tokens, seconds.

    `fell_back` are the sessions that the rules drafted alone, with why; `beyond` were not given to it
    because a sleep gives it only so many; `refused` of its cards did not hold what they have to.
    """

    name: str
    asked: int
    sent: int
    tokens: int
    received: int
    seconds: float
    cards: int
    refused: int
    beyond: int = 0
    fell_back: tuple[tuple[str, str], ...] = ()

    @property
    def line(self) -> str:
        """In words, with the cost."""
        sessions = f"{self.asked} session{'s' if self.asked != 1 else ''}"
        cost = f"{self.sent:,} characters (~{self.tokens:,} tokens) sent"
        got = f", {self.received:,} received, {self.seconds:.1f} s" if self.received else ""
        refused = f", {self.refused} refused" if self.refused else ""
        beyond = f"; {self.beyond} more left to the rules" if self.beyond else ""
        return f"{self.name}: {sessions}, {cost}{got}; {self.cards} cards{refused}{beyond}"


@dataclass(frozen=True, slots=True)
class Report:
    """A plan, or what was done. `seconds` and `bytes` are the cost; `due` says whether it is time.

    `failed` are sessions that could not be read, with why; `cancelled` that it was stopped half-way:
    every step that was done is whole.
    """

    steps: tuple[Step, ...]
    applied: bool
    read: int
    proposed: int
    seconds: float
    bytes: int
    failed: tuple[tuple[str, str], ...] = ()
    cancelled: bool = False
    due: bool = True
    why_not: str = ""
    drafted: Drafted | None = None

    @property
    def changed(self) -> int:
        """How much was (or would be) done."""
        return sum(step.count for step in self.steps if step.safe)


def to_json(report: Report) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "applied": report.applied,
        "due": report.due,
        "why_not": report.why_not,
        "read": report.read,
        "proposed": report.proposed,
        "seconds": round(report.seconds, 3),
        "bytes": report.bytes,
        "cancelled": report.cancelled,
        "failed": [list(entry) for entry in report.failed],
        "drafted": asdict(report.drafted) if report.drafted else None,
        "steps": [
            {
                "name": step.name,
                "title": step.title,
                "count": step.count,
                "why": step.why,
                "safe": step.safe,
                "lines": list(step.lines),
            }
            for step in report.steps
        ],
    }


def from_json(value: Mapping[str, Any]) -> Report:
    """The inverse of `to_json`. Raises KeyError."""
    return Report(
        steps=tuple(
            Step(
                step["name"],
                step["title"],
                step["count"],
                step["why"],
                tuple(step["lines"]),
                step["safe"],
            )
            for step in value["steps"]
        ),
        applied=value["applied"],
        read=value["read"],
        proposed=value["proposed"],
        seconds=value["seconds"],
        bytes=value["bytes"],
        failed=tuple((name, why) for name, why in value["failed"]),
        cancelled=value["cancelled"],
        due=value["due"],
        why_not=value["why_not"],
        drafted=_drafted(value.get("drafted")),
    )


def _drafted(value: Mapping[str, Any] | None) -> Drafted | None:
    if value is None:
        return None
    fell_back = tuple((name, why) for name, why in value["fell_back"])
    return Drafted(**{**value, "fell_back": fell_back})
