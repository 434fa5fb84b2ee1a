"""What the screen and the commands show: immutable views over bank, index, sessions and plan.

Texts are as stored; whoever draws them sanitizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memtui.bank.model import BankContents, Card, Claim, Evidence, Excerpt, Page, Trust
from memtui.index.states import State
from memtui.inject.model import Decision, Plan, Snapshot
from memtui.reasons import UNLISTED
from memtui.sessions.citation import Location

WAITING = "not checked yet"
"""Ends the notes about what another `settle` will find out."""


class Check(StrEnum):
    """Whether a step of the provenance walk holds."""

    VERIFIED = "verified"
    CHANGED = "changed"
    GONE = "gone"
    UNSEALED = "unsealed"


@dataclass(frozen=True, slots=True)
class ItemView:
    """A card or page with everything computed about it. `age_days` counts from creation."""

    item: Card | Page
    trust: Trust
    states: tuple[State, ...]
    age_days: int
    behind: int = 0

    @property
    def layer(self) -> str:
        """`card` or `page`."""
        return "page" if isinstance(self.item, Page) else "card"


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One citation and whether it holds: where the record lies, and the excerpt kept with the bank."""

    evidence: Evidence
    check: Check
    location: Location | None
    excerpt: Excerpt | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim of a page with the cards it cites: `holds` is false when none of them is active."""

    claim: Claim
    cards: tuple[ItemView, ...]
    missing: tuple[str, ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class BankView:
    """A bank at one moment, indexed by what the screens look up. Lists are sorted by name.

    `serial` grows with every load: of two views the one with the higher serial is newer.
    """

    contents: BankContents
    cards: tuple[ItemView, ...]
    pages: tuple[ItemView, ...]
    by_id: dict[str, ItemView]
    by_name: dict[str, ItemView]
    loaded_at: datetime
    snapshot: Snapshot
    notes: tuple[str, ...] = ()
    serial: int = 0

    def find(self, word: str) -> ItemView | None:
        """An item by handle or name."""
        return self.by_id.get(word) or self.by_name.get(word)

    @property
    def unlisted(self) -> frozenset[str]:
        """The ids of active items that do not belong into `MEMORY.md`."""
        return frozenset(
            found.item.id
            for found in (*self.cards, *self.pages)
            if any(state.reason in UNLISTED for state in found.states)
        )


@dataclass(frozen=True, slots=True)
class PreviewOptions:
    """What the preview is asked for: `budget` None means the policy's own.

    `seen` are the lines that the session `resumes` (`host:session`) has already.
    """

    host: str = "claude-code"
    source: str = "startup"
    budget: int | None = None
    branch: str = ""
    seen: frozenset[str] = frozenset()
    resumes: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly what the next session receives, as planned (`plan`) and as its host passes it on."""

    plan: Plan
    delivered: str
    options: PreviewOptions
    held: tuple[Decision, ...]

    @property
    def first_cut(self) -> Decision | None:
        """The best-ranked item that the budget or a cap held back, if any."""
        return next((d for d in self.held if d.reason.startswith("over")), None)


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One hop of the provenance walk. `kind`: page, claim, card, evidence, record or excerpt."""

    depth: int
    kind: str
    label: str
    check: Check
    detail: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """One place that was looked at when a bank was searched, for the first-run screen."""

    what: str
    place: Path | str
    found: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `memtui doctor`: `level` is ok, info, warning or error; `fix` says what to do."""

    level: str
    topic: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class StatusNote:
    """Something the status bar must say: `level` is ok, info, warning or error."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """Files changed under the open workspace: `kind` is bank or sessions."""

    kind: str
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How far a scan of the transcripts is. Sizes are bytes; `current` is the file being read."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    current: Path | None = None


@dataclass(frozen=True, slots=True)
class PastDecision:
    """What became of a card or page in one past session, as its hook decided it.

    `decision` is None where the log has none: the item was not there yet, or the bank was so large
    that only the best items were logged.
    """

    session: str
    at: datetime
    host: str
    source: str
    decision: Decision | None
