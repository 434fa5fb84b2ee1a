"""Proposals: what waits in the inbox, as objects, and how they are kept in the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from memtui.bank.model import Evidence, Scope
from memtui.capture.extract.finding import same
from memtui.capture.passing import Passed
from memtui.clock import format_time, parse_time
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft
from memtui.ledger.model import DecisionRecord, ProposalRecord

LIFETIME = timedelta(days=28)
"""How long a proposal waits before it expires."""
PROPOSER = "rules"
REJECT = "reject"


class Verb(StrEnum):
    """What accepting does."""

    ADD = "add"
    UPDATE = "update"
    MERGE = "merge"
    STALE = "stale"
    FLAG = "flag"
    NOTHING = "nothing"


SWITCHES = (Verb.ADD, Verb.UPDATE, Verb.MERGE, Verb.STALE, Verb.NOTHING)
"""In the order in which `v` goes round."""


class Status(StrEnum):
    """What became of a proposal."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One suggestion. `draft` is the card that adding makes, None for what is about existing items.

    `targets` are the items it is about (`card:<id>`), the nearest first, and `likeness` how alike the
    nearest is (0 to 1); `surprise` orders the inbox; `group` joins what one key can accept together;
    `act` is the act by which it was decided, `card` the item that accepting made.
    """

    id: str
    key: str
    at: datetime
    verb: Verb
    title: str
    reason: str
    session: str = ""
    draft: Draft | None = None
    records: tuple[CitedRecord, ...] = ()
    targets: tuple[str, ...] = ()
    likeness: float = 0.0
    surprise: float = 0.0
    group: str = ""
    status: Status = Status.WAITING
    decided_at: datetime | None = None
    act: str = ""
    card: str = ""
    proposer: str = PROPOSER
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expires(self) -> datetime:
        """When it expires if nobody decides."""
        return self.at + LIFETIME

    @property
    def subject(self) -> str:
        """What its sightings are about."""
        return f"proposal:{self.key}"


def key_of_text(kind: str, text: str) -> str:
    """The same for what was proposed before, said with other numbers."""
    return hashlib.sha256(f"{kind}\n{same(text)}".encode("utf-8", "replace")).hexdigest()[:24]


def standing(proposal: Proposal, decisions: Mapping[str, DecisionRecord]) -> Proposal:
    """The proposal as the acts tell: decided by one that stands, waiting again when it was undone."""
    decided = decisions.get(proposal.id)
    if decided is not None:
        status = Status.REJECTED if decided.verb == REJECT else Status.ACCEPTED
        made = decided.item if status is Status.ACCEPTED and proposal.draft is not None else ""
        return replace(proposal, status=status, decided_at=decided.at, act=decided.act, card=made)
    if proposal.status is Status.EXPIRED:
        return proposal
    return replace(proposal, status=Status.WAITING, decided_at=None, act="", card="")


def to_record(proposal: Proposal) -> ProposalRecord:
    """For the ledger."""
    payload: dict[str, Any] = {
        "reason": proposal.reason,
        "targets": list(proposal.targets),
        "likeness": round(proposal.likeness, 4),
        "surprise": round(proposal.surprise, 4),
        "group": proposal.group,
        "act": proposal.act,
        "card": proposal.card,
        "extra": dict(proposal.extra),
    }
    if proposal.draft is not None:
        payload["draft"] = draft_json(proposal.draft)
    return ProposalRecord(
        id=proposal.id,
        at=proposal.at,
        key=proposal.key,
        proposer=proposal.proposer,
        session=proposal.session,
        verb=proposal.verb.value,
        title=proposal.title,
        nearest=proposal.targets[0] if proposal.targets else "",
        status=proposal.status.value,
        decided_at=proposal.decided_at,
        payload=payload,
        evidence=tuple(_cited_json(record) for record in proposal.records),
    )


def from_record(record: ProposalRecord) -> Proposal:
    """From the ledger. Raises ValueError or KeyError for a payload of another program."""
    if record.verb in _BY_AGENTS:
        return _by_agent(record)
    payload = record.payload
    records = tuple(_cited(entry) for entry in record.evidence)
    draft = payload.get("draft")
    return Proposal(
        id=record.id,
        key=record.key,
        at=record.at,
        verb=Verb(record.verb),
        title=record.title,
        reason=str(payload.get("reason", "")),
        session=record.session,
        draft=None if draft is None else draft_of(draft),
        records=records,
        targets=tuple(payload.get("targets", ())),
        likeness=float(payload.get("likeness", 0.0)),
        surprise=float(payload.get("surprise", 0.0)),
        group=str(payload.get("group", "")),
        status=Status(record.status),
        decided_at=record.decided_at,
        act=str(payload.get("act", "")),
        card=str(payload.get("card", "")),
        proposer=record.proposer,
        extra=payload.get("extra", {}),
    )


_BY_AGENTS = ("create", "flag")
"""What agents suggest through their tools: their payload holds their own words and nothing else."""
_AGENTS_SURPRISE = 0.8


def _by_agent(record: ProposalRecord) -> Proposal:
    payload = record.payload
    draft, verb, reason = None, Verb.FLAG, str(payload.get("reason", ""))
    targets = (record.nearest,) if record.nearest else ()
    if record.verb == "create":
        verb, reason = Verb.ADD, "an agent proposed it"
        draft = Draft(
            title=payload["title"],
            body=payload["body"],
            type=payload["type"],
            rule="agent",
            tags=tuple(payload.get("tags", ())),
        )
    return Proposal(
        id=record.id,
        key=record.key,
        at=record.at,
        verb=verb,
        title=record.title,
        reason=reason,
        session=record.session,
        draft=draft,
        targets=targets,
        surprise=_AGENTS_SURPRISE,
        group=record.session,
        status=Status(record.status),
        decided_at=record.decided_at,
        proposer=record.proposer,
    )


def draft_json(draft: Draft) -> dict[str, Any]:
    """A draft without its evidence, which the proposal keeps beside its records."""
    return {
        "title": draft.title,
        "body": draft.body,
        "type": draft.type,
        "rule": draft.rule,
        "tags": list(draft.tags),
        "scope": [draft.scope.project, draft.scope.branch, list(draft.scope.paths)],
        "importance": draft.importance,
        "origin": draft.origin,
        "quotes": {cited.ref: cited.quote for cited in draft.evidence},
    }


def draft_of(value: Mapping[str, Any]) -> Draft:
    """The inverse of `draft_json`. Raises KeyError."""
    project, branch, paths = value["scope"]
    return Draft(
        title=value["title"],
        body=value["body"],
        type=value["type"],
        rule=value["rule"],
        tags=tuple(value["tags"]),
        scope=Scope(project, branch, tuple(paths)),
        evidence=tuple(Evidence(ref=ref, quote=quote) for ref, quote in value["quotes"].items()),
        importance=value["importance"],
        origin=value["origin"],
    )


def _cited_json(record: CitedRecord) -> dict[str, Any]:
    at = None if record.at is None else format_time(record.at)
    return {
        "ref": record.ref,
        "text": record.text,
        "record": record.record,
        "kind": record.kind,
        "at": at,
        "passed": None if record.passed is None else [record.passed.ref, record.passed.check],
    }


def _cited(value: Mapping[str, Any]) -> CitedRecord:
    at, passed = value.get("at"), value.get("passed")
    return CitedRecord(
        ref=value["ref"],
        text=value["text"],
        record=value["record"],
        kind=value.get("kind", ""),
        at=parse_time(at) if at else None,
        passed=Passed(*passed) if passed else None,
    )
