"""The plan on small banks written out by hand: policy, order, reasons, and what is said once."""

from __future__ import annotations

from typing import Any

import pytest

from memtui import reasons
from memtui.inject import render
from memtui.inject.model import Candidate, Decision, Plan, PlanPolicy, Request, Snapshot
from memtui.inject.plan import plan, recency, score

TODAY = 20_777  # 2026-11-20
TITLE = "Pool timeouts in tests come from an unset ORDER_POOL_SIZE"
HEADER = (
    "Project memory of svc-order as of 2026-11-20: 2 of 2 notes, quoted as data. "
    "The text behind a note: memory_get(handle)."
)
POLICY = PlanPolicy(types=("constraint", "pitfall", "fact"))


def item(handle: str, **fields: Any) -> Candidate:
    given = Candidate(
        handle=handle,
        name=f"name-{handle}",
        title=f"Title of {handle}",
        layer="card",
        type="pitfall",
        tags=("test", "env"),
        tier="confirmed",
        score=0.8,
        importance=0.5,
        created_day=TODAY - 12,
        used_day=TODAY - 12,
        pinned=False,
        project="",
        branch="",
        origin="session",
        states=(),
    )
    return given._replace(**fields)


def ask(**fields: Any) -> Request:
    return Request("claude-code", "startup", "svc-order", "main", TODAY)._replace(**fields)


def bank(*items: Candidate, **policy: Any) -> Snapshot:
    return Snapshot("b1", "svc-order", items, POLICY._replace(**policy))


def reason_of(result: Plan, handle: str) -> str:
    return decision_of(result, handle).reason


def decision_of(result: Plan, handle: str) -> Decision:
    (found,) = (d for d in result.decisions if d.handle == handle)
    return found


def shown(result: Plan) -> list[str]:
    return [line.handle for line in result.lines]


def test_text_of_a_small_bank() -> None:
    result = plan(
        bank(
            item("k3f9qa", title=TITLE),
            item("zz00aa", tier="unchecked", tags=(), type="fact", created_day=TODAY),
        ),
        ask(),
    )
    body = "\n".join(
        [
            HEADER,
            "Confirmed by a person, or checked by a test or build; age in days:",
            f"- [k3f9qa] {TITLE} (pitfall; test, env; confirmed; 12d)",
            "Not checked by anyone:",
            "- [zz00aa] Title of zz00aa (fact; unchecked; 0d)",
        ]
    )
    assert body in result.text
    assert (result.text, result.digest) == render.fenced(body)
    assert result.tokens == render.tokens(len(result.text.encode()))


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_nothing_to_show_is_the_empty_text(source: str) -> None:
    for snapshot in (
        bank(),
        bank(item("a", states=(reasons.STALE,))),
        bank(item("a"), max_lines=0),
    ):
        result = plan(snapshot, ask(source=source))
        assert (result.text, result.tokens, result.digest, result.lines) == ("", 0, "", ())
        assert len(result.decisions) == len(snapshot.candidates)


@pytest.mark.parametrize("state", reasons.ABSENT)
def test_absent_states_hold_back(state: str) -> None:
    assert reason_of(plan(bank(item("a", states=(state,), pinned=True)), ask()), "a") == state


@pytest.mark.parametrize("state", reasons.WARNINGS)
def test_warnings_do_not_hold_back(state: str) -> None:
    assert shown(plan(bank(item("a", states=(state,))), ask())) == ["a"]


def test_the_strongest_state_is_the_reason() -> None:
    states = (reasons.DRIFTED, reasons.RETIRED, reasons.BEHIND)
    assert reason_of(plan(bank(item("a", states=states)), ask()), "a") == reasons.RETIRED


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tier": "disputed"}, reasons.DISPUTED),
        ({"expires_day": TODAY}, reasons.EXPIRED),
        ({"expires_day": TODAY + 1}, reasons.SHOWN),
        ({"project": "other"}, reasons.SCOPE),
        ({"project": "svc-order"}, reasons.SHOWN),
        ({"branch": "feature"}, reasons.SCOPE),
        ({"branch": "main"}, reasons.SHOWN),
        ({"type": "user"}, reasons.TYPE),
        ({"origin": "external"}, reasons.SHOWN),
        ({"origin": "external", "tier": "checked"}, reasons.EXTERNAL),
        ({"origin": "External: web", "tier": "unchecked"}, reasons.EXTERNAL),
        ({"tier": "no tier"}, reasons.SHOWN),
    ],
)
def test_reason(fields: dict[str, Any], reason: str) -> None:
    assert reason_of(plan(bank(item("a", **fields)), ask()), "a") == reason


def test_what_is_not_known_to_be_checked_stands_among_the_unchecked() -> None:
    (line,) = plan(bank(item("a", tier="no tier")), ask()).lines
    assert line.section == render.UNCHECKED


def test_another_project_gets_only_what_names_it() -> None:
    result = plan(bank(item("own"), item("their", project="web")), ask(project="web"))
    assert shown(result) == ["their"]
    assert decision_of(result, "own").detail == "project svc-order"


def test_aliases_are_the_same_project() -> None:
    snapshot = bank(item("own"), item("alias", project="orders"))._replace(aliases=("orders",))
    assert shown(plan(snapshot, ask(project="orders"))) == ["alias", "own"]
    assert shown(plan(snapshot, ask(project=""))) == ["alias", "own"]


def test_rank_is_importance_trust_and_recency() -> None:
    policy = PlanPolicy(("pitfall",), importance_weight=2, trust_weight=3, recency_weight=4)
    card = item("a", importance=0.5, score=0.25, used_day=TODAY - 2)
    assert score(card, policy, TODAY) == pytest.approx(1 + 0.75 + 4 * 0.995**48)
    assert recency(0) == recency(-3) == 1


def test_order_pins_then_score_then_type_order_then_handle() -> None:
    cards = [
        item("d"),
        item("c"),
        item("b", type="constraint"),
        item("a", importance=0.9),
        item("p", importance=0.0, score=0.0, pinned=True),
    ]
    assert shown(plan(bank(*cards), ask())) == ["p", "a", "b", "c", "d"]


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -1.0])
def test_broken_numbers_keep_an_order(broken: float) -> None:
    cards = [item("b", importance=broken), item("a", score=broken), item("c")]
    first = plan(bank(*cards, trust_weight=broken), ask())
    again = plan(bank(*reversed(cards), trust_weight=broken), ask())
    assert first == again


def test_unchecked_section_is_small_and_last() -> None:
    cards = [item(f"u{n}", tier="unchecked", importance=1.0) for n in range(4)]
    result = plan(bank(*cards, item("k", importance=0.1)), ask())
    assert shown(result) == ["k", "u0", "u1"]
    assert reason_of(result, "u2") == reasons.UNCHECKED
    assert [d.rank for d in result.decisions] == [1, 2, 3, 0, 0]


def test_a_pinned_unchecked_item_is_first_among_the_unchecked() -> None:
    cards = [item("a", tier="unchecked", importance=1.0), item("p", tier="unchecked", pinned=True)]
    assert shown(plan(bank(*cards, unchecked_lines=1), ask())) == ["p"]


def test_over_lines() -> None:
    result = plan(bank(*(item(f"c{n}") for n in range(5)), max_lines=3), ask())
    assert shown(result) == ["c0", "c1", "c2"]
    assert reason_of(result, "c3") == reasons.OVER_LINES


def test_a_line_that_does_not_fit_leaves_room_for_shorter_ones() -> None:
    long = item("long", title="x" * 110, importance=0.6)
    snapshot = bank(item("a", importance=0.7), long, item("b"))
    free = plan(snapshot, ask(budget=10_000))
    tight = plan(snapshot, ask(budget=free.tokens - decision_of(free, "long").tokens + 1))
    assert shown(free) == ["a", "long", "b"]
    assert shown(tight) == ["a", "b"]
    held = decision_of(tight, "long")
    assert held.reason == reasons.OVER_BUDGET
    assert held.detail.startswith(f"~{held.tokens} tokens, ~")


def test_exact_budget_fits_and_one_less_does_not() -> None:
    snapshot = bank(item("a"))
    cost = plan(snapshot, ask()).tokens
    assert plan(snapshot, ask(budget=cost)).text
    assert not plan(snapshot, ask(budget=cost - 1)).text


def test_host_limit_is_named() -> None:
    cards = [item(f"c{n:04}", title="x" * 100) for n in range(200)]
    result = plan(bank(*cards, max_lines=500, budget=100_000), ask(host="codex"))
    assert len(result.text.encode()) <= 10_000
    held = decision_of(result, "c0199")
    assert (held.reason, held.detail) == (reasons.OVER_LIMIT, "codex: 10000 utf8")


def test_what_the_context_has_is_not_said_again() -> None:
    snapshot = bank(item("a", importance=0.9), item("b"), item("c"), max_lines=2)
    first = plan(snapshot, ask())
    seen = frozenset(line.text for line in first.lines)
    again = plan(snapshot, ask(source="resume", seen=seen))
    assert again.text == ""
    assert reason_of(again, "a") == reasons.IN_CONTEXT
    assert reason_of(again, "c") == reasons.OVER_LINES


def test_a_day_later_a_resumed_session_hears_nothing_new() -> None:
    snapshot = bank(item("a"))
    seen = frozenset(line.text for line in plan(snapshot, ask()).lines)
    assert plan(snapshot, ask(seen=seen, today=TODAY + 30)).text == ""


def test_what_changed_is_said_again() -> None:
    seen = frozenset(line.text for line in plan(bank(item("a")), ask()).lines)
    assert shown(plan(bank(item("a", title="Now otherwise")), ask(seen=seen))) == ["a"]


def test_a_new_card_joins_what_the_context_has() -> None:
    old = [item("a"), item("b")]
    seen = frozenset(line.text for line in plan(bank(*old), ask()).lines)
    result = plan(bank(*old, item("n", importance=0.9), max_lines=2), ask(seen=seen))
    assert shown(result) == ["n"]
    assert {reason_of(result, "a"), reason_of(result, "b")} == {reasons.IN_CONTEXT}
    assert "1 of 3 notes" in result.text


def test_the_total_counts_what_holds_in_this_scope() -> None:
    cards = [
        item("a"),
        item("b", project="other"),
        item("c", states=(reasons.RETIRED,)),
        item("d", expires_day=TODAY),
        item("e", type="user"),
    ]
    assert "1 of 2 notes" in plan(bank(*cards), ask()).text
    assert "1 of 77 notes" in plan(bank(*cards)._replace(total=77), ask()).text
