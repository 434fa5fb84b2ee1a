"""What was previewed is what the real clients send to their model, byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.install import Target, apply, plan_uninstall
from memtui.agents.receipts import Delivery, Outcome, deliveries, drain_spool, settle
from memtui.hosts.model import Kind
from memtui.inject.limits import delivered, limit_of
from memtui.ledger.access import open_ledger
from memtui.ledger.model import InjectionRecord
from memtui.safety.fence import TAG
from tests.agents.banks import card, generated, make_world
from tests.real_clients.clients import RealWorld, Run, install, real_world, run_client
from tests.real_clients.transcripts import entries_of

pytestmark = [pytest.mark.real_clients, pytest.mark.timeout(1800)]

HOSTS = ("claude-code", "codex", "gemini-cli")
BANKS = int(os.environ.get("MEMTUI_REAL_BANKS", "20"))
PROMPT = "please look at the order tests"
FIRST = "SessionStart hook additional context: "
SHELL = {
    "claude-code": ("Bash", "command"),
    "codex": ("exec_command", "cmd"),
    "gemini-cli": ("run_shell_command", "command"),
}


def wrapped(host: str, text: str) -> str:
    """What a host makes of an injected text on the way to its model."""
    if host == "claude-code":
        return FIRST + text
    if host == "codex":
        return text
    return f"<hook_context>{delivered(text, limit_of(host))}</hook_context>\n\n{PROMPT}"


def blocks(run: Run) -> list[str]:
    """The texts of the last request that carry a block of ours."""
    return [text for text in Run(run.done, run.requests[-1:]).texts() if TAG in text]


def turns(host: str, command: str = "echo hello") -> list[dict[str, Any]]:
    """A tool call, then an answer."""
    name, key = SHELL[host]
    given = {key: command} if host == "codex" else {key: command, "description": "look"}
    return [{"say": "I look.", "calls": [(name, given)]}, {"say": "That is all."}]


def settled(world: RealWorld, host: str) -> list[Outcome]:
    """Drain the spool, compare each session with its transcript, keep the receipts.

    Returns the outcomes in order. To be called after every run: a host may delete its transcripts.
    """
    key = world.refresh().key
    ledger = open_ledger(world.places.state / key)
    try:
        drain_spool(world.spool, key, ledger, lambda _: world.snapshot(), lambda _: False)
        entries = entries_of(world, host)
        sessions: dict[str, list[InjectionRecord]] = {}
        for injection in ledger.injections():
            sessions.setdefault(injection.session.partition(":")[2], []).append(injection)
        found: list[Delivery] = []
        for session, injections in sessions.items():
            own = [entry for entry in entries if session[:13] in entry.span.path.name]
            own = own or [entry for entry in entries if session[:8] in entry.span.path.name]
            found += deliveries(injections, own, ledger.receipts())
        settle(ledger, found, world.now)
        return [one.outcome for one in found]
    finally:
        ledger.close()


@pytest.mark.parametrize("host", HOSTS)
def test_wire_equals_preview_and_the_receipt_says_so(tmp_path: Path, host: str) -> None:
    for seed in range(BANKS):
        world = real_world(tmp_path / f"{host}-{seed}")
        generated(world, seed)
        install(world, host)
        preview = world.preview(host)
        run = run_client(world, host, PROMPT, [{"say": "That is all."}])
        assert run.done.returncode == 0, run.done.stderr
        assert run.requests, run.done.stderr
        texts = blocks(run)
        if not preview.text:
            assert texts == []
            continue
        (text,) = texts
        expected = wrapped(host, preview.text)
        assert expected in text if host == "claude-code" else text == expected
        assert text.count(TAG) == 2
        assert settled(world, host) == [Outcome.DELIVERED]


@pytest.mark.parametrize("host", HOSTS)
def test_a_resume_sends_only_what_is_new(tmp_path: Path, host: str) -> None:
    world = real_world(tmp_path)
    make_world(world, {"aaaaaa": card("aaaaaa", "The first fact")}, ("aaaaaa",))
    install(world, host)
    run_client(world, host, PROMPT, [{"say": "One."}])
    again = run_client(world, host, PROMPT, [{"say": "Two."}], resume=True)
    assert sum(text.count("The first fact") for text in blocks(again)) == 1
    path = world.bank / "cards" / "card-bbbbbb.md"
    path.write_text(card("bbbbbb", "The second fact"))
    world.refresh()
    third = run_client(world, host, PROMPT, [{"say": "Three."}], resume=True)
    assert sum(text.count("The first fact") for text in blocks(third)) == 1
    assert sum(text.count("The second fact") for text in blocks(third)) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_injected_text_is_not_captured_over_ten_chained_sessions(tmp_path: Path, host: str) -> None:
    world = generated(real_world(tmp_path), seed=7, size=12)
    assert isinstance(world, RealWorld)
    install(world, host)
    text = world.preview(host).text
    (world.project / "echoed.txt").write_text(text)
    for number in range(10):
        run = run_client(
            world, host, PROMPT, turns(host, "cat echoed.txt; sleep 1"), resume=number % 3 == 2
        )
        assert run.done.returncode == 0, run.done.stderr
        outcomes = settled(world, host)
        assert set(outcomes) <= {Outcome.DELIVERED, Outcome.NOTHING}, (number, outcomes)
    captured = [record for record in world.records() if record["event"] != "session-start"]
    assert len([record for record in captured if record["event"] == "prompt"]) == 10
    assert TAG not in json.dumps(captured)
    typed = [entry for entry in entries_of(world, host) if entry.kind is Kind.PROMPT]
    assert typed
    assert not [entry for entry in typed if TAG in entry.text]


@pytest.mark.parametrize("host", HOSTS)
def test_after_uninstalling_the_client_gets_nothing(tmp_path: Path, host: str) -> None:
    world = generated(real_world(tmp_path), seed=5, size=5)
    assert isinstance(world, RealWorld)
    install(world, host)
    apply(plan_uninstall(Target(host, world.home, world.places.state)))
    run = run_client(world, host, PROMPT, [{"say": "One."}])
    assert run.done.returncode == 0, run.done.stderr
    assert blocks(run) == []
    assert world.records() == []
