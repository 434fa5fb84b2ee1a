"""What holds for any bytes: nothing raises, and a parser can stop and go on at any line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.hosts.aider import blocks
from memtui.hosts.digest import record_digest
from memtui.hosts.jsonl import LineReader, open_lines
from memtui.hosts.model import Entry, Kind, RawLine, Skipped, SourceFile
from memtui.hosts.protocol import Event
from memtui.hosts.read import parse_file, read_record
from memtui.hosts.registry import HOSTS, host
from tests.hosts.host_fixtures import (
    SESSION,
    assistant,
    attachment,
    call_rows,
    entries,
    event,
    item,
    lines,
    message,
    meta,
    row,
    text,
    tool_result,
    tool_use,
    user,
)
from tests.hosts.test_hosts_gemini import CHAT
from tests.hosts.test_hosts_lines import COPILOT, CURSOR, GENERIC, GOOSE, PI, QWEN
from tests.hosts.test_hosts_rewritten import BLOCKS, HISTORY, XML

CLAUDE_ROWS: list[dict[str, Any]] = [
    {"type": "summary", "summary": "s", "leafUuid": "u1"},
    {"type": "queue-operation", "operation": "enqueue", "content": "typed", "sessionId": SESSION},
    attachment("hook_additional_context", content=["block"], hookEvent="SessionStart"),
    user("<system-reminder>a</system-reminder>Fix it"),
    assistant(
        {"type": "thinking", "thinking": "hm"}, text("ok"), tool_use("Bash", {"command": "false"})
    ),
    tool_result("Exit code 1", "Error: Exit code 1", is_error=True),
    assistant(
        tool_use("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, "toolu_2"),
        uuid="a2",
    ),
    tool_result(
        "ok",
        {"filePath": "/a", "structuredPatch": [{"oldStart": 1, "lines": ["-x"]}]},
        "toolu_2",
        "r2",
    ),
    row("progress", "p1", data={"agentId": "a5c"}, parentToolUseID="toolu_3"),
    row("system", "c1", subtype="compact_boundary", compactMetadata={"preTokens": 5}),
    user("continued", "u3", isCompactSummary=True),
    user("block", "u4"),
    row("system", "e1", subtype="api_error", error={"message": "529"}, retryAttempt=1),
    {"type": "last-prompt", "lastPrompt": "Fix it", "sessionId": SESSION},
]
CODEX_ROWS: list[dict[str, Any]] = [
    meta(),
    event("task_started", turn_id="019ed50c-a0fa-7fc3-960f-b274cd3ba498"),
    message("user", "<environment_context><cwd>/w/b</cwd></environment_context>"),
    message("user", "do it"),
    event("user_message", message="do it"),
    *call_rows(),
    event(
        "token_count", info={"last_token_usage": {"input_tokens": 4}, "total_token_usage": {"a": 1}}
    ),
    event(
        "token_count", info={"last_token_usage": {"input_tokens": 4}, "total_token_usage": {"a": 1}}
    ),
    message("assistant", "done", id="msg_1"),
    event(
        "item_completed",
        item={"type": "AgentMessage", "content": [{"type": "Text", "text": "done"}]},
    ),
    {"timestamp": "2026-06-17T10:07:00Z", "type": "compacted", "payload": {"message": "so far"}},
    event("context_compacted"),
    item("reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
    {"id": "x", "timestamp": "2025-08-26T23:04:09Z", "instructions": None},
    {
        "session": {"id": "x"},
        "items": [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}],
    },
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "claude-code": CLAUDE_ROWS,
    "codex": CODEX_ROWS,
    "gemini-cli": CHAT,
    "copilot-cli": COPILOT,
    "cursor": CURSOR,
    "pi": PI,
    "qwen-code": QWEN,
    "goose": GOOSE,
    "generic": GENERIC,
}
"""Hosts whose transcripts are files of lines."""

RECORDS: dict[str, list[dict[str, Any]]] = {
    **ROWS,
    "cline": [*XML, *BLOCKS],
    "aider": [dict(record) for record in blocks(HISTORY)],
    "opencode": [
        {"type": "opencode.session", "id": "ses_1", "directory": "/w/shop"},
        {"type": "user", "id": "m1", "at": 1, "parts": [{"type": "text", "text": "fix"}]},
        {"type": "text", "id": "p1", "message": "m2", "model": "m", "text": "I look.", "at": 2},
        {"type": "call", "id": "p2", "tool": "bash", "call": "c1", "input": {"command": "x"}},
        {"type": "result", "id": "p2", "tool": "bash", "call": "c1", "status": "completed",
         "output": "boom", "metadata": {"exit": 2, "sessionId": "ses_2"}},
        {"type": "end", "id": "m2", "tokens": {"input": 1, "cache": {"read": 1}},
         "error": {"name": "APIError", "data": {"message": "529"}}},
        {"type": "retry", "id": "p3", "error": {"data": {"message": "529"}}},
    ],
}  # fmt: skip
"""Records as each host's parser gets them, a document's too."""

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def odd_lines(draw: st.DrawFn) -> tuple[str, bytes]:
    """A line of a host with one value replaced, or with bytes cut, doubled or overwritten."""
    name = draw(st.sampled_from(sorted(RECORDS)))
    record = json.loads(json.dumps(draw(st.sampled_from(RECORDS[name]))))
    if draw(st.booleans()):
        replace_somewhere(draw, record)
    data = json.dumps(record, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    cut = draw(st.integers(0, len(data)))
    damage = draw(st.sampled_from(["none", "cut", "glue", "nul", "noise", "drop"]))
    parts = {
        "none": data,
        "cut": data[:cut],
        "glue": data[:cut] + data,
        "nul": data[:cut] + b"\0" * 20,
        "noise": data[:cut] + draw(st.binary(max_size=8)) + data[cut:],
        "drop": data[:cut] + data[cut + 1 :],
    }
    return name, parts[damage].replace(b"\n", b" ")


def replace_somewhere(draw: st.DrawFn, value: Any) -> None:
    """Put any JSON value in the place of one inside `value`."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = draw(st.sampled_from(keys))
    if isinstance(value[key], dict | list) and draw(st.booleans()):
        replace_somewhere(draw, value[key])
    else:
        value[key] = draw(json_values)


def check(events: list[Event], length: int) -> None:
    for found in events:
        if isinstance(found, Entry | Skipped):
            assert 0 <= found.span.offset <= found.span.offset + found.span.length <= length
        if isinstance(found, Entry):
            found.text.encode()
            assert found.record
            assert found.at is None or found.at >= 0


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(odd_lines(), min_size=1, max_size=4))
def test_no_bytes_make_a_parser_raise(found: list[tuple[str, bytes]]) -> None:
    for name in RECORDS:
        parser = host(name).parser(SourceFile(name, Path("odd.jsonl")))
        offset = 0
        for ordinal, (_, data) in enumerate(found):
            check(list(parser.feed(RawLine(ordinal, offset, data))), offset + len(data))
            offset += len(data) + 1
        json.dumps(parser.state())


@settings(max_examples=200, deadline=None)
@given(odd_lines())
def test_no_bytes_make_sniffing_or_digests_raise(found: tuple[str, bytes]) -> None:
    name, data = found
    for candidate in HOSTS:
        assert candidate.sniff(data) in (True, False)
    try:
        record = json.loads(data)
    except ValueError:
        return
    if isinstance(record, dict):
        assert record_digest(name, record).startswith("1:")


@pytest.mark.parametrize("name", sorted(RECORDS))
@given(
    state=st.dictionaries(
        st.sampled_from(
            [
                "seen",
                "open",
                "told",
                "agents",
                "queue",
                "leaves",
                "session",
                "calls",
                "after",
                "waiting",
            ]
        ),
        json_values,
    )
)
def test_no_saved_state_makes_a_parser_raise(name: str, state: dict[str, Any]) -> None:
    parser = host(name).parser(SourceFile(name, Path("odd.jsonl")), state)
    for record in RECORDS[name]:
        list(parser.feed(RawLine(0, 0, json.dumps(record).encode())))


@pytest.mark.parametrize("name", sorted(ROWS))
def test_going_on_after_any_line_gives_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(ROWS[name]))
    source = SourceFile(name, path)
    whole = list(parse_file(source))
    for stop in range(len(ROWS[name])):
        events: list[Event] = []
        parser = host(name).parser(source)
        reader = LineReader(path)
        for line in reader:
            assert isinstance(line, RawLine)
            events.extend(parser.feed(line))
            if line.ordinal == stop:
                break
        saved = json.loads(json.dumps(parser.state()))
        parser = host(name).parser(source, saved)
        for line in open_lines(source, reader.offset, reader.ordinal):
            assert isinstance(line, RawLine)
            events.extend(parser.feed(line))
        assert events == whole


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_record_is_read_back_by_its_span(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(ROWS[name]))
    source = SourceFile(name, path)
    for entry in entries(parse_file(source)):
        if entry.record.endswith(("/tokens", "/back")):  # told only against what came before
            continue
        ordinal = path.read_bytes()[: entry.span.offset].count(b"\n")
        data, found = read_record(source, entry.span, ordinal)
        assert isinstance(json.loads(data), dict)
        alone = {(e.record, e.part) for e in found}
        assert (entry.record, entry.part) in alone


def test_real_lines_survive_mutation() -> None:
    samples = Path(__file__).parents[3] / "shared" / "samples"
    if not samples.is_dir():
        pytest.skip("no sample transcripts here")
    for name in ROWS:
        for path in sorted((samples / name).glob("*.jsonl"))[:12]:
            parser = host(name).parser(SourceFile(name, path))
            for number, line in enumerate(path.read_bytes().split(b"\n")[:60]):
                for data in (
                    line[: len(line) // 2],
                    line + line,
                    line.replace(b'":"', b'":["', 3),
                    line[::-1],
                ):
                    check(list(parser.feed(RawLine(number, 0, data))), len(data))


def test_reading_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(CLAUDE_ROWS))
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(tmp_path.iterdir()))
    path.chmod(0o444)
    kinds = {e.kind for e in entries(parse_file(SourceFile("claude-code", path)))}
    assert kinds >= {Kind.PROMPT, Kind.CALL, Kind.INJECTION, Kind.SUBAGENT, Kind.COMPACTION}
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(tmp_path.iterdir())) == before
