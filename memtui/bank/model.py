"""What a bank holds: cards, pages, evidence and events, as immutable values read from files.

Times are aware datetimes in UTC. Texts are as stored in the files: not sanitized.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any


class Layout(StrEnum):
    """How the files of a bank lie: memtui's own folders, or a host's flat memory folder."""

    MEMTUI = "memtui"
    CLAUDE = "claude"


class Status(StrEnum):
    """What a person set. Everything that can be computed is a state, never a status."""

    ACTIVE = "active"
    STALE = "stale"
    RETIRED = "retired"


class Tier(StrEnum):
    """What the verdicts on an item add up to."""

    UNCHECKED = "unchecked"
    CHECKED = "checked"
    CONFIRMED = "confirmed"
    DISPUTED = "disputed"


PAGE_TYPES = ("procedure", "handbook")
CARD_TYPES = (
    "decision",
    "pitfall",
    "convention",
    "constraint",
    "env",
    "fact",
    "task",
    "user",
    "feedback",
    "project",
    "reference",
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an item holds. An empty project is "not said" (the bank's own)."""

    project: str | None = None
    branch: str | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One citation: `ref` is `<host>:<session id>#<record id>`.

    `record` is the versioned hash of the record's content (`1:<sha256>`), `excerpt` the sha256 that
    names the redacted excerpt kept with the bank, `quote` a verbatim part of the record. The hashes
    are empty until an item is sealed.
    """

    ref: str
    record: str = ""
    excerpt: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A cited record as kept in `evidence/<sha256>.json`: redacted, with where it came from."""

    sha256: str
    ref: str
    at: str | None
    kind: str
    text: str
    record: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be read as meant: said, never fatal. `line` counts from 1."""

    path: Path
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """What a card and a page have in common. `digest` is the sha256 of the file's bytes.

    `id` is also the handle. `assigned` tells that the file carries no id and `id` is kept in state.
    `extra` holds unknown keys of the front matter, top level and metadata, as read.
    """

    id: str
    name: str
    title: str
    type: str
    body: str
    path: Path
    digest: str
    assigned: bool = False
    status: Status = Status.ACTIVE
    tags: tuple[str, ...] = ()
    scope: Scope = Scope()
    importance: float = 0.5
    origin: str = ""
    author: str = ""
    created: datetime | None = None
    modified: datetime | None = None
    expires: datetime | None = None
    pinned: bool = False
    supersedes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    links: tuple[str, ...] = ()
    conflict: bool = False
    problems: tuple[Problem, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Card(Item):
    """L1: one fact, constraint, pitfall, decision, convention or environment fact."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence or list item of a page with the names of the cards that it cites.

    `line` is its first line in the page's body, from 0.
    """

    text: str
    cards: tuple[str, ...]
    line: int
    section: str = ""


@dataclass(frozen=True, slots=True)
class Page(Item):
    """L2: a procedure or handbook compiled from cards. `sources` maps card id to the card's digest then."""

    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    compiled_at: datetime | None = None
    generation: int = 0
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of `events/<writer>.jsonl`: an act, a verdict or a tombstone.

    `item` is `card:<id>` or `page:<id>`. `data` holds what the verb needs to be understood later.
    """

    id: str
    at: datetime
    writer: str
    kind: str
    verb: str
    item: str
    name: str = ""
    title: str = ""
    reason: str = ""
    by: str = "human"
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Trust:
    """Tier, score in 0..1 and the counts that the printed formula adds up."""

    tier: Tier
    score: float
    confirmed: int
    validated: int
    flagged: int


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules that choose what is injected, from `bank.toml`."""

    types: tuple[str, ...] = (
        "constraint",
        "convention",
        "env",
        "decision",
        "pitfall",
        "procedure",
        "handbook",
        "fact",
        "task",
        "feedback",
        "project",
        "user",
        "reference",
    )
    max_lines: int = 12
    budget: int = 600
    unchecked_lines: int = 2
    importance_weight: float = 1.0
    trust_weight: float = 1.0
    recency_weight: float = 1.0


@dataclass(frozen=True, slots=True)
class BankConfig:
    """`bank.toml`, or the defaults where there is none (a host's own folder)."""

    id: str
    format: int = 1
    project: str = ""
    aliases: tuple[str, ...] = ()
    remote: str = ""
    policy: Policy = Policy()
    share_evidence: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class BankContents:
    """All of a bank at one moment. Items are sorted by name; events by time, then id."""

    root: Path
    layout: Layout
    config: BankConfig
    cards: tuple[Card, ...]
    pages: tuple[Page, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...] = ()
