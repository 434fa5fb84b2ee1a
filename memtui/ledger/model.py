"""What the ledger hands out and takes in: immutable records, never database rows.

Times are aware datetimes in UTC, to the second. Paths are relative to the bank's root, with `/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from memtui import reasons

PROPOSAL = "proposal:"
"""How the items of an act name a proposal that it decides."""


class ActState(StrEnum):
    """How far an act came: an intent is not yet wholly in the bank, an aborted one never was.

    A noted act is an intent whose files somebody else changed: only its events are still to come.
    """

    INTENT = "intent"
    NOTED = "noted"
    DONE = "done"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What one act did to one file: the bytes before and after, None where there was no file.

    With `start` set, both are only the part that differs, at byte `start` of the file (the index of
    the bank is kept so: it is touched by nearly every act). The digests (sha256) are always those of
    the whole file, empty where there was none.
    """

    path: str
    before: bytes | None
    after: bytes | None
    before_digest: str
    after_digest: str
    start: int | None = None


@dataclass(frozen=True, slots=True)
class ActRecord:
    """One act. `items` are `card:<id>` or `page:<id>`; `undoes` names the act that an undo took back.

    `undone_by` is the undo that took this act back; `redoable` holds until the writer does something
    new; `erased` means that a purge took its bytes, so it can be neither undone nor redone.
    `events` are the lines for the bank's event file, kept only while the act is an intent.
    """

    id: str
    at: datetime
    writer: str
    verb: str
    items: tuple[str, ...]
    title: str
    summary: str
    files: tuple[FileRecord, ...] = ()
    events: tuple[Mapping[str, Any], ...] = ()
    undoes: str | None = None
    undone_by: str | None = None
    redoable: bool = False
    erased: bool = False
    state: ActState = ActState.INTENT
    seq: int = 0


@dataclass(frozen=True, slots=True)
class InjectionRecord:
    """What was planned for one session: `lines` as (handle, text), `decisions` as JSON objects."""

    id: str
    at: datetime
    session: str
    host: str
    source: str
    budget: int
    tokens: int
    text: str
    digest: str
    bank_version: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    decisions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ReceiptRecord:
    """What became of an injection: `outcome` is delivered, differs or missing."""

    injection: str
    at: datetime
    outcome: str
    digest: str = ""
    detail: str = ""


REFUSED = "refused"
"""The mode of a tool call that was none: unknown tool, wrong arguments, too much."""
NO_SEARCHES = ("memory_get", "memory_evidence", "memory_propose", "memory_flag", REFUSED)
"""Modes of logged calls that look for nothing, so that finding nothing is no gap."""


@dataclass(frozen=True, slots=True)
class RetrievalRecord:
    """One search or tool call: `origin` is terminal, hook or mcp; `ms` its time in milliseconds."""

    id: str
    at: datetime
    origin: str
    session: str
    query: str
    mode: str
    tokens: int = 0
    ms: float = 0.0
    candidates: tuple[Mapping[str, Any], ...] = ()
    shown: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it found nothing: a gap in the bank. What a context has already is no gap."""
        if self.shown or self.mode in NO_SEARCHES:
            return False
        return all(one.get("reason") != reasons.IN_CONTEXT for one in self.candidates)


@dataclass(frozen=True, slots=True)
class CapturedRecord:
    """What was read of one session (`host:session`). `mark` changes when the session goes on.

    `status` is read or failed, `detail` says why it failed; `observed` and `proposed` are counts;
    `title` and `outcome` are its summary; `steps` are what it ran, as (command, record).
    """

    session: str
    mark: str
    at: datetime
    status: str = "read"
    detail: str = ""
    observed: int = 0
    proposed: int = 0
    title: str = ""
    outcome: str = ""
    steps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SightingRecord:
    """One more time that something was seen: `subject` is `proposal:<key>` or `card:<id>`.

    `record` cites where, `host:session#record`; a record counts once for a subject.
    """

    subject: str
    record: str
    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """The act that decided a proposal: its verb, when, and the first item that it is about."""

    act: str
    verb: str
    at: datetime
    item: str


@dataclass(frozen=True, slots=True)
class SleepRecord:
    """One sleep that was carried out: how many sessions it read, and its report as JSON."""

    id: str
    at: datetime
    read: int
    report: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftingRecord:
    """What the drafter made of one session (`host:session`), and what it cost.

    `status` is drafted, or fell back when the rules had to do it alone, `detail` says why or which
    cards were refused. `sent` and `received` are characters, `tokens` an estimate of those sent;
    `cards` and `refused` are counts.
    """

    session: str
    at: datetime
    drafter: str
    status: str
    detail: str = ""
    sent: int = 0
    tokens: int = 0
    received: int = 0
    seconds: float = 0.0
    cards: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class ProposalRecord:
    """A suggested change in the inbox: `status` is waiting, accepted, rejected or expired.

    `key` is the same for what was proposed before, so that nothing rejected comes back. `nearest`
    is the existing item it was compared with.
    """

    id: str
    at: datetime
    key: str
    proposer: str
    session: str
    verb: str
    title: str
    nearest: str = ""
    status: str = "waiting"
    decided_at: datetime | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Mapping[str, Any], ...] = ()
