"""Codex rollouts of every era: what each line becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_fixtures import (
    codex_source,
    entries,
    event,
    feed,
    item,
    lines,
    message,
    meta,
    parse,
    skipped,
    texts,
    title,
    told,
)

from memtui.hosts.model import Kind, Tokens
from memtui.hosts.read import without_rolled_back

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"


def codex(*records: Any) -> Any:
    return feed("codex", *records)


def call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call", name=name, arguments=arguments, call_id=call_id)


def output(value: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=value)


def completed(kind: str, **fields: Any) -> dict[str, Any]:
    return event("item_completed", item={"type": kind, **fields})


def test_a_text_told_by_several_families_is_one_entry() -> None:
    asked, said = message("user", "do\nit"), message("assistant", "done", id="msg_1")
    events = codex(
        meta(),
        event("user_message", message="do it"),
        asked,
        completed("UserMessage", content=[{"type": "text", "text": "do it"}]),
        event("agent_reasoning", text="hm"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="x"),
        completed("AgentMessage", id="msg_1", content=[{"type": "Text", "text": "done"}]),
        said,
        event("agent_message", message="done"),
    )
    assert [(e.kind, e.text) for e in entries(events)] == [
        (Kind.PROMPT, "do it"),
        (Kind.THINKING, "hm"),
        (Kind.ANSWER, "done"),
    ]


def test_equal_prompts_stay_two() -> None:
    pair = [message("user", "continue"), event("user_message", message="continue")]
    assert texts(codex(meta(), *pair, *pair), Kind.PROMPT) == ["continue", "continue"]


@pytest.mark.parametrize("family", ["response", "event", "item"])
def test_each_family_alone_is_enough(family: str) -> None:
    rows = {
        "response": [message("user", "ask"), message("assistant", "say")],
        "event": [event("user_message", message="ask"), event("agent_message", message="say")],
        "item": [
            completed("UserMessage", content=[{"type": "text", "text": "ask"}]),
            completed("AgentMessage", content=[{"type": "Text", "text": "say"}]),
        ],
    }[family]
    assert texts(codex(meta(), *rows)) == ["ask", "say"]


def test_texts_of_the_host_are_no_prompts() -> None:
    kinds = ["agents_md.instructions", "environments.environment_context"]
    passed = {"content_item_kinds": kinds}
    environment = "<environment_context>\n  <cwd>/w/two</cwd>\n</environment_context>"
    events = codex(
        meta(),
        message("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x", environment),
        message("user", "an unmarked text", "y", internal_chat_message_metadata_passthrough=passed),
        message("user", "<user_instructions>\n\nx</user_instructions>"),
        message("developer", "<permissions instructions>x"),
        message("user", "real"),
    )
    assert texts(events, Kind.PROMPT) == ["real"]
    assert len(entries(events, Kind.NOTICE)) == 5
    assert told(events, "cwd") == ["/w/shop", "/w/two"]


def test_request_inside_editor_context() -> None:
    sent = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nfix a.py\n"
    events = codex(meta(), message("user", sent), event("user_message", message=sent))
    assert texts(events, Kind.PROMPT) == ["fix a.py"]
    assert title(events) == "fix a.py"


def test_images_are_named_and_their_tags_are_not_text() -> None:
    content = [
        {"type": "input_text", "text": "<image name=a.png>"},
        {"type": "input_image", "image_url": "data:"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "what is this"},
    ]
    assert texts(codex(meta(), item("message", role="user", content=content))) == [
        "[image]\nwhat is this"
    ]


def test_hook_text_is_an_injection_to_the_letter() -> None:
    passed = {"content_item_kinds": ["hooks.additional_context"]}
    marked = message(
        "developer", "<memory>\u2028x</memory>", internal_chat_message_metadata_passthrough=passed
    )
    events = codex(meta(), marked, message("developer", "plain text of a hook"))
    assert texts(events, Kind.INJECTION) == ["<memory>\u2028x</memory>", "plain text of a hook"]


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


def test_tokens_count_once_per_request() -> None:
    usage = {"input_tokens": 4200, "cached_input_tokens": 3600, "output_tokens": 180}
    count = event("token_count", info={"last_token_usage": usage, "total_token_usage": usage})
    assert [e.tokens for e in entries(codex(meta(), count, count))] == [Tokens(4200, 180, 3600)]
    assert entries(codex(meta(), event("token_count", info=None))) == []


def test_compaction_told_twice_is_one() -> None:
    compacted = {
        "timestamp": "2026-06-17T10:07:00Z",
        "type": "compacted",
        "payload": {"message": "so far"},
    }
    events = codex(meta(), compacted, event("context_compacted"))
    assert texts(events, Kind.COMPACTION) == ["so far"]


def test_rolled_back_turns_can_be_left_out() -> None:
    turns = [r for n in "abc" for r in (message("user", n), message("assistant", n.upper()))]
    found = entries(
        codex(meta(), *turns, event("thread_rolled_back", num_turns=2), message("user", "d"))
    )
    kept = without_rolled_back(found)
    assert [e.text for e in kept] == ["a", "A", "Rolled back 2 turns", "d"]


def test_errors_and_aborts_are_notices() -> None:
    events = codex(
        meta(), event("error", message="usage limit"), event("turn_aborted", reason="interrupted")
    )
    assert [(e.text, e.is_error) for e in entries(events, Kind.NOTICE)] == [
        ("usage limit", True),
        ("Turn aborted (interrupted)", False),
    ]


def test_spawned_agent_is_announced_once() -> None:
    events = codex(
        meta(),
        call("spawn_agent", '{"message":"look"}'),
        event("collab_agent_spawn_end", call_id="c1", new_thread_id="t9", prompt="look"),
        output('{"agent_id":"t9","nickname":"Sartre"}'),
    )
    assert [(e.agent, e.call) for e in entries(events, Kind.SUBAGENT)] == [("t9", "c1")]


def test_session_is_told_by_its_first_line() -> None:
    git = {"branch": "main", "repository_url": "git@x:y.git"}
    turn = {
        "timestamp": "2026-06-17T10:07:00Z",
        "type": "turn_context",
        "payload": {"model": "m", "cwd": "/w/b"},
    }
    events = codex(meta(git=git, forked_from_id="p"), turn, message("assistant", "x"))
    for name, values in {
        "branch": ["main"],
        "remote": ["git@x:y.git"],
        "version": ["0.171.0"],
        "model": ["m"],
        "cwd": ["/w/shop", "/w/b"],
        "parent": ["p"],
    }.items():
        assert told(events, name) == values
    assert entries(events)[0].model == "m"


def test_records_are_named_by_line_and_time() -> None:
    found = entries(codex(meta(), message("user", "x")))
    assert found[0].record == "1@2026-06-17T10:07:00.000Z"


def test_bare_items_without_an_envelope() -> None:
    first = {
        "id": "5ef9",
        "timestamp": "2025-08-26T23:04:09.960Z",
        "instructions": None,
        "git": {"branch": "b"},
    }
    events = codex(
        first,
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "search"}]},
        {
            "type": "function_call",
            "name": "shell",
            "arguments": '{"command":["which","rg"]}',
            "call_id": "c1",
        },
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": '{"output":"","metadata":{"exit_code":1}}',
        },
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
    )
    assert [e.kind for e in entries(events)] == [Kind.PROMPT, Kind.CALL, Kind.RESULT, Kind.THINKING]
    assert entries(events)[0].record == "2"
    assert told(events, "session")[0] == "5ef9"
    assert skipped(events) == []


def test_single_json_document(tmp_path: Path) -> None:
    document = {
        "session": {"timestamp": "2025-08-23T11:10:29.513Z", "id": "ecd4", "instructions": ""},
        "items": [
            {"role": "user", "content": [{"type": "text", "text": "why"}]},
            {
                "role": "assistant",
                "content": "",
                "reasoning": "hm",
                "tool_calls": [
                    {"id": "c1", "function": {"name": "shell", "arguments": '{"command":["ls"]}'}}
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "c1",
                "content": '{"output":"a","metadata":{"exit_code":2}}',
            },
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "because"}],
            },
        ],
    }
    source = codex_source(tmp_path / "rollout-x.json", json.dumps(document, indent=2).encode())
    found = entries(parse(source))
    assert [(e.kind, e.text, e.record) for e in found] == [
        (Kind.PROMPT, "why", "0"),
        (Kind.THINKING, "hm", "1"),
        (Kind.CALL, "ls", "1"),
        (Kind.RESULT, "a", "2"),
        (Kind.ANSWER, "because", "3"),
    ]
    assert found[3].exit_code == 2


def test_title_that_a_person_gave(tmp_path: Path) -> None:
    from memtui.hosts.model import HostHome
    from memtui.hosts.registry import host

    thread = "019ed50c-2fb3-7002-a384-360bea6e7f04"
    folder = tmp_path / ".codex/sessions"
    folder.mkdir(parents=True)
    (folder / f"rollout-2026-06-17T10-06-46-{thread}.jsonl").write_bytes(
        lines([meta(thread), message("user", "x")])
    )
    index = [{"id": thread, "thread_name": "Old"}, {"id": thread, "thread_name": "Named"}]
    (tmp_path / ".codex/session_index.jsonl").write_bytes(lines(index))
    (source,) = host("codex").discover(HostHome(tmp_path))
    assert source.title == "Named"
    assert title(parse(source)) == "Named"
    renamed = event("thread_name_updated", thread_name="Newer")
    assert title(codex(meta(thread), renamed)) == "Newer"
