"""Hosts of lines: Copilot CLI, Cursor, Pi, Qwen Code, older Goose, and the documented form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.protocol import Part
from memtui.hosts.read import parse_file, without_rolled_back
from memtui.hosts.registry import host
from tests.hosts.host_fixtures import entries, feed, lines, skipped, texts, title, told

AT = "2026-07-05T03:51:38.979Z"


def event(kind: str, number: int = 1, **data: Any) -> dict[str, Any]:
    """A Copilot CLI event."""
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": AT, "parentId": None}


COPILOT = [
    event("session.start", sessionId="487fbe81", copilotVersion="1.0.68", selectedModel="gpt",
          context={"cwd": "/w/shop", "branch": "main", "repository": "a/b", "repositoryHost": "github.com"}),
    event("system.message", 2, content="You are"),
    event("user.message", 3, content="fix the pool", transformedContent="<x>fix the pool"),
    event("assistant.message", 4, content="", reasoningText="hm", outputTokens=45, model="gpt"),
    event("tool.execution_start", 5, toolCallId="c1", toolName="bash", arguments={"command": "make test"}),
    event("tool.execution_complete", 6, toolCallId="c1", success=True,
          result={"content": "boom\n<exited with exit code 2>"}),
    event("tool.execution_start", 7, toolCallId="c2", toolName="view", arguments={"path": "a.py"}),
    event("tool.execution_complete", 8, toolCallId="c2", success=False, error={"message": "no such file"}),
    event("hook.end", 9, hookType="sessionStart", success=True, output={"additionalContext": "block"}),
    event("hook.end", 10, hookType="agentStop", success=False, error={"message": "timed out"}),
    event("assistant.message", 11, content="Done.", outputTokens=3, model="gpt-2"),
    event("session.compaction_complete", 12, summaryContent="so far"),
    event("hologram.shown", 13),
    event("session.shutdown", 14),
]  # fmt: skip


def test_copilot_cli_session() -> None:
    events = feed("copilot-cli", *COPILOT)
    assert texts(events, Kind.PROMPT) == ["fix the pool"]
    assert texts(events, Kind.ANSWER, Kind.THINKING) == ["hm", "Done."]
    assert texts(events, Kind.CALL) == ["make test", "a.py"]
    results = entries(events, Kind.RESULT)
    assert [(e.exit_code, e.is_error, e.tool) for e in results] == [
        (2, True, "bash"),
        (None, True, "view"),
    ]
    assert texts(events, Kind.INJECTION) == ["block"]
    assert "Hook agentStop failed: timed out" in texts(events, Kind.NOTICE)
    assert texts(events, Kind.COMPACTION) == ["so far"]
    assert (told(events, "cwd"), told(events, "branch")) == (["/w/shop"], ["main"])
    assert told(events, "remote") == ["https://github.com/a/b"]
    assert told(events, "model") == ["gpt", "gpt-2"]
    assert [e.tokens.output for e in entries(events) if e.tokens] == [45, 3]
    assert skipped(events) == [("unknown type", "hologram.shown")]


def test_copilot_cli_files_of_both_layouts_and_their_titles(tmp_path: Path) -> None:
    state = tmp_path / ".copilot/session-state"
    (state / "s1").mkdir(parents=True)
    (state / "s1/events.jsonl").write_bytes(lines(COPILOT))
    (state / "s1/workspace.yaml").write_text('id: s1\nsummary: "Pool: what is wrong"\n')
    (state / "s0.jsonl").write_bytes(lines(COPILOT))
    (state / "s2").mkdir()
    found = {s.session: s.title for s in host("copilot-cli").discover(HostHome(tmp_path))}
    assert found == {"s1": "Pool: what is wrong", "s0": None}


def said(role: str, *content: Any) -> dict[str, Any]:
    """A Cursor record."""
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return {"role": role, "message": {"content": blocks}}


CURSOR = [
    said("user", "<timestamp>Monday</timestamp>\n<user_query>\nfix the pool\n</user_query>"),
    said("assistant", "I write.", {"type": "tool_use", "name": "Write", "input": {"path": "a.py", "contents": "x"}}),
    {"type": "turn_ended", "status": "success"},
    said("user", "plain question"),
]  # fmt: skip


def test_18_cursor_times_and_results_are_absent_not_made_up(tmp_path: Path) -> None:
    events = feed("cursor", *CURSOR)
    assert texts(events, Kind.PROMPT) == ["fix the pool", "plain question"]
    assert texts(events, Kind.NOTICE) == ["<timestamp>Monday</timestamp>"]
    assert [(e.text, bool(e.diff)) for e in entries(events, Kind.CALL)] == [("a.py", True)]
    assert {e.at for e in entries(events)} == {None}
    assert entries(events, Kind.RESULT) == []
    assert title(events) == "fix the pool"
    assert host("cursor").lacks >= {Part.TIMES, Part.RESULTS}
    assert host("claude-code").lacks == frozenset()


def test_cursor_project_is_what_the_host_notes_or_the_only_folder_it_can_be(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work dir/my_shop"
    work.mkdir(parents=True)
    name = "-".join(
        part for part in str(work).replace("_", "-").replace(" ", "-").split("/") if part
    )
    session = home / ".cursor/projects" / name / "agent-transcripts/s1/s1.jsonl"
    sub = session.parent / "subagents/s2.jsonl"
    sub.parent.mkdir(parents=True)
    for path in (session, sub):
        path.write_bytes(lines(CURSOR))
    sources = sorted(host("cursor").discover(HostHome(home)), key=lambda s: s.path.name)
    assert [(s.session, s.parent) for s in sources] == [("s1", None), ("s2", "s1")]
    assert told(parse_file(sources[0]), "cwd") == [str(work)]
    work.with_name("my-shop").mkdir()
    assert told(parse_file(sources[0]), "cwd") == []
    notes = session.parents[2] / ".workspace-trusted"
    notes.write_text(json.dumps({"workspacePath": str(work)}))
    assert told(parse_file(sources[0]), "cwd") == [str(work)]


def pi(kind: str, number: int, parent: int | None, **fields: Any) -> dict[str, Any]:
    above = f"p{parent}" if parent else None
    return {"type": kind, "id": f"p{number}", "parentId": above, "timestamp": AT, **fields}


def pi_said(
    number: int, parent: int | None, role: str, *content: Any, **fields: Any
) -> dict[str, Any]:
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return pi("message", number, parent, message={"role": role, "content": blocks, **fields})


PI = [
    {"type": "session", "version": 3, "id": "pi-1", "timestamp": AT, "cwd": "/w/shop",
     "parentSession": "/x/2025-01-01T09-00_pi-0.jsonl"},
    pi_said(1, None, "user", "fix the pool"),
    pi_said(2, 1, "assistant", {"type": "thinking", "thinking": "hm"}, "I look.",
            {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make test"}},
            model="m", usage={"input": 5, "output": 2, "cacheRead": 7}),
    pi_said(3, 2, "toolResult", "boom", toolCallId="c1", toolName="bash", isError=True),
    pi("compaction", 4, 3, summary="so far"),
    pi("hologram", 5, 4),
    pi_said(6, 1, "assistant", "Another way."),
]  # fmt: skip


def test_pi_session_and_the_branch_that_counts() -> None:
    events = feed("pi", *PI)
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["fix the pool", "I look.", "Another way."]
    assert [(e.tool, e.is_error) for e in entries(events, Kind.RESULT)] == [("bash", True)]
    assert (told(events, "cwd"), told(events, "parent")) == (["/w/shop"], ["pi-0"])
    assert skipped(events) == [("unknown type", "hologram")]
    kept = without_rolled_back(entries(events))
    assert [e.text for e in kept if e.kind in (Kind.PROMPT, Kind.ANSWER)] == [
        "fix the pool", "Another way.",
    ]  # fmt: skip


def qwen(kind: str, number: int, *parts: Any, **fields: Any) -> dict[str, Any]:
    told = [{"text": p} if isinstance(p, str) else p for p in parts]
    return {"uuid": f"q{number}", "sessionId": "qwen-1", "timestamp": AT, "type": kind, "cwd": "/w/shop",
            "version": "0.15.11", "message": {"role": kind, "parts": told}, **fields}  # fmt: skip


QWEN = [
    qwen("user", 1, "fix the pool"),
    qwen("assistant", 2, {"text": "hm", "thought": True}, "I look.",
         {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "make test"}}},
         model="qwen3", usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": 3}),
    qwen("tool_result", 3, {"functionResponse": {"id": "c1", "response": {"error": "boom"}}},
         toolCallResult={"callId": "c1", "status": "error"}),
    qwen("system", 4, subtype="chat_compression"),
    qwen("system", 5, subtype="hologram"),
]  # fmt: skip


def test_qwen_code_session() -> None:
    events = feed("qwen-code", *QWEN)
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["fix the pool", "I look."]
    assert texts(events, Kind.CALL) == ["make test"]
    assert [(e.text, e.is_error) for e in entries(events, Kind.RESULT)] == [("boom", True)]
    assert (told(events, "cwd"), told(events, "model")) == (["/w/shop"], ["qwen3"])
    assert len(entries(events, Kind.COMPACTION)) == 1
    assert skipped(events) == [("unknown type", "system/hologram")]


GOOSE = [
    {"id": "20250724_1", "working_dir": "/w/shop", "description": "Pool", "message_count": 2},
    {"id": "m1", "role": "user", "created": 1784278801, "content": [{"type": "text", "text": "fix the pool"}]},
    {"id": "m2", "role": "assistant", "created": 1784278802, "content": [
        {"type": "text", "text": "I look."},
        {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {
            "name": "developer__shell", "arguments": {"command": "make test"}}}},
        {"type": "toolRequest", "id": "c2", "toolCall": {"status": "error", "error": "bad arguments"}}]},
    {"id": "m3", "role": "user", "created": 1784278803, "content": [
        {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": {
            "content": [{"type": "text", "text": "boom"}], "isError": True}}}]},
]  # fmt: skip


def test_goose_session() -> None:
    events = feed("goose", *GOOSE)
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["fix the pool", "I look."]
    assert texts(events, Kind.CALL) == ["make test", ""]
    assert [(e.call, e.text, e.is_error) for e in entries(events, Kind.RESULT)] == [
        ("c2", "bad arguments", True), ("c1", "boom", True),
    ]  # fmt: skip
    assert entries(events)[0].at == 1784278801000
    assert title(events) == "Pool"


GENERIC: list[dict[str, Any]] = [
    {"format": "memtui-transcript", "type": "session", "id": "g1", "cwd": "/w/shop", "title": "Pool", "model": "m"},
    {"type": "prompt", "id": "1", "at": AT, "text": "fix the pool"},
    {"type": "answer", "at": 1784278802, "text": "I look.", "tokens": {"input": 5, "output": 2}},
    {"type": "call", "call": "c1", "tool": "bash", "input": {"command": "make test"}},
    {"type": "result", "call": "c1", "text": "boom", "exit_code": 2},
    {"type": "notice", "text": "quota", "error": True},
    {"type": "hologram"},
]  # fmt: skip


def test_documented_form(tmp_path: Path) -> None:
    events = feed("generic", *GENERIC)
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["fix the pool", "I look."]
    assert [(e.text, e.is_error, e.tool) for e in entries(events, Kind.RESULT)] == [
        ("boom", True, "bash")
    ]
    assert skipped(events) == [("unknown type", "hologram")]
    assert (title(events), told(events, "cwd")) == ("Pool", ["/w/shop"])
    folder = tmp_path / "mine/deep"
    folder.mkdir(parents=True)
    (folder / "g1.jsonl").write_bytes(lines(GENERIC))
    home = HostHome(tmp_path, {"MEMTUI_TRANSCRIPTS": str(tmp_path / "mine")})
    assert [s.session for s in host("generic").discover(home)] == ["g1"]
    assert host("generic").sniff(lines(GENERIC))


def test_files_are_found_where_the_hosts_put_them(tmp_path: Path) -> None:
    places = {
        "pi": ("agent/sessions/--w-shop--/2025-01-01T10-00_pi-1.jsonl", PI, "pi-1"),
        "qwen-code": ("projects/-w-shop/chats/qwen-1.jsonl", QWEN, "qwen-1"),
        "goose": ("goose/sessions/20250724_1.jsonl", GOOSE, "20250724_1"),
    }
    for name, (place, rows, session) in places.items():
        base = {"pi": ".pi", "qwen-code": ".qwen", "goose": ".local/share"}[name]
        path = tmp_path / base / place
        path.parent.mkdir(parents=True)
        path.write_bytes(lines(rows))
        (source,) = host(name).discover(HostHome(tmp_path))
        assert source == SourceFile(name, path, session=session)
        assert texts(parse_file(source), Kind.PROMPT) == ["fix the pool"]
