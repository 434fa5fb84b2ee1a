"""Prompt time: off unless asked for, literal hits only, two lines, never one that was seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.agents.prompting import literals, typed
from memtui.agents.receipts import drain_spool
from memtui.ledger.access import open_ledger
from memtui.ledger.model import RetrievalRecord
from memtui.ledger.store import Ledger
from tests.agents.banks import World, card, make_world, run_hook, sent

HITS = ("--hits",)


@pytest.fixture
def world(tmp_path: Path) -> World:
    titles = {
        "aaaaaa": "Pool timeouts come from ORDER_POOL_SIZE",
        "bbbbbb": "ORDER_POOL_SIZE defaults to 0",
        "cccccc": "ORDER_POOL_SIZE and order/pool.py belong together",
        "dddddd": "Money is kept in cents",
        "eeeeee": "Error E1042 means a closed register",
    }
    cards = {handle: card(handle, title) for handle, title in titles.items()}
    cards["ffffff"] = card("ffffff", "Stale word on E1042", status="stale")
    return make_world(tmp_path, cards)


def ask(world: World, prompt: str, **more: str) -> str:
    done = run_hook(world, "prompt", {"prompt": prompt, **more}, more=HITS)
    assert done.returncode == 0
    return sent(done)


def test_it_is_off_by_default(world: World) -> None:
    assert run_hook(world, "prompt", {"prompt": "ORDER_POOL_SIZE"}).stdout == b""


def test_at_most_two_lines_of_what_is_hit(world: World) -> None:
    text = ask(world, "why is ORDER_POOL_SIZE in order/pool.py 0?")
    assert text.count("\n- [") == 2
    assert "[cccccc]" in text
    assert "Money" not in text


def test_plain_words_hit_nothing(world: World) -> None:
    assert ask(world, "money is kept in cents and the pool timeouts are bad") == ""
    assert ask(world, "") == ""


def test_a_stale_item_is_not_hit(world: World) -> None:
    text = ask(world, "I get E1042")
    assert "[eeeeee]" in text
    assert "ffffff" not in text


def test_nothing_is_said_twice(world: World) -> None:
    first = ask(world, "I get E1042")
    assert first
    assert ask(world, "again E1042") == ""
    assert ask(world, "again E1042", session_id="s2") == first
    start = sent(run_hook(world, "session-start", {"source": "startup", "session_id": "s3"}))
    assert "[eeeeee]" not in start or ask(world, "E1042", session_id="s3") == ""
    resumed = sent(run_hook(world, "session-start", {"source": "resume"}))
    assert "[eeeeee]" not in resumed


def test_the_prompt_is_recorded_either_way(world: World) -> None:
    ask(world, "I get E1042")
    ask(world, "nothing literal")
    records = world.records("prompt")
    assert [record["prompt"] for record in records] == ["I get E1042", "nothing literal"]
    assert records[0]["injection"]["lines"][0][0] == "eeeeee"
    assert "injection" not in records[1]


@pytest.fixture
def ledger(world: World) -> Iterator[Ledger]:
    found = open_ledger(Path(world.refresh().state))
    yield found
    found.close()


def drained(world: World, ledger: Ledger) -> list[RetrievalRecord]:
    """The log after the app took in the spool, oldest first."""
    key = world.refresh().key
    done = drain_spool(world.spool, key, ledger, lambda _: None, lambda _: False)
    assert done.rejected == []
    return sorted(ledger.retrievals(), key=lambda one: one.id)


def test_every_look_for_a_prompt_is_in_the_retrieval_log(world: World, ledger: Ledger) -> None:
    text = ask(world, "why is ORDER_POOL_SIZE in order/pool.py 0?")
    ask(world, "ORDER_POOL_SIZE again, and E1042")
    ask(world, "what is E9999?")
    ask(world, "nothing literal")
    first, again, gap = drained(world, ledger)
    assert {one.origin for one in (first, again, gap)} == {"hook"}
    assert {one.session for one in (first, again, gap)} == {"claude-code:s1"}
    assert (first.mode, first.query) == ("literal", "ORDER_POOL_SIZE order/pool.py")
    assert "cccccc" in first.shown
    assert first.tokens == -(-len(text.encode()) // 4)
    assert first.ms > 0
    became = {one["id"]: (one["stage"], one.get("reason", "")) for one in first.candidates}
    held = {"aaaaaa", "bbbbbb"} - set(first.shown)
    assert len(first.shown) == 2
    assert {became[handle] for handle in held} == {("budget", "over lines")}
    seen = {one["id"] for one in again.candidates if one.get("reason") == "already in this context"}
    assert seen == set(first.shown)
    assert "eeeeee" in again.shown
    assert (gap.query, gap.candidates, gap.empty) == ("E9999", (), True)
    assert not first.empty


def test_what_the_context_has_already_is_no_gap(world: World, ledger: Ledger) -> None:
    ask(world, "I get E1042")
    ask(world, "again E1042")
    _, again = drained(world, ledger)
    assert again.shown == ()
    assert not again.empty


def test_taking_in_twice_logs_once(world: World, ledger: Ledger) -> None:
    ask(world, "I get E1042")
    (path,) = world.spool.glob("*.json")
    kept = path.read_bytes()
    drained(world, ledger)
    path.write_bytes(kept)
    assert len(drained(world, ledger)) == 1


def test_without_hits_nothing_is_looked_for(world: World, ledger: Ledger) -> None:
    run_hook(world, "prompt", {"prompt": "ORDER_POOL_SIZE"})
    assert drained(world, ledger) == []


def test_a_secret_in_a_prompt_is_in_no_file(world: World, ledger: Ledger) -> None:
    secret = "ghp_" + "a1B2" * 10
    ask(world, f"use token {secret} and password=Hunter2x9Q for E1042")
    spooled = b"".join(path.read_bytes() for path in world.spool.glob("*.json"))
    (record,) = drained(world, ledger)
    assert "E1042" in record.query
    for text in (spooled.decode(), record.query):
        assert secret not in text
        assert "Hunter2x9Q" not in text


def test_a_literal_that_everyone_shares_hits_nothing(tmp_path: Path) -> None:
    handles = [f"aaaaa{letter}" for letter in "abcdefghjk"]
    world = make_world(
        tmp_path, {handle: card(handle, f"About svc-order {handle}") for handle in handles}
    )
    assert ask(world, "look at svc-order") == ""


def test_what_counts_as_literal() -> None:
    text = 'Why does `pool size` fail in src/order.py:12 with E1042, camelCase, HTTP "no rows" 8417 and words?'
    assert literals(text) == [
        "pool size", "no rows", "src/order.py:12", "E1042", "camelCase", "HTTP", "8417",
    ]  # fmt: skip
    assert len(literals(" ".join(f"name_{n}" for n in range(100)))) == 12


def test_geminis_wrapping_is_not_what_was_typed() -> None:
    assert typed("<hook_context>x</hook_context>\n\nhello") == "hello"
    assert typed("hello <hook_context>x</hook_context>") == "hello <hook_context>x</hook_context>"


@pytest.mark.parametrize("host", ["codex", "gemini-cli"])
def test_other_hosts_get_it_in_their_form(world: World, host: str) -> None:
    done = run_hook(world, "prompt", {"prompt": "E1042"}, host, HITS)
    name = json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"]
    assert name == ("BeforeAgent" if host == "gemini-cli" else "UserPromptSubmit")
