"""From what a session showed to proposals: compared with the bank and with what was proposed before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from memtui.bank.model import BankContents, Card, Item, Status
from memtui.curate.candidates import RULES, Candidate
from memtui.curate.curator import new_id
from memtui.curate.draft import Draft
from memtui.curate.proposals import Proposal, Verb, key_of_text
from memtui.curate.proposals import Status as Stands
from memtui.curate.rules.contradiction import differ, statement, statements_of
from memtui.curate.similar import NEAR, SAME, Match, Neighbours, likeness, told, words
from memtui.curate.tombstones import Tombstones
from memtui.index.states import key_of
from memtui.ledger.model import SightingRecord
from memtui.safety.redact import redact

MOST = 3
"""Proposals from one session."""
_WEIGHT = {
    "correction": 0.9,
    "pair": 0.8,
    "root cause": 0.7,
    "dead end": 0.7,
    "decision": 0.6,
    "environment": 0.5,
    "procedure": 0.4,
    "drafter": 0.65,
}
_CONTRADICTS = 1.0
_AROUND = 0.25
"""From here on a card is near enough to be contradicted."""


class Why(StrEnum):
    """Why a candidate is no new proposal."""

    REJECTED = "rejected before"
    PUT_AWAY = "a person put this away"
    KNOWN = "a card cites this record"
    SEEN = "one more sighting"
    PURGED = "a person purged this"
    SURPLUS = "beyond what one session may propose"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one candidate: a new proposal, a sighting of something known, or nothing."""

    candidate: Candidate
    proposal: Proposal | None = None
    sighting: SightingRecord | None = None
    why: Why | None = None
    near: str = ""


class Known:
    """The bank and all earlier proposals, ready for comparison; what is proposed is added."""

    def __init__(self, contents: BankContents, absent: Iterable[str], past: Iterable[Proposal]):
        gone = set(absent)
        live = [card for card in contents.cards if card.id not in gone]
        away = [card for card in contents.cards if card.id in gone and _put_away(card)]
        self.cards = {key_of(card): card for card in contents.cards}
        self.purged = Tombstones(contents.events)
        self.live = Neighbours(live)
        self.away = Neighbours(away)
        self.cited = {cited.ref: key_of(card) for card in contents.cards for cited in card.evidence}
        past = tuple(past)
        self._past: dict[str, Proposal] = {}
        self._by_record = {
            cited.ref: one.key for one in past if one.draft for cited in one.draft.evidence
        }
        self._by_word: dict[str, set[str]] = {}
        self._words: dict[str, frozenset[str]] = {}
        for proposal in past:
            self.add(proposal)

    def add(self, proposal: Proposal) -> None:
        """Remember a proposal."""
        self._past[proposal.key] = proposal
        own = words(_text(proposal))
        self._words[proposal.key] = own
        for word in own:
            self._by_word.setdefault(word, set()).add(proposal.key)

    def near(self, draft: Draft, text: str) -> list[Match]:
        """The live cards near a draft, most alike first: by all they say, or by the fact in the title."""
        own = words(draft.title)
        found = [
            Match(match.item, max(match.score, likeness(own, words(match.item.title))))
            for match in self.live.near(text, _AROUND, 8)
        ]
        return sorted(found, key=lambda match: (-match.score, match.item.name))[:5]

    def has(self, key: str) -> bool:
        """Whether something with this key was ever proposed."""
        return key in self._past

    def earlier(self, key: str, text: str) -> Proposal | None:
        """What was proposed before and says the same."""
        if key in self._past:
            return self._past[key]
        own = words(text)
        keys = {found for word in own for found in self._by_word.get(word, ())}
        best = max(((likeness(own, self._words[k]), k) for k in sorted(keys)), default=(0.0, ""))
        return self._past[best[1]] if best[0] >= SAME else None

    def from_records(self, draft: Draft) -> Proposal | None:
        """What an earlier pass made of one of the records that a draft cites, in whatever words."""
        keys = (self._by_record.get(cited.ref) for cited in draft.evidence)
        found = next((key for key in keys if key is not None), None)
        return None if found is None else self._past[found]

    def from_session(self, session: str) -> int:
        """How many proposals a session made so far."""
        return sum(past.session == session for past in self._past.values())


def propose(found: Sequence[Candidate], session: str, known: Known, now: datetime) -> list[Outcome]:
    """What becomes of each candidate of a session, the most surprising first."""
    judged = [_judge(candidate, session, known, now) for candidate in found]
    judged.sort(key=lambda outcome: -(outcome.proposal.surprise if outcome.proposal else 0.0))
    left = MOST - known.from_session(session)
    done = []
    for outcome in judged:
        new = outcome.proposal
        if new is not None:
            again = _before(outcome.candidate, new, session, known, now)
            if again is not None:
                outcome = again
            elif left <= 0:
                outcome = Outcome(outcome.candidate, why=Why.SURPLUS)
            else:
                left -= 1
                known.add(new)
        done.append(outcome)
    return done


def _judge(candidate: Candidate, session: str, known: Known, now: datetime) -> Outcome:
    draft = cleaned(candidate.draft)
    if known.purged.cover_draft(draft):
        return Outcome(candidate, why=Why.PURGED)
    text = told(draft.title, draft.body)
    refs = [cited.ref for cited in draft.evidence]
    first = refs[0] if refs else session
    cited = next((known.cited[ref] for ref in refs if ref in known.cited), "")
    if cited:
        return Outcome(candidate, why=Why.KNOWN, near=cited)
    if known.away.near(text, SAME, 1):
        return Outcome(candidate, why=Why.PUT_AWAY)
    near = known.near(draft, text)
    key = key_of_text(draft.rule, draft.title)
    proposal = Proposal(
        id=new_id(),
        key=key,
        at=now,
        verb=Verb.ADD,
        title=draft.title,
        reason=candidate.reason,
        session=session,
        draft=draft,
        proposer=candidate.by,
        group=session,
        surprise=_WEIGHT.get(draft.rule, 0.3) * (0.5 + draft.importance),
    )
    again = _before(candidate, proposal, session, known, now)
    if again is not None:
        return again
    against = next((m.item for m in near if _contradicts(draft, m.item)), None)
    if against is None and near and near[0].score >= SAME:
        subject = key_of(near[0].item)
        seen = SightingRecord(subject, first, session, now)
        return Outcome(candidate, sighting=seen, why=Why.SEEN, near=subject)
    if against is not None:
        reason = f"{candidate.reason}; contradicts {against.name}"
        proposal = replace(
            proposal,
            verb=Verb.UPDATE,
            targets=(key_of(against),),
            likeness=next(m.score for m in near if m.item is against),
            reason=reason,
            surprise=proposal.surprise + _CONTRADICTS,
        )
    elif near and near[0].score >= NEAR:
        proposal = replace(
            proposal,
            verb=Verb.UPDATE,
            targets=tuple(key_of(m.item) for m in near if m.score >= NEAR),
            likeness=near[0].score,
            reason=f"{candidate.reason}; close to {near[0].item.name}: update, or new?",
        )
    elif near:
        proposal = replace(proposal, targets=(key_of(near[0].item),), likeness=near[0].score)
    novel = 1.0 - (near[0].score if near else 0.0)
    return Outcome(candidate, proposal=replace(proposal, surprise=proposal.surprise + 0.3 * novel))


def _before(
    candidate: Candidate, proposal: Proposal, session: str, known: Known, now: datetime
) -> Outcome | None:
    """What an earlier proposal of the same makes of it."""
    past = known.earlier(proposal.key, _text(proposal))
    if past is None and candidate.by != RULES:
        # A model finds new words each time: what was made of these records already is not said again.
        past = known.from_records(candidate.draft)
    if past is None:
        return None
    if past.status in (Stands.REJECTED, Stands.EXPIRED):
        return Outcome(candidate, why=Why.REJECTED, near=past.id)
    refs = [cited.ref for cited in candidate.draft.evidence]
    subject = past.card if past.card in known.cards else past.subject
    seen = SightingRecord(subject, refs[0] if refs else session, session, now)
    return Outcome(candidate, sighting=seen, why=Why.SEEN, near=past.id)


def cleaned(draft: Draft) -> Draft:
    """The draft without secrets: it is about to be written to the ledger."""
    return replace(
        draft,
        title=" ".join(redact(draft.title).text.split()),
        body=redact(draft.body).text,
        tags=tuple(redact(tag).text for tag in draft.tags),
        evidence=tuple(replace(cited, quote=redact(cited.quote).text) for cited in draft.evidence),
    )


def _contradicts(draft: Draft, item: Item) -> bool:
    ours = statement(draft.title)
    return isinstance(item, Card) and any(differ(ours, theirs) for theirs in statements_of(item))


def _put_away(card: Card) -> bool:
    return card.status is not Status.ACTIVE


def _text(proposal: Proposal) -> str:
    draft = proposal.draft
    return proposal.title if draft is None else told(draft.title, draft.body)
