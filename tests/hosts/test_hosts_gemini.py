"""Gemini CLI: both formats, messages written again, and what a person can tell from them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.digest import record_digest
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.read import parse_file, read_record, without_rolled_back
from memtui.hosts.registry import host, sniff_file
from tests.hosts.host_fixtures import entries, feed, lines, skipped, texts, title, told

HEADER = {
    "sessionId": "738c6e61-0000-4000-8000-000000000001",
    "projectHash": "966d",
    "startTime": "2026-11-05T11:20:19.747Z",
    "lastUpdated": "2026-11-05T11:20:19.747Z",
    "kind": "main",
}
TOKENS = {"input": 120, "output": 9, "cached": 20, "thoughts": 3, "tool": 0, "total": 132}


def said(kind: str, record: str, content: Any = "", **fields: Any) -> dict[str, Any]:
    at = "2026-11-05T11:20:31.156Z"
    return {"id": record, "timestamp": at, "type": kind, "content": content, **fields}


def tool(name: str, args: Any, call: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"id": call, "name": name, "args": args, **fields}


def answered(text: str, key: str = "output", call: str = "c1", **fields: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": call, "name": "x", "response": {key: text}}}
    return {"result": [response], "status": "success", **fields}


RUN = tool("run_shell_command", {"command": "make test", "description": "Run"})
CHAT: list[dict[str, Any]] = [
    HEADER,
    {"$set": {"messages": [said("user", "s0", [{"text": "<session_context>\nThis is the Gemini"}])]}},
    said("user", "u1", [{"text": "<hook_context>block &lt;1&gt;</hook_context>\n\nfix the pool"}]),
    said("gemini", "g1", "I look.", thoughts=[{"subject": "Plan", "description": "look"}], model="m"),
    said("gemini", "g1", "I look.", toolCalls=[RUN], tokens=TOKENS, model="m"),
    said("gemini", "g1", "I look.", tokens=TOKENS, model="m",
         toolCalls=[{**RUN, **answered("boom\nExit Code: 2")}]),
    said("user", "u2", [answered("boom")["result"][0]]),
    said("gemini", "g2", "", tokens=TOKENS),
    said("info", "i1", "Request cancelled."),
    said("error", "e1", "quota"),
    said("gemini", "g3", [{"text": "Done."}], tokens=TOKENS),
]  # fmt: skip


def document(*messages: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({**HEADER, **fields, "messages": list(messages)}, indent=2).encode()


def chat_file(
    tmp_path: Path, data: bytes, name: str = "session-2026-11-05T11-20-738c6e61.jsonl"
) -> Path:
    path = tmp_path / ".gemini/tmp/shop/chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def source(path: Path) -> SourceFile:
    return SourceFile("gemini-cli", path)


def test_one_conversation_from_lines_that_repeat_themselves() -> None:
    events = feed("gemini-cli", *CHAT)
    assert texts(events, Kind.PROMPT) == ["fix the pool"]
    assert texts(events, Kind.INJECTION) == ["<hook_context>block &lt;1&gt;</hook_context>"]
    assert texts(events, Kind.THINKING) == ["Plan: look"]
    assert texts(events, Kind.ANSWER) == ["I look.", "Done."]
    assert texts(events, Kind.CALL) == ["make test"]
    (result,) = entries(events, Kind.RESULT)
    assert (result.call, result.exit_code, result.is_error) == ("c1", 2, True)
    assert [e.tokens.input for e in entries(events) if e.tokens] == [120, 120, 120]
    assert [e.is_error for e in entries(events, Kind.NOTICE) if e.text][-2:] == [False, True]
    assert title(events) == "fix the pool"
    assert told(events, "session")[0] == HEADER["sessionId"]
    assert skipped(events) == []


def test_both_formats_tell_the_same(tmp_path: Path) -> None:
    messages = [said("user", "u1", "fix it"), CHAT[5], CHAT[9], CHAT[10]]
    old = chat_file(tmp_path, document(*messages), "session-2026-11-05T11-20-738c6e61.json")
    new = chat_file(tmp_path, lines([HEADER, *messages]))

    def summary(path: Path) -> set[tuple[str, str, str, str | None]]:
        found = entries(parse_file(source(path)))
        return {(e.kind, e.text, e.record, e.call) for e in found if e.text}

    assert summary(old) == summary(new)
    assert len(summary(old)) == 6


@pytest.mark.parametrize("name", ["session-a.json", "session-a.jsonl"])
def test_records_are_read_back_and_keep_their_digest(tmp_path: Path, name: str) -> None:
    messages = [said("user", "u1", "fix it"), CHAT[5], CHAT[10]]
    whole = document(*messages) if name.endswith(".json") else lines([HEADER, *messages])
    path = chat_file(tmp_path, whole, name)
    for entry in entries(parse_file(source(path))):
        data, found = read_record(source(path), entry.span)
        assert (entry.record, entry.part, entry.kind) in {(e.record, e.part, e.kind) for e in found}
        assert record_digest("gemini-cli", json.loads(data)).startswith("1:")
    grown = {**CHAT[4], "tokens": {**TOKENS, "input": 999}}
    assert record_digest("gemini-cli", CHAT[5]) == record_digest("gemini-cli", grown)
    assert record_digest("gemini-cli", CHAT[5]) != record_digest("gemini-cli", CHAT[3])


def test_project_is_told_by_the_marker_the_list_or_the_hash(tmp_path: Path) -> None:
    path = chat_file(tmp_path, lines(CHAT))
    assert told(parse_file(source(path)), "cwd") == []
    projects = {"projects": {"/w/other": "elsewhere", "/w/shop": "shop"}}
    (tmp_path / ".gemini/projects.json").write_text(json.dumps(projects))
    assert told(parse_file(source(path)), "cwd") == ["/w/shop"]
    (path.parent.parent / ".project_root").write_text("/w/marked\n")
    assert told(parse_file(source(path)), "cwd") == ["/w/marked"]
    hashed = path.parent.parent.with_name(sha256(b"/w/shop").hexdigest()) / "chats" / path.name
    hashed.parent.mkdir(parents=True)
    hashed.write_bytes(lines(CHAT))
    assert told(parse_file(source(hashed)), "cwd") == ["/w/shop"]


def test_chats_and_sub_agents_are_found_newest_format_first(tmp_path: Path) -> None:
    chat_file(tmp_path, document(), "session-a.json")
    chat_file(tmp_path, lines(CHAT), "session-a.jsonl")
    chat_file(tmp_path, document(), "session-b.json")
    chat_file(tmp_path, lines([{**HEADER, "kind": "subagent"}]), "738c6e61-parent/sub-1.jsonl")
    chat_file(tmp_path, b"{}", "../logs.json")
    found = list(host("gemini-cli").discover(HostHome(tmp_path)))
    assert sorted((s.path.name, s.parent, s.agent) for s in found) == [
        ("session-a.jsonl", None, None),
        ("session-b.json", None, None),
        ("sub-1.jsonl", "738c6e61-parent", "sub-1"),
    ]
    (sub,) = [s for s in found if s.agent]
    assert told(parse_file(sub), "parent") == ["738c6e61-parent"]


def test_15_first_turn_is_not_all_there_is() -> None:
    """skillsynchq and others: a `$set` after a bare row holds the whole conversation."""
    rows = [HEADER, said("user", "u1", "one"),
            {"$set": {"messages": [said("user", "u1", "one"), said("gemini", "g1", "two")]}},
            said("user", "u3", "three")]  # fmt: skip
    assert texts(feed("gemini-cli", *rows)) == ["one", "two", "three"]


def test_a_resumed_chat_that_tells_its_past_in_another_shape_tells_nothing_twice() -> None:
    past = [said("user", "u1", [{"text": "fix the pool"}]),
            said("gemini", "g1", [{"text": "**Plan** look"}, {"functionCall": {"name": "x"}}]),
            said("user", "g1", [answered("boom")["result"][0]])]  # fmt: skip
    again = feed("gemini-cli", *CHAT, HEADER, {"$set": {"messages": past}})
    assert again == feed("gemini-cli", *CHAT)


def test_what_was_rewound_is_shown_and_known_as_forgotten() -> None:
    rows = [*CHAT, {"$rewindTo": "g2"}, said("user", "u9", "other way")]
    found = entries(feed("gemini-cli", *rows))
    assert "Done." in [e.text for e in found]
    kept = [e.text for e in without_rolled_back(found) if e.kind in (Kind.PROMPT, Kind.ANSWER)]
    assert kept == ["fix the pool", "I look.", "other way"]
    to_prompt = entries(feed("gemini-cli", *CHAT, {"$rewindTo": "u1"}))
    assert [e.tool for e in without_rolled_back(to_prompt) if e.kind is Kind.NOTICE][
        -1
    ] == "rewound"
    assert not [e for e in without_rolled_back(to_prompt) if e.kind is Kind.ANSWER]


def test_failed_and_cancelled_calls(tmp_path: Path) -> None:
    rows = [said("gemini", "g1", toolCalls=[
        tool("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "c1",
             **answered("no match", "error") | {"status": "error"}),
        tool("write_file", {"file_path": "b.py", "content": "z"}, "c2", status="cancelled"),
        tool("read_file", {"file_path": "c.py"}, "c3", **answered("text", call="c3"),
             resultDisplay={"fileDiff": "Index: c.py\n====\n--- c.py\n+++ c.py\n@@ -1 +1 @@\n-a\n+b"}),
    ])]  # fmt: skip
    results = entries(feed("gemini-cli", HEADER, *rows), Kind.RESULT)
    assert [(e.text, e.is_error) for e in results] == [
        ("no match", True),
        ("", True),
        ("text", False),
    ]
    assert str(results[2].diff).startswith("--- c.py")
    calls = entries(feed("gemini-cli", HEADER, *rows), Kind.CALL)
    assert [(e.text, bool(e.diff)) for e in calls] == [
        ("a.py", True),
        ("b.py", True),
        ("c.py", False),
    ]


def test_content_decides(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for data, expected in [
        (document(), "gemini-cli"),
        (lines(CHAT), "gemini-cli"),
        (json.dumps({"messages": [], **HEADER}).encode(), "gemini-cli"),
        (b'{"messages":[],"session_id":"x"}', None),
        (b'[{"role":"user","content":"x"}]', "cline"),
    ]:
        path.write_bytes(data)
        found = sniff_file(path)
        assert (found.name if found else None) == expected, data[:60]
