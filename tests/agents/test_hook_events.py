"""The other hooks: one valid, bounded, clean file for each prompt, tool call and end of a session."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui.agents import faults as fault_log
from memtui.agents.outputs import HOSTS
from memtui.capture import spool
from memtui.capture.shape import faults_of
from memtui.safety.fence import TAG
from tests.agents.banks import World, faults, generated, run_hook

SCHEMA = json.loads(
    (Path(spool.__file__).parent / "schema" / "spool.schema.json").read_text(encoding="utf-8")
)
START = "session-start"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return generated(tmp_path, seed=3)


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    return done.returncode == 0 and done.stdout == b"" and done.stderr == b""


EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("prompt", {"prompt": "please look"}),
    ("pre-tool", {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}),
    (
        "post-tool",
        {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "x"}},
    ),
    ("session-end", {"reason": "exit"}),
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("event", "payload"), EVENTS)
def test_other_events_leave_one_valid_file(
    world: World, host: str, event: str, payload: dict[str, Any]
) -> None:
    assert quiet(run_hook(world, event, payload, host))
    (record,) = world.records(event)
    assert faults_of(record, SCHEMA) == []
    assert record["host"] == host
    assert record["bank"] == world.refresh().key


SECRET = "ghp_" + "a1B2" * 10
HUGE = "x" * 3_000_000


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("prompt", {"prompt": f"use {SECRET} please"}),
        ("prompt", {"prompt": HUGE + SECRET}),
        (
            "post-tool",
            {"tool_name": "Bash", "tool_input": {"command": f"curl -H 'token: {SECRET}'"}},
        ),
        (
            "post-tool",
            {"tool_name": "Bash", "tool_response": {"stdout": [SECRET, {"deep": SECRET}]}},
        ),
        ("post-tool", {"tool_name": "Read", "tool_response": f"{SECRET}\n" * 2000}),
        ("post-tool", {"tool_name": "Read", "tool_response": HUGE}),
        ("pre-tool", {"tool_name": "n" * 5000, "tool_input": HUGE}),
    ],
    ids=["prompt", "huge prompt", "input", "nested", "many", "huge response", "huge input"],
)
def test_records_are_bounded_and_hold_no_secret(
    world: World, event: str, payload: dict[str, Any]
) -> None:
    assert quiet(run_hook(world, event, payload))
    (record,) = world.records(event)
    text = json.dumps(record)
    assert faults_of(record, SCHEMA) == []
    assert len(text) < 16_000
    assert SECRET not in text


@pytest.mark.parametrize(
    "around",
    ids=["alone", "between", "twice", "in a long text", "in hook context"],
    argvalues=[
        "{}",
        "before {} after",
        "{0} and {0}",
        "x" * 70_000 + "{}" + "y" * 70_000,
        "<hook_context>{}</hook_context>",
    ],
)
def test_injected_text_is_not_captured(world: World, around: str) -> None:
    text = world.preview().text
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    for number, block in enumerate((text, escaped)):
        said = around.format(block)
        session = {"session_id": f"s{number}"}
        run_hook(world, "prompt", {"prompt": said, **session})
        run_hook(world, "post-tool", {"tool_name": "Read", "tool_response": said, **session})
    for record in world.records():
        assert TAG not in json.dumps(record)
        assert "quoted as data" not in json.dumps(record)


def test_a_full_spool_loses_its_oldest_events_first(world: World) -> None:
    run_hook(world, START)
    folder = world.spool
    (start,) = world.records()
    for number in range(spool.MAX_FILES + 20):
        record = {**start, "id": f"{number:019d}-1", "event": "pre-tool"}
        (folder / f"{number:019d}-1.aaaaaaaa.bbbbbbbb.pre-tool.json").write_text(json.dumps(record))
    run_hook(world, "session-end")
    assert len(list(folder.glob("*.json"))) == spool.MAX_FILES
    assert len(world.records(START)) == 1
    assert "spool was full" in faults(world)[-1]


def test_the_fault_log_stays_small(tmp_path: Path) -> None:
    for number in range(2000):
        assert fault_log.note(str(tmp_path), "prompt", "codex", f"fault {number} " + "x" * 400)
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) <= fault_log.LIMIT + 1000
    assert fault_log.read(str(tmp_path))[0]["what"].startswith("fault 1999 ")
