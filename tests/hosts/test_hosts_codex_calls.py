"""Codex tool calls and their outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memtui.hosts.model import Kind
from tests.hosts.host_fixtures import (
    entries,
    event,
    feed,
    item,
    meta,
)

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"


def codex(*records: Any) -> Any:
    return feed("codex", *records)


def call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call", name=name, arguments=arguments, call_id=call_id)


def output(value: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=value)


def completed(kind: str, **fields: Any) -> dict[str, Any]:
    return event("item_completed", item={"type": kind, **fields})


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("exec_command", '{"cmd":"rg --files","workdir":"/tmp"}', "rg --files"),
        ("shell", '{"command":["bash","-lc","ls | wc"]}', "ls | wc"),
        ("shell", '{"command":["rg","-n","a b"]}', "rg -n 'a b'"),
        ("shell_command", {"command": "make"}, "make"),
        ("write_stdin", {"chars": "yes\n"}, "yes\n"),
        ("update_plan", '{"plan":[{"step":"a","status":"in_progress"}]}', "[~] a"),
        ("spawn_agent", '{"agent_type":"explorer","message":"look"}', "explorer: look"),
        ("novel", "not json", '{"input": "not json"}'),
        ("novel", '"text"', '{"input": "\\"text\\""}'),
        ("novel", None, ""),
    ],
)
def test_call_reads_like_a_command(name: str, arguments: Any, shown: str) -> None:
    found = entries(codex(meta(), call(name, arguments)))
    assert [(e.kind, e.tool, e.text, e.call) for e in found] == [(Kind.CALL, name, shown, "c1")]


@pytest.mark.parametrize(
    "record",
    [
        item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1"),
        call("apply_patch", json.dumps({"input": PATCH})),
        call("apply_patch", {"patch": PATCH}),
        call("shell", json.dumps({"command": ["apply_patch", PATCH]})),
        call("exec_command", json.dumps({"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"})),
    ],
)
def test_patch_has_a_diff_and_paths(record: dict[str, Any]) -> None:
    found = entries(codex(meta(), record))[0]
    assert found.text == "a.py, b.py"
    assert found.paths == ("a.py", "b.py")
    assert found.diff == "--- a.py\n+++ a.py\n@@ def f\n-x\n+y\n--- /dev/null\n+++ b.py\n@@\n+z"


def test_calls_of_other_shapes() -> None:
    events = codex(
        meta(),
        item(
            "local_shell_call",
            call_id="c1",
            action={"type": "exec", "command": ["bash", "-lc", "id"]},
        ),
        item("web_search_call", id="w1", action={"type": "search", "query": "q"}),
    )
    assert [(e.tool, e.text, e.call) for e in entries(events)] == [
        ("local_shell", "id", "c1"),
        ("web_search", "q", "w1"),
    ]


@pytest.mark.parametrize(
    ("value", "shown", "code", "failed"),
    [
        (
            "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nfine",
            "fine",
            0,
            False,
        ),
        (
            "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 128\nOutput:\nno",
            "no",
            128,
            True,
        ),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nbad", "bad", 1, True),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.0}}', "x", 1, True),
        ('{"output":"x","metadata":{"exit_code":0}}', "x", 0, False),
        ({"content": "x", "success": False}, "x", None, True),
        ({"matches": ["é"]}, '{"matches": ["é"]}', None, False),
        ([{"type": "input_text", "text": "x"}], "x", None, False),
        ("execution error: No such file", "execution error: No such file", None, True),
        ("Process exited with code 3 is what it printed", None, None, False),
        (None, "", None, False),
    ],
)
def test_output_of_any_shape(value: Any, shown: str | None, code: int | None, failed: bool) -> None:
    found = entries(codex(meta(), call("exec_command", '{"cmd":"x"}'), output(value)), Kind.RESULT)
    assert [(e.exit_code, e.is_error, e.tool) for e in found] == [(code, failed, "exec_command")]
    assert shown is None or found[0].text == shown


def test_events_tell_how_a_patch_ended_before_its_output() -> None:
    changes = {
        "/w/a": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": None}
    }
    patch = item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    done = item("custom_tool_call_output", call_id="c1", output="Done")
    for told_by in (
        event("patch_apply_end", call_id="c1", success=False, changes=changes),
        completed("FileChange", id="c1", status="failed", changes=changes),
    ):
        result = entries(codex(meta(), patch, told_by, done), Kind.RESULT)[0]
        assert result.is_error
        assert (result.diff, result.paths) == ("--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y", ("/w/a",))


def test_command_that_only_an_item_tells_of() -> None:
    command = completed(
        "CommandExecution",
        id="c9",
        command=["/bin/bash", "-lc", "false"],
        aggregated_output="",
        exit_code=1,
    )
    found = entries(codex(meta(), command))
    assert [(e.kind, e.text, e.exit_code, e.is_error) for e in found] == [
        (Kind.CALL, "false", None, False),
        (Kind.RESULT, "", 1, True),
    ]


def test_command_told_twice_is_one_result() -> None:
    command = completed("CommandExecution", id="c1", command=["bash", "-lc", "x"], exit_code=2)
    found = entries(codex(meta(), call("exec_command", '{"cmd":"x"}'), command, output("boom")))
    assert [(e.kind, e.exit_code) for e in found] == [(Kind.CALL, None), (Kind.RESULT, 2)]


def test_spawned_agent_is_announced_once() -> None:
    events = codex(
        meta(),
        call("spawn_agent", '{"message":"look"}'),
        event("collab_agent_spawn_end", call_id="c1", new_thread_id="t9", prompt="look"),
        output('{"agent_id":"t9","nickname":"Sartre"}'),
    )
    assert [(e.agent, e.call) for e in entries(events, Kind.SUBAGENT)] == [("t9", "c1")]
