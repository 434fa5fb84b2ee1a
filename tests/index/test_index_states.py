"""Computed states, each with its cause."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui import reasons
from memtui.bank.model import (
    BankConfig,
    BankContents,
    Card,
    Claim,
    Event,
    Layout,
    Page,
    Status,
)
from memtui.bank.trust import trust_by_id
from memtui.index.states import Known, State, states_of
from memtui.index.support import lost_claims
from tests.index.banks import NOW, card


def bank(*items: Card | Page, events: tuple[Event, ...] = ()) -> BankContents:
    cards = tuple(item for item in items if isinstance(item, Card))
    pages = tuple(item for item in items if isinstance(item, Page))
    return BankContents(Path("/b"), Layout.MEMTUI, BankConfig(id="b"), cards, pages, events)


def page(sources: dict[str, str], **fields: Any) -> Page:
    made = card("p1", type="procedure")
    known = {name: getattr(made, name) for name in Card.__slots__ or ()}
    known |= {name: getattr(made, name) for name in made.__dataclass_fields__}
    return replace(Page(**known), sources=sources, **fields)


def event(verb: str, handle: str, kind: str = "verdict", **fields: Any) -> Event:
    return Event(
        f"{verb}{handle}", NOW - timedelta(days=2), "dana", kind, verb, f"card:{handle}", **fields
    )


def states(contents: BankContents, **known: Any) -> dict[str, list[str]]:
    return {key: [s.reason for s in found] for key, found in full(contents, **known).items()}


def full(contents: BankContents, **known: Any) -> dict[str, tuple[State, ...]]:
    given: dict[str, Any] = {
        "now": NOW,
        "trust": trust_by_id(contents.events),
        "drift": {},
        "evidence": {},
    }
    return states_of(contents, Known(**(given | known)))


def test_nothing_wrong_is_no_state() -> None:
    assert states(bank(card("a"), page({"a": ""}))) == {}


def test_every_own_state_with_its_cause() -> None:
    contents = bank(
        card("st", status=Status.STALE),
        card("re", status=Status.RETIRED),
        card("ex", expires=NOW),
        card("la", expires=NOW + timedelta(days=1)),
        card("di"),
        card("dr"),
        card("pu"),
        card("co", conflict=True),
        events=(
            event("demote", "st", "act", reason="old"),
            event("flag", "di", reason="not so"),
            event("purge", "pu", "tombstone"),
        ),
    )
    found = full(contents, drift={"dr": "order/pool.py changed in 3fa2c1 (2026-11-12)"})
    assert {key: (s.reason, s.cause) for key, (s,) in found.items()} == {
        "st": (reasons.STALE, "marked stale by dana on 2026-11-18: old"),
        "re": (reasons.RETIRED, "marked retired"),
        "ex": (reasons.EXPIRED, "expired on 2026-11-20"),
        "di": (reasons.DISPUTED, "flagged by dana on 2026-11-18: not so"),
        "dr": (reasons.DRIFTED, "order/pool.py changed in 3fa2c1 (2026-11-12)"),
        "pu": (reasons.TOMBSTONED, "purged by dana on 2026-11-18"),
        "co": (reasons.CONFLICT, "git conflict markers in the file"),
    }


def test_states_are_sorted_strongest_first() -> None:
    evidence = {"a": (State(reasons.EVIDENCE_GONE, "x"), State(reasons.EVIDENCE_CHANGED, "y"))}
    contents = bank(card("a", status=Status.STALE, conflict=True, expires=NOW))
    assert states(contents, evidence=evidence)["a"] == [
        reasons.CONFLICT,
        reasons.STALE,
        reasons.EXPIRED,
        reasons.EVIDENCE_CHANGED,
        reasons.EVIDENCE_GONE,
    ]


def test_undone_acts_are_not_quoted() -> None:
    flag = event("flag", "a", data={"act": "a1"})
    undo = replace(event("undo", "a", "act", data={"of": "a1"}), at=NOW)
    assert states(bank(card("a"), events=(flag,))) == {"a": [reasons.DISPUTED]}
    assert states(bank(card("a"), events=(flag, undo))) == {}


def test_supersession_along_a_chain() -> None:
    chain = [card("a"), card("b", supersedes=("a",)), card("c", supersedes=("card-b",))]
    found = full(bank(*chain))
    assert found["a"] == (State(reasons.SUPERSEDED, "superseded by card-b"),)
    assert found["b"] == (State(reasons.SUPERSEDED, "superseded by card-c"),)
    assert "c" not in found


def test_a_chain_holds_over_a_retired_link() -> None:
    found = full(
        bank(
            card("a"),
            card("b", supersedes=("a",), status=Status.RETIRED),
            card("c", supersedes=("b",)),
        )
    )
    assert found["a"][0].cause == "superseded by card-c through card-b"


@pytest.mark.parametrize(
    "fields", [{"status": Status.RETIRED}, {"status": Status.STALE}, {"origin": "external"}]
)
def test_who_may_not_supersede(fields: dict[str, Any]) -> None:
    assert "a" not in states(bank(card("a"), card("b", supersedes=("a",), **fields)))


def test_a_confirmed_text_from_outside_may() -> None:
    outside = card("b", supersedes=("a",), origin="external")
    contents = bank(card("a"), outside, events=(event("confirm", "b"),))
    assert states(contents)["a"] == [reasons.SUPERSEDED]


def test_cycles_and_self_references_end() -> None:
    both = bank(card("a", supersedes=("b",)), card("b", supersedes=("a",)))
    assert states(both) == {"a": [reasons.SUPERSEDED], "b": [reasons.SUPERSEDED]}
    assert states(bank(card("a", supersedes=("a", "gone")))) == {}


def test_a_page_is_behind_by_what_changed() -> None:
    sources = {"same": "d1", "changed": "d0", "unsealed": "", "stale": "d1", "gone": "d1"}
    contents = bank(
        card("same", digest="d1"),
        card("changed", digest="d1"),
        card("unsealed", digest="d1"),
        card("stale", digest="d1", status=Status.STALE),
        page(sources),
    )
    (state,) = full(contents)["p1"]
    assert state.reason == reasons.BEHIND
    assert state.cause == "behind by 3: card-changed changed, card-stale is stale, gone is gone"


def test_claims_that_lost_support() -> None:
    claims = (Claim("held", ("x", "y"), 0), Claim("lost", ("y",), 1), Claim("bare", (), 2))
    assert lost_claims(page({}, claims=claims), {"x"}) == (claims[1],)
