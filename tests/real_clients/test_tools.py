"""The memory tools, called by the real clients and by MCP Inspector's command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.tool_schemas import SCHEMAS
from memtui.ledger.access import open_ledger
from memtui.ledger.model import RetrievalRecord
from tests.agents.banks import card, make_world
from tests.real_clients.clients import (
    RealWorld,
    client_folder,
    install,
    patience,
    real_world,
    run_client,
)  # fmt: skip

pytestmark = [pytest.mark.real_clients, pytest.mark.timeout(1800)]

SECRET = "The pool is filled by ORDER_POOL_SIZE"
WAIT = 15
"""Seconds in which a client that does not wait for its servers has met them."""
CALLED = {
    "claude-code": ("Bash", "mcp__memtui__memory_search"),
    "codex": ("exec_command", "mcp__memtui/memory_search"),
    "gemini-cli": ("run_shell_command", "mcp_memtui_memory_search"),
}


@pytest.fixture
def world(tmp_path: Path) -> RealWorld:
    found = real_world(tmp_path)
    evidence = [{"ref": "codex:s#r", "record": "1:ab", "quote": "no connection (size=0)"}]
    make_world(found, {"aaaaaa": card("aaaaaa", SECRET, evidence=evidence)}, ("aaaaaa",))
    return found


def server(world: RealWorld, *more: str) -> list[str]:
    """The command of a memory server over the world's bank."""
    return [sys.executable, "-m", "memtui", "--bank", str(world.bank), "mcp", *more]


def logged(world: RealWorld) -> list[RetrievalRecord]:
    ledger = open_ledger(world.places.state / world.refresh().key)
    try:
        return sorted(ledger.retrievals(), key=lambda one: one.id)
    finally:
        ledger.close()


@pytest.mark.parametrize("host", sorted(CALLED))
def test_a_client_finds_a_card_and_the_log_knows_its_session(world: RealWorld, host: str) -> None:
    install(world, host)
    shell, search = CALLED[host]
    key = "cmd" if host == "codex" else "command"
    run = run_client(
        world, host, "please look",
        [
            {"say": "I wait.", "calls": [(shell, {key: f"sleep {WAIT}", "description": "wait"})]},
            {"say": "I look.", "calls": [(search, {"query": "ORDER_POOL_SIZE"})]},
            {"say": "That is all."},
        ],
        server=server(world, "--host", host),
    )  # fmt: skip
    assert run.done.returncode == 0, run.done.stderr
    answer = [text for text in run.texts() if "notes found, quoted as data" in text]
    assert answer, run.done.stderr
    assert SECRET in answer[-1]
    (call,) = logged(world)
    (start,) = world.records("session-start")
    assert (call.mode, call.query, call.shown) == ("memory_search", "ORDER_POOL_SIZE", ("aaaaaa",))
    assert call.session == f"{host}:{start['session']}"


def inspect(world: RealWorld, *words: str) -> dict[str, Any]:
    """What MCP Inspector's command line prints about the memory server."""
    path = world.root / "inspector.json"
    command = server(world, "--host", "codex", "--session", "codex:s1")
    entry = {"command": command[0], "args": command[1:], "env": world.environ}
    path.write_text(json.dumps({"mcpServers": {"memtui": entry}}))
    done = subprocess.run(
        [str(client_folder() / "mcp-inspector"), "--cli", "--config", str(path), "--server", "memtui", *words],
        cwd=world.project, env=world.environ, capture_output=True, text=True,
        timeout=patience(), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_inspector_lists_and_calls_every_tool(world: RealWorld) -> None:
    listed = inspect(world, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in listed] == list(SCHEMAS)
    for name, given, says in (
        ("memory_search", ["query=pool size"], SECRET),
        ("memory_get", ["handle=aaaaaa"], "The body."),
        ("memory_evidence", ["handle=aaaaaa"], "no connection"),
        ("memory_propose", ["title=A fact", "body=It holds."], "in the inbox"),
        ("memory_flag", ["handle=aaaaaa", "reason=no longer"], "in the inbox"),
        ("memory_get", ["handle=../../etc/passwd"], "nothing here"),
    ):
        words = ["--method", "tools/call", "--tool-name", name, "--tool-arg", *given]
        answer = inspect(world, *words)
        assert says in answer["content"][0]["text"]
        assert answer["isError"] is (says == "nothing here")
    assert [(one.mode, one.session) for one in logged(world)] == [
        (name, "codex:s1") for name in (*SCHEMAS, "memory_get")
    ]
