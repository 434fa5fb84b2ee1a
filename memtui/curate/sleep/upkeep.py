"""What sleep looks after besides new sessions: twins, cards that overstayed, procedures, cold cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta

from memtui.bank.model import BankContents, Card, Evidence, Scope, Status
from memtui.bank.standing import standing
from memtui.capture.extract.sequences import sequences
from memtui.curate.curator import Curator, new_id
from memtui.curate.decide import LIFETIME as CARD_LIFETIME
from memtui.curate.decide import SHORT_LIVED
from memtui.curate.draft import Draft
from memtui.curate.proposals import Proposal, Verb, key_of_text
from memtui.curate.propose import Known
from memtui.curate.rules.contradiction import statement
from memtui.curate.similar import Neighbours
from memtui.index.states import key_of
from memtui.ledger.model import CapturedRecord

COLD_SHOWN = 20
MOST_PROCEDURES = 3
_WEEK = timedelta(days=7)


def twin_proposals(
    contents: BankContents, absent: Collection[str], known: Known, now: datetime
) -> list[Proposal]:
    """Two live cards that say the same: merge them."""
    live = [card for card in contents.cards if card.id not in absent]
    found = []
    for one, other, score in Neighbours(live).twins():
        if statement(one.title).values != statement(other.title).values:
            continue
        ids = sorted((one.id, other.id))
        made = Proposal(
            id=new_id(),
            key=f"twins-{'-'.join(ids)}",
            at=now,
            verb=Verb.MERGE,
            title=one.title,
            reason=f"{one.name} and {other.name} say the same",
            targets=(key_of(one), key_of(other)),
            likeness=score,
            surprise=0.5,
            group="twins",
        )
        found.append(made)
    return _new(found, known)


def overdue_proposals(contents: BankContents, known: Known, now: datetime) -> list[Proposal]:
    """Environment and task cards that nobody confirmed for 28 days: stale?"""
    last = _last_word(contents)
    found = []
    for card in contents.cards:
        if card.status is not Status.ACTIVE or card.type not in SHORT_LIVED or card.expires:
            continue
        since = last.get(key_of(card)) or card.created or card.modified
        if since is None or since + CARD_LIFETIME > now or card.pinned:
            continue
        found.append(
            Proposal(
                id=new_id(),
                key=f"overdue-{card.id}-{since:%Y%m%d}",
                at=now,
                verb=Verb.STALE,
                title=card.title,
                reason=f"{card.type} card, not confirmed since {since:%Y-%m-%d}",
                targets=(key_of(card),),
                likeness=1.0,
                surprise=0.3,
                group="overdue",
            )
        )
    return _new(found, known)


def procedure_proposals(
    captured: Iterable[CapturedRecord], known: Known, project: str, now: datetime
) -> list[Proposal]:
    """The same commands in the same order in three sessions or more: a procedure."""
    own = {record.session: record.steps for record in captured}
    runs = {
        name: [(command, at) for at, (command, _) in enumerate(steps)]
        for name, steps in own.items()
    }
    found = []
    for shared in sequences(runs):
        said = ", then ".join(f"`{command}`" for command in shared.commands)
        refs = [own[name][at][1] for name, at in shared.sessions]
        draft = Draft(
            title=f"The usual order here: {said}"[:110],
            body=f"Use when: you run `{shared.commands[0]}`.\n\nRun {said}.",
            type="convention",
            rule="procedure",
            scope=Scope(project=project or None),
            evidence=tuple(Evidence(ref=ref, quote="") for ref in refs[:5]),
            importance=0.4,
        )
        found.append(
            Proposal(
                id=new_id(),
                key=key_of_text("procedure", said),
                at=now,
                verb=Verb.ADD,
                title=draft.title,
                reason=f"the same commands in {len(shared.sessions)} sessions",
                session=shared.sessions[0][0],
                draft=draft,
                surprise=0.4,
                group="procedures",
            )
        )
        if len(found) == MOST_PROCEDURES:
            break
    return _new(found, known)


def cold_cards(curator: Curator, contents: BankContents) -> list[Card]:
    """Cards that were shown often and never used. A query: nothing is proposed from it."""
    shown: Counter[str] = Counter()
    for record in curator.ledger.injections():
        shown.update(handle for handle, _ in record.lines)
    used = {id_ for record in curator.ledger.retrievals() for id_ in record.shown}
    confirmed = {event.item for event in contents.events if event.verb in ("confirm", "validated")}
    return [
        card
        for card in contents.cards
        if card.status is Status.ACTIVE
        and shown[card.id] >= COLD_SHOWN
        and card.id not in used
        and key_of(card) not in confirmed
    ]


def weekly(contents: BankContents, now: datetime) -> tuple[int, int]:
    """Cards that came in and went out within the last seven days, by the events."""
    recent = [event for event in standing(contents.events) if event.at > now - _WEEK]
    came = {event.item for event in recent if event.verb in ("create", "promote", "restore")}
    went = {
        event.item for event in recent if event.verb in ("demote", "archive", "purge", "supersede")
    }
    return len(came), len(went)


def _new(found: list[Proposal], known: Known) -> list[Proposal]:
    """Without what was proposed before, whatever became of it."""
    fresh = [proposal for proposal in found if not known.has(proposal.key)]
    for proposal in fresh:
        known.add(proposal)
    return fresh


def _last_word(contents: BankContents) -> Mapping[str, datetime]:
    """When each item was last confirmed, validated, edited or made."""
    told = ("confirm", "validated", "create", "edit", "promote")
    return {event.item: event.at for event in standing(contents.events) if event.verb in told}
