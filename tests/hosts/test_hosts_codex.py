"""Codex rollouts of every era: what each line becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.model import Kind, Tokens
from memtui.hosts.read import without_rolled_back
from tests.hosts.host_fixtures import (
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


def codex(*records: Any) -> Any:
    return feed("codex", *records)


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
