"""Pages are compiled from cards alone: every claim cites, leaving a card out removes only what it said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.bank.model import BankContents, Card, Evidence, Page, Status
from memtui.bank.pages import claims_in
from memtui.curate import verbs
from memtui.curate.act import ConflictError, CurateError
from memtui.curate.clusters import clusters, enough
from memtui.curate.compile import absent_cards, compile_page, plan_rebuild, support
from memtui.curate.merge import propose_merge, propose_page_merge
from tests.curate.bench import Bench, card


def test_every_claim_of_a_procedure_cites_and_stands_in_its_section(bench: Bench) -> None:
    made = compile_page(bench.cards("pool-timeout", "own-env", "port-8417"))
    claims = claims_in(made.body)
    assert {claim.section for claim in claims} == {
        "When",
        "Steps",
        "Watch out",
        "Why",
        "Environment",
    }
    assert all(claim.cards for claim in claims)
    assert set(made.sources) == {"aaaaa2", "bbbbb2", "ccccc2"}
    assert ". Tests set their own environment in tests/__init__.py. [[own-env]]" in made.body
    assert "- the default of 0 lets every acquire time out. [[pool-timeout]]" in made.body
    assert "1. export ORDER_POOL_SIZE=8 first. [[pool-timeout]]" in made.body
    assert "See" not in made.body
    assert made.tags == ("test",)
    assert made.title == "How we handle test"


def test_compiling_twice_is_the_same_and_less_is_less(bench: Bench) -> None:
    cards = bench.cards("pool-timeout", "own-env", "port-8417")
    whole = compile_page(cards, "handbook", "T")
    assert compile_page(cards, "handbook", "T") == whole
    less = compile_page(cards[:2], "handbook", "T")
    gone = set(whole.body.splitlines()) - set(less.body.splitlines())
    assert all("[[port-8417]]" in line or line.startswith("## ") for line in gone)
    assert set(less.body.splitlines()) <= set(whole.body.splitlines())


def test_the_same_claim_of_two_cards_is_one_with_two_citations(bench: Bench) -> None:
    one = bench.cards("own-env")[0]
    two = replace(one, id="xxxxx2", name="other-env")
    body = compile_page([one, two]).body
    assert "[[own-env]] [[other-env]]" in body
    assert body.count("Use setdefault") == 1


def test_only_cards_that_hold_are_compiled(bench: Bench) -> None:
    stale = replace(bench.cards("own-env")[0], status=Status.STALE)
    with pytest.raises(CurateError, match="does not hold"):
        compile_page([stale])
    with pytest.raises(CurateError, match="needs cards"):
        compile_page([])


def test_support_names_the_sentences_that_lost_theirs(bench: Bench) -> None:
    page = bench.item("red-suite")
    assert isinstance(page, Page)
    lost = support(page, bench.contents(), {"ccccc2": "stale"})
    assert [claim.text for claim in lost] == ["Mind the port."]
    assert support(page, bench.contents(), {}) == ()


def test_rebuild_refuses_without_cards_and_after_a_change(bench: Bench) -> None:
    page = bench.item("red-suite")
    assert isinstance(page, Page)
    everything = dict.fromkeys(("aaaaa2", "bbbbb2", "ccccc2"), "stale")
    with pytest.raises(CurateError, match="no card of red-suite holds"):
        plan_rebuild(page, bench.contents(), everything)
    plan = plan_rebuild(page, bench.contents(), {"ccccc2": "stale"})
    assert plan.left_out == {"ccccc2": "stale"}
    assert "-2. Mind the port. [[port-8417]]" in plan.diff
    page.path.write_bytes(page.path.read_bytes() + b"more\n")
    with pytest.raises((CurateError, ConflictError), match="changed"):
        verbs.rebuild(bench.curator(), plan)


def test_absent_cards_come_from_states_and_status(bench: Bench) -> None:
    verbs.demote(bench.curator(), bench.items("own-env"))
    absent = absent_cards(bench.contents(), {"ccccc2": ("behind", "expired")})
    assert absent == {"bbbbb2": "stale", "ccccc2": "expired"}


def contents_of(cards: list[Card], bench: Bench) -> BankContents:
    return replace(bench.contents(), cards=tuple(cards), pages=())


def test_clusters_need_three_cards_from_three_sessions(bench: Bench) -> None:
    def about(number: int, session: int) -> Card:
        cited = (Evidence(f"h:s{session}#r{number}"),)
        return card(
            f"c{number}",
            f"n{number}",
            f"T{number}",
            "fact",
            "B",
            evidence=cited,
            tags=("db",),
            path=Path("x"),
        )

    three = [about(n, n) for n in range(3)]
    [found] = clusters(contents_of(three, bench))
    assert (found.subject, found.sessions, found.reason) == (
        "tag db",
        3,
        "3 cards from 3 sessions share tag db",
    )
    assert enough(three)
    assert clusters(contents_of([about(n, 1) for n in range(5)], bench)) == []
    assert clusters(contents_of(three[:2], bench)) == []
    assert clusters(contents_of(three, bench), absent=["c0"]) == []
    page = replace(bench.page(), sources=dict.fromkeys(("c0", "c1", "c2"), ""))
    assert clusters(replace(contents_of(three, bench), pages=(page,))) == []


def test_a_merge_proposal_takes_the_fuller_text_and_names_the_rest(bench: Bench) -> None:
    cards = bench.cards("own-env", "port-8417")
    made = propose_merge(cards)
    fullest = max(cards, key=lambda c: len(c.body.split()))
    assert made.body in {c.body for c in cards}
    assert list(made.left_out) == [c.name for c in cards if c.body != made.body]
    assert fullest.tags == made.tags
    with pytest.raises(CurateError, match="two or more"):
        propose_merge(cards[:1])


def test_merged_pages_are_compiled_from_all_their_cards(bench: Bench) -> None:
    page = bench.item("red-suite")
    assert isinstance(page, Page)
    other = replace(page, id="other2", name="other", sources={"ddddd2": ""})
    made = propose_page_merge([page, other], bench.contents(), {"ccccc2": "stale"})
    assert set(made.sources) == {"aaaaa2", "bbbbb2", "ddddd2"}
    assert made.title == page.title
