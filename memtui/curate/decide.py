"""Decisions about proposals: accept, edit and accept, switch the verb, reject. Each is one act."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from memtui.bank.model import BankContents, Card, Item
from memtui.curate.act import Act, ActResult, CurateError
from memtui.curate.acts import perform
from memtui.curate.create import CitedRecord, create
from memtui.curate.curator import Curator
from memtui.curate.draft import Draft
from memtui.curate.merge import merge, propose_merge
from memtui.curate.proposals import (
    REJECT,
    SWITCHES,
    Proposal,
    Status,
    Verb,
    from_record,
    standing,
    to_record,
)
from memtui.curate.propose import cleaned
from memtui.curate.rewrite import joined, with_more
from memtui.curate.status import demote
from memtui.curate.verdicts import flag
from memtui.index.states import key_of
from memtui.ledger.model import PROPOSAL, ProposalRecord, SightingRecord

SHORT_LIVED = ("env", "task")
"""Types of cards that expire unless somebody confirms them."""
LIFETIME = timedelta(days=28)


def proposals(curator: Curator) -> list[Proposal]:
    """Every proposal as it stands, oldest first. What cannot be read as one is left out."""
    decisions = curator.ledger.decisions()
    found = (_readable(record) for record in curator.ledger.proposals())
    return [standing(proposal, decisions) for proposal in found if proposal is not None]


def waiting(curator: Curator) -> list[Proposal]:
    """The inbox: what waits, the most surprising first."""
    found = [one for one in proposals(curator) if one.status is Status.WAITING]
    return sorted(found, key=lambda one: (-one.surprise, one.at, one.id))


def accept(
    curator: Curator, proposal: Proposal, contents: BankContents, draft: Draft | None = None
) -> ActResult:
    """Do what a proposal suggests, also one that has expired. `draft` is the card as a person changed it.

    Raises CurateError when it was decided already or its items are gone.
    """
    _check_open(curator, [proposal], Status.EXPIRED)
    items = _targets(proposal, contents)
    with _deciding(curator, [proposal]):
        result = _do(curator, proposal, items, contents, draft)
    _settle(curator, [replace(proposal, draft=draft or proposal.draft)])
    return result


def accept_as_one(
    curator: Curator, chosen: Sequence[Proposal], draft: Draft, replaced: Sequence[Item] = ()
) -> ActResult:
    """Accept several proposals as one card, whose text `draft` is; undone, all of them wait again.

    Raises CurateError when one of them was decided already.
    """
    _check_open(curator, chosen, Status.EXPIRED)
    records = {record.ref: record for one in chosen for record in one.records}
    with _deciding(curator, chosen):
        result = _create(curator, cleaned(draft), tuple(records.values()), replaced)
    _settle(curator, chosen)
    return result


def in_one(chosen: Sequence[Proposal]) -> Draft:
    """The draft of one card for several proposals: the first, with what the others add.

    Raises CurateError for less than two, and for proposals that are about existing cards.
    """
    drafts = [one.draft for one in chosen if one.draft is not None]
    if len(chosen) < 2:
        raise CurateError("one card is made of two proposals or more", "mark them with space")
    if len(drafts) < len(chosen):
        raise CurateError(
            "one of them is about cards that exist", "mark only proposals of new cards"
        )
    made = drafts[0]
    for other in drafts[1:]:
        made = with_more(made, other)
    return made


def reject(curator: Curator, chosen: Sequence[Proposal], reason: str = "") -> ActResult:
    """Say no: it is never proposed again, unless this is undone."""
    _check_open(curator, chosen)
    if not chosen:
        raise CurateError("nothing to reject", "put the cursor on a proposal, or mark some")
    title = chosen[0].title if len(chosen) == 1 else f"{len(chosen)} proposals"
    told = [replace(one, extra={**one.extra, "why": reason}) if reason else one for one in chosen]
    result = _local(curator, REJECT, f"rejected: {title}", told)
    _settle(curator, told)
    return result


def switch(curator: Curator, proposal: Proposal, verb: Verb | None = None) -> Proposal:
    """The proposal with another verb, the next that is possible unless one is given; kept at once.

    Raises CurateError for a verb that needs an item to be about.
    """
    possible = verbs_of(proposal)
    verb = verb or next_verb(proposal)
    if verb not in possible:
        raise CurateError(f"{verb} does not fit this proposal", f"possible: {', '.join(possible)}")
    _check_open(curator, [proposal], Status.EXPIRED)
    changed = replace(proposal, verb=verb)
    curator.ledger.put_proposal(to_record(changed))
    return changed


def verbs_of(proposal: Proposal) -> tuple[Verb, ...]:
    """The verbs that a proposal can be switched to."""
    if proposal.verb is Verb.FLAG or (proposal.draft is None and proposal.proposer == "agent"):
        return (Verb.FLAG, Verb.STALE, Verb.NOTHING)
    if proposal.draft is None:
        return (proposal.verb, Verb.NOTHING) if proposal.verb is not Verb.NOTHING else SWITCHES[-1:]
    return SWITCHES if proposal.targets else (Verb.ADD, Verb.NOTHING)


def next_verb(proposal: Proposal) -> Verb:
    """The verb that comes after the proposal's own."""
    possible = verbs_of(proposal)
    place = possible.index(proposal.verb) if proposal.verb in possible else -1
    return possible[(place + 1) % len(possible)]


def expire(curator: Curator, found: Sequence[Proposal], now: datetime) -> list[ProposalRecord]:
    """Those that waited too long, marked as expired, for the ledger."""
    return [
        to_record(replace(one, status=Status.EXPIRED, decided_at=now))
        for one in found
        if one.status is Status.WAITING and one.expires <= now
    ]


def _do(
    curator: Curator,
    proposal: Proposal,
    items: Sequence[Item],
    contents: BankContents,
    edited: Draft | None,
) -> ActResult:
    chosen = edited or proposal.draft
    draft = cleaned(chosen) if chosen else None
    if proposal.verb is Verb.NOTHING:
        return _nothing(curator, proposal, items)
    if proposal.verb is Verb.FLAG:
        return flag(curator, items[:1], proposal.reason)
    if proposal.verb is Verb.STALE:
        return demote(curator, items[:1], proposal.reason)
    cards = [item for item in items if isinstance(item, Card)]
    if draft is None:
        return merge(curator, cards, propose_merge(cards), contents.events, proposal.reason)
    replaced: list[Card] = []
    if proposal.verb in (Verb.UPDATE, Verb.MERGE):
        replaced = cards[:1]
    if proposal.verb is Verb.MERGE:
        draft = joined(draft, replaced[0])
    return _create(curator, draft, proposal.records, replaced)


def _create(
    curator: Curator, draft: Draft, records: Sequence[CitedRecord], replaced: Sequence[Item]
) -> ActResult:
    expires = curator.clock() + LIFETIME if draft.type in SHORT_LIVED else None
    return create(curator, draft, records, supersedes=replaced, expires=expires)


def _nothing(curator: Curator, proposal: Proposal, items: Sequence[Item]) -> ActResult:
    """Nothing new: what it is about was seen once more."""
    result = _local(curator, "sight", f"seen once more: {proposal.title}", [proposal])
    if items:
        record = proposal.records[0].ref if proposal.records else proposal.session
        seen = SightingRecord(key_of(items[0]), record, proposal.session, curator.clock())
        curator.ledger.capture((), (), [seen])
    return result


def _local(curator: Curator, verb: str, summary: str, chosen: Sequence[Proposal]) -> ActResult:
    """An act that changes no file and leaves no event: it only can be undone."""

    def build(_act_id: str) -> Act:
        count = len(chosen)
        return Act(verb, (), chosen[0].title if count == 1 else f"{count} proposals", summary)

    with _deciding(curator, chosen):
        return perform(curator, build)


@contextmanager
def _deciding(curator: Curator, chosen: Sequence[Proposal]) -> Iterator[None]:
    curator.deciding = tuple(f"{PROPOSAL}{one.id}" for one in chosen)
    try:
        yield
    finally:
        curator.deciding = ()


def _settle(curator: Curator, chosen: Sequence[Proposal]) -> None:
    """Write down how they stand now; their sightings become those of the card that was made."""
    decisions = curator.ledger.decisions()
    done = [standing(one, decisions) for one in chosen]
    moved = [
        replace(seen, subject=one.card)
        for one in done
        if one.card
        for seen in curator.ledger.sightings(one.subject).get(one.subject, ())
    ]
    curator.ledger.capture((), [to_record(one) for one in done], moved)


def _targets(proposal: Proposal, contents: BankContents) -> list[Item]:
    known: Mapping[str, Item] = {key_of(item): item for item in (*contents.cards, *contents.pages)}
    found = [known[key] for key in proposal.targets if key in known]
    needed = {Verb.ADD: 0, Verb.NOTHING: 0, Verb.MERGE: 2 if proposal.draft is None else 1}
    if len(found) < needed.get(proposal.verb, 1):
        raise CurateError(
            "what this proposal is about is gone", "switch its verb with v, or reject it"
        )
    return found


def _check_open(curator: Curator, chosen: Sequence[Proposal], *also: Status) -> None:
    """They may have been decided since they were read: by the key before, or in another window."""
    decisions = curator.ledger.decisions()
    for proposal in chosen:
        status = standing(proposal, decisions).status
        if status is Status.EXPIRED and status not in also:
            raise CurateError(
                "it expired already", "it is never proposed again; p accepts it still"
            )
        if status not in (Status.WAITING, *also):
            raise CurateError(f"already {status}", "undo takes a decision back")


def _readable(record: ProposalRecord) -> Proposal | None:
    try:
        return from_record(record)
    except (KeyError, TypeError, ValueError):
        return None
