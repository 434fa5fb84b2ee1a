"""From sessions to the inbox and back: compared, counted, decided, undone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memtui.bank.model import Card, Status
from memtui.curate import verbs
from memtui.curate.act import CurateError
from memtui.curate.curator import Curator
from memtui.curate.decide import accept, proposals, reject, switch, verbs_of, waiting
from memtui.curate.proposals import Proposal, Verb, from_record, to_record
from memtui.curate.proposals import Status as Stands
from memtui.curate.purge import plan_purge, purge
from memtui.ledger.model import ProposalRecord
from tests.curate.nights import Night, counts
from tests.sessions.session_fixtures import Talk


def one(night: Night, curator: Curator, talk: Talk, word: str) -> Proposal:
    """The proposal of one session whose title holds `word`."""
    night.write(talk)
    night.sleep(curator)
    return next(found for found in waiting(curator) if word in found.title)


def cards(night: Night) -> dict[str, Card]:
    return {card.title: card for card in night.contents().cards}


def test_accept_makes_a_card_with_its_evidence_and_undo_takes_it_back(
    night: Night, curator: Curator
) -> None:
    proposal = one(night, curator, night.pitfall(1), "odd pool size")
    assert proposal.verb is Verb.ADD
    assert from_record(to_record(proposal)) == proposal
    result = accept(curator, proposal, night.contents())
    card = cards(night)[proposal.title]
    assert all(cited.record and cited.excerpt for cited in card.evidence)
    assert waiting(curator) == []
    decided = proposals(curator)[0]
    assert (decided.status, decided.card) == (Stands.ACCEPTED, f"card:{card.id}")
    with pytest.raises(CurateError, match="already accepted"):
        accept(curator, decided, night.contents())
    verbs.undo(curator)
    assert proposal.title not in cards(night)
    assert [found.id for found in waiting(curator)] == [proposal.id]
    verbs.redo(curator)
    assert cards(night)[proposal.title].id == card.id
    assert waiting(curator) == []
    assert result.verb == "create"


def test_a_rejected_one_is_never_proposed_again_unless_undone(
    night: Night, curator: Curator
) -> None:
    proposal = one(night, curator, night.pitfall(1), "odd pool size")
    bank = {path: path.read_bytes() for path in night.bench.bank.rglob("*") if path.is_file()}
    reject(curator, [proposal], "not worth it")
    night.write(night.pitfall(2))
    night.sleep(curator)
    assert waiting(curator) == []
    verbs.undo(curator)
    assert [found.id for found in waiting(curator)] == [proposal.id]
    verbs.redo(curator)
    assert waiting(curator) == []
    after = {path: path.read_bytes() for path in night.bench.bank.rglob("*") if path.is_file()}
    assert after == bank


def test_what_was_purged_is_never_proposed_again(night: Night, curator: Curator) -> None:
    proposal = one(night, curator, night.pitfall(1), "odd pool size")
    made = accept(curator, proposal, night.contents())
    card = next(card for card in night.contents().cards if card.id == made.details["id"])
    purge(curator, plan_purge(curator, [card], night.contents()))
    night.write(night.pitfall(2))
    night.sleep(curator)
    assert [found for found in waiting(curator) if "odd pool size" in found.title] == []
    assert not [path for path in night.bench.bank.rglob("*.md") if b"odd pool" in path.read_bytes()]


def test_the_same_pitfall_from_twenty_sessions_is_one_card(night: Night, curator: Curator) -> None:
    night.write(*(night.pitfall(number) for number in range(1, 11)))
    night.sleep(curator)
    found = waiting(curator)
    assert len(found) == 1
    assert len(curator.ledger.sightings(found[0].subject)[found[0].subject]) == 10
    accept(curator, found[0], night.contents())
    night.write(*(night.pitfall(number) for number in range(11, 21)))
    night.sleep(curator)
    assert waiting(curator) == []
    card = cards(night)[found[0].title]
    seen = curator.ledger.sightings(f"card:{card.id}")[f"card:{card.id}"]
    assert len({sighting.session for sighting in seen}) == 20
    assert len(cards(night)) == 5


def test_what_a_card_says_already_is_one_more_sighting(night: Night, curator: Curator) -> None:
    talk = night.talk(1).prompt("start the server and look")
    night.write(talk.say("The service listens on port 8417. The gateway owns 8080 everywhere."))
    night.sleep(curator)
    assert waiting(curator) == []
    assert len(curator.ledger.sightings("card:ccccc2")["card:ccccc2"]) == 1


def test_what_contradicts_a_card_comes_first_and_supersedes_it(
    night: Night, curator: Curator
) -> None:
    talk = night.pitfall(1).say("The service listens on port 9000.")
    night.write(talk)
    night.sleep(curator)
    first = waiting(curator)[0]
    assert (first.verb, first.targets) == (Verb.UPDATE, ("card:ccccc2",))
    assert "contradicts port-8417" in first.reason
    accept(curator, first, night.contents())
    assert cards(night)[first.title].supersedes == ("ccccc2",)
    verbs.undo(curator)
    assert first.title not in cards(night)


def test_the_verb_can_be_switched(night: Night, curator: Curator) -> None:
    talk = night.talk(1).prompt("start the server")
    proposal = one(night, curator, talk.say("The service listens on port 9000."), "9000")
    assert verbs_of(proposal) == (Verb.ADD, Verb.UPDATE, Verb.MERGE, Verb.STALE, Verb.NOTHING)
    order = []
    for _ in range(5):
        proposal = switch(curator, proposal)
        order.append(proposal.verb)
    assert order == [Verb.MERGE, Verb.STALE, Verb.NOTHING, Verb.ADD, Verb.UPDATE]
    assert waiting(curator)[0].verb is Verb.UPDATE
    stale = switch(curator, proposal, Verb.STALE)
    accept(curator, stale, night.contents())
    old = next(card for card in night.contents().cards if card.id == "ccccc2")
    assert old.status is Status.STALE
    verbs.undo(curator)
    merged = switch(curator, waiting(curator)[0], Verb.MERGE)
    accept(curator, merged, night.contents())
    card = next(card for card in night.contents().cards if "ccccc2" in card.supersedes)
    assert "The gateway owns 8080 everywhere." in card.body
    assert "port 9000" in card.body
    assert {cited.ref for cited in card.evidence} > {"claude-code:s-ccccc2#r1"}
    verbs.undo(curator)
    nothing = switch(curator, waiting(curator)[0], Verb.NOTHING)
    accept(curator, nothing, night.contents())
    assert waiting(curator) == []
    assert len(curator.ledger.sightings("card:ccccc2")["card:ccccc2"]) == 1
    lonely = replace(proposal, targets=())
    assert verbs_of(lonely) == (Verb.ADD, Verb.NOTHING)
    with pytest.raises(CurateError, match="does not fit"):
        switch(curator, lonely, Verb.STALE)


def test_an_edited_card_is_saved_as_edited(night: Night, curator: Curator) -> None:
    proposal = one(night, curator, night.pitfall(1), "odd pool size")
    assert proposal.draft is not None
    draft = replace(proposal.draft, title="Pools take even sizes only", type="env")
    accept(curator, proposal, night.contents(), draft)
    card = cards(night)["Pools take even sizes only"]
    assert card.expires == night.now + timedelta(days=28)


def test_at_most_three_from_one_session(night: Night, curator: Curator) -> None:
    talk = night.talk(1).prompt("tell me what is wrong here")
    for number, word in enumerate(("pool", "cache", "queue", "mailer", "parser", "router")):
        talk.say(f"The root cause is the {word} that retries {number} times without a limit.")
    night.write(talk)
    report = night.sleep(curator)
    assert counts(report)["propose"] == 3
    night.write(talk.say("The root cause is the printer that waits for ever without a limit."))
    assert counts(night.sleep(curator)) == {"read": 1}


def test_old_ones_expire_visibly(night: Night, curator: Curator) -> None:
    one(night, curator, night.pitfall(1), "odd pool size")
    curator.clock = lambda: night.now + timedelta(days=29)
    report = night.sleep(curator)
    assert counts(report)["expire"] == 1
    assert "odd pool size" in next(s for s in report.steps if s.name == "expire").lines[0]
    assert {found.status for found in proposals(curator) if "odd" in found.title} == {
        Stands.EXPIRED
    }
    night.write(night.pitfall(2))
    night.sleep(curator)
    assert not any("odd pool" in found.title for found in waiting(curator))


def test_what_is_no_proposal_of_ours_is_left_out(night: Night, curator: Curator) -> None:
    proposal = one(night, curator, night.pitfall(1), "odd pool size")
    record = to_record(proposal)
    curator.ledger.put_proposal(replace(record, id="odd", verb="paint"))
    curator.ledger.put_proposal(replace(record, id="bare", payload={"draft": {}}))
    assert [found.id for found in proposals(curator)] == [proposal.id]


def test_what_agents_suggest_waits_with_the_rest(night: Night, curator: Curator) -> None:
    made = ProposalRecord(
        "a1", night.now, "k1", "agent", "claude-code:s", "create", "Pools are even",
        payload={"title": "Pools are even", "body": "Use when: x.\n\nY.", "type": "fact", "tags": ["a"]},
    )  # fmt: skip
    doubt = ProposalRecord(
        "a2", night.now, "k2", "agent", "claude-code:s", "flag", "Flag it", "card:ccccc2",
        payload={"item": "card:ccccc2", "reason": "it listens on 9000"},
    )  # fmt: skip
    for record in (made, doubt):
        curator.ledger.put_proposal(record)
    flagging, adding = sorted(waiting(curator), key=lambda one: one.verb, reverse=True)
    assert (flagging.verb, adding.verb) == (Verb.FLAG, Verb.ADD)
    assert verbs_of(flagging) == (Verb.FLAG, Verb.STALE, Verb.NOTHING)
    accept(curator, flagging, night.contents())
    event = night.contents().events[-1]
    assert (event.verb, event.item, event.reason) == ("flag", "card:ccccc2", "it listens on 9000")
    accept(curator, adding, night.contents())
    assert cards(night)["Pools are even"].tags == ("a",)
    assert waiting(curator) == []
    verbs.undo(curator)
    verbs.undo(curator)
    assert {one.verb for one in waiting(curator)} == {Verb.FLAG, Verb.ADD}
