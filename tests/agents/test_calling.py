"""The session of a call: named with it, in the environment, or the one that began last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.calling import Hooks, Sessions
from memtui.agents.receipts import drain_spool
from memtui.ledger.access import open_ledger
from memtui.ledger.store import Ledger
from tests.agents.banks import World, card, make_world, run_hook

CODEX: Mapping[str, Any] = {
    "callId": "call_1", "sessionId": "01a2-s", "x-codex-turn-metadata": {"session_id": "01a2-s"},
}  # fmt: skip
CLAUDE: Mapping[str, Any] = {"claudecode/toolUseId": "toolu_1", "progressToken": 2}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path, {"aaaaaa": card("aaaaaa", "A fact")}, ("aaaaaa",))


@pytest.fixture
def ledger(world: World) -> Iterator[Ledger]:
    found = open_ledger(Path(world.refresh().state))
    yield found
    found.close()


def sessions(world: World, ledger: Ledger, host: str, given: str = "", **environ: str) -> Sessions:
    return Sessions(host, given, environ, Hooks(world.spool, world.refresh().key, ledger))


def test_codex_names_it_in_each_call(world: World, ledger: Ledger) -> None:
    assert sessions(world, ledger, "codex").of(CODEX) == "codex:01a2-s"


def test_claude_code_names_it_to_the_server(world: World, ledger: Ledger) -> None:
    told = {"CLAUDE_CODE_SESSION_ID": "1b2d"}
    assert sessions(world, ledger, "claude-code", **told).of(CLAUDE) == "claude-code:1b2d"
    # A host that was started from within Claude Code inherits the variable, and is another.
    assert sessions(world, ledger, "codex", **told).of({}) == ""


def test_what_the_command_line_says_holds(world: World, ledger: Ledger) -> None:
    assert sessions(world, ledger, "claude-code", "claude-code:x").of(CLAUDE) == "claude-code:x"


def test_else_it_is_the_one_that_began_last(world: World, ledger: Ledger) -> None:
    told = sessions(world, ledger, "gemini-cli")
    assert told.of({}) == ""
    run_hook(world, "session-start", {"source": "startup", "session_id": "g1"}, "gemini-cli")
    run_hook(world, "session-start", {"source": "startup", "session_id": "c1"}, "codex")
    assert told.of({}) == "gemini-cli:g1"
    drain_spool(world.spool, world.refresh().key, ledger, lambda _: None, lambda _: False)
    assert told.of({}) == "gemini-cli:g1"
    run_hook(world, "session-start", {"source": "clear", "session_id": "g2"}, "gemini-cli")
    assert told.of({}) == "gemini-cli:g2"


@pytest.mark.parametrize("value", [None, 7, "", " \x1b", ["s"]])
def test_what_is_no_name_is_not_taken(world: World, ledger: Ledger, value: Any) -> None:
    assert sessions(world, ledger, "codex").of({"sessionId": value}) == ""


def test_a_name_cannot_carry_more_than_a_name(world: World, ledger: Ledger) -> None:
    found = sessions(world, ledger, "codex").of({"sessionId": "a\x1b[2J\n" + "b" * 1000})
    assert found.startswith("codex:a")
    assert "\x1b" not in found
    assert "\n" not in found
    assert len(found) < 250
