"""Finding transcripts, knowing whose they are, and the digests of their records."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memtui.hosts import registry
from memtui.hosts.digest import record_digest
from memtui.hosts.model import HostHome, SourceFile, Span
from memtui.hosts.protocol import Host
from memtui.hosts.read import parse_file, read_record
from memtui.hosts.registry import HOSTS, host, sniff_file
from tests.hosts.host_fixtures import (
    SESSION,
    assistant,
    entries,
    lines,
    message,
    meta,
    text,
    title,
    tool_result,
    user,
)


def test_missing_folders_yield_nothing(tmp_path: Path) -> None:
    for candidate in HOSTS:
        assert list(candidate.discover(HostHome(tmp_path / "nowhere"))) == []


def test_claude_code_files_are_found_newest_first(tmp_path: Path) -> None:
    project = tmp_path / "moved/projects/-w-shop"
    places = {
        f"{SESSION}.jsonl": (None, None, SESSION),
        "agent-a5c.jsonl": (None, "a5c", "agent-a5c"),
        f"{SESSION}/subagents/agent-b6.jsonl": (SESSION, "b6", "agent-b6"),
        f"{SESSION}/subagents/workflows/w1/agent-c7.jsonl": (SESSION, "c7", "agent-c7"),
        f"{SESSION}/subagents/workflows/w1/journal.jsonl": None,
        "memory/MEMORY.md": None,
    }
    for age, name in enumerate(places):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines([user("x")]))
        os.utime(path, ns=(10**18 - age * 10**9, 10**18 - age * 10**9))
    notes = project / f"{SESSION}/subagents/agent-b6.meta.json"
    notes.write_text('{"agentType":"Explore","description":"Find it"}')
    home = HostHome(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    found = list(host("claude-code").discover(home))
    assert [(s.parent, s.agent, s.session) for s in found] == [p for p in places.values() if p]
    assert [title(parse_file(s)) for s in found] == ["x", "x", "Find it", "x"]


def test_file_that_vanished_raises_os_error(tmp_path: Path) -> None:
    source = SourceFile("codex", tmp_path / "gone.jsonl")
    with pytest.raises(FileNotFoundError):
        list(parse_file(source))


def test_content_decides_not_the_folder(tmp_path: Path) -> None:
    claude, codex = tmp_path / ".codex.jsonl", tmp_path / ".claude.jsonl"
    claude.write_bytes(
        lines([{"type": "queue-operation", "operation": "enqueue", "sessionId": "x"}])
    )
    codex.write_bytes(lines([meta(base_instructions={"text": "x" * 90_000})]))
    names = [found.name if (found := sniff_file(path)) else None for path in (claude, codex)]
    assert names == ["claude-code", "codex"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b'{"session_id":"x","ts":1,"text":"y"}\n',
        b'{"type":"session.start","data":{},"id":"x"}\n',
        b'{"role":"user","message":{"content":[]},"id":"x"}\n',
        b'{"type":"user","message":{"role":"user","parts":[]}}\n',
        b"# a Markdown file\n",
    ],
)
def test_other_files_are_nobodys(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    assert sniff_file(path) is None


def test_unknown_host() -> None:
    with pytest.raises(KeyError):
        host("nobody")


def test_claude_code_digest_ignores_where_and_when() -> None:
    record = tool_result("out", {"stdout": "out"})
    moved = {
        **record,
        "parentUuid": "p",
        "sessionId": "other",
        "uuid": "new",
        "timestamp": "2027-01-01T00:00:00Z",
        "version": "9.9",
        "cwd": "/elsewhere",
        "gitBranch": "x",
        "forkedFrom": {"sessionId": SESSION},
    }
    digest = record_digest("claude-code", record)
    assert record_digest("claude-code", moved) == digest
    assert record_digest("claude-code", tool_result("other", {"stdout": "out"})) != digest
    assert (
        record_digest("claude-code", tool_result("out", {"stdout": "out"}, is_error=True)) != digest
    )
    assert (
        record_digest("claude-code", tool_result("out", {"stdout": "out"}, is_error=False))
        == digest
    )


def test_claude_code_digest_sees_each_block() -> None:
    digests = {record_digest("claude-code", assistant(text(t))) for t in ("a", "b")}
    assert len(digests) == 2
    assert record_digest("claude-code", user("a")) == record_digest(
        "claude-code", user([text("a")])
    )
    assert record_digest("claude-code", assistant(text("a"), output=9)) in digests


def test_codex_digest_is_the_same_with_and_without_an_envelope() -> None:
    enveloped = message("user", "x", id="msg_1")
    bare = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "x"}],
        "id": None,
    }
    digest = record_digest("codex", enveloped)
    assert record_digest("codex", bare) == digest
    assert (
        record_digest("codex", {**enveloped, "timestamp": "2027-01-01T00:00:00Z", "ordinal": 7})
        == digest
    )
    assert record_digest("codex", message("user", "y")) != digest
    assert record_digest("codex", message("assistant", "x")) != digest


def test_digest_is_pinned() -> None:
    """A change of what is hashed needs a new version number in front: evidence keeps these."""
    assert record_digest("claude-code", user("pinned")) == (
        "1:ca8fa46d45fbf5f6f3f36bb4f4f6fb746d1a2a65d830231cdcb7e692bf047ba8"
    )
    assert record_digest("codex", message("user", "pinned")) == (
        "1:d040143584d26abf81bb9687780d5d01b1e9dd51bde75c4bbff8b92d6ed1117e"
    )


def test_record_of_a_compressed_rollout_is_read_back(tmp_path: Path) -> None:
    import zstandard

    records = [meta(), message("user", "first"), message("assistant", "second")]
    name = "rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl.zst"
    folder = tmp_path / ".codex/sessions"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(zstandard.ZstdCompressor().compress(lines(records)))
    (source,) = host("codex").discover(HostHome(tmp_path))
    wanted = entries(parse_file(source))[1]
    data, found = read_record(source, wanted.span, ordinal=2)
    assert data == lines(records[2:])[:-1]
    assert [(e.record, e.text) for e in found] == [(wanted.record, "second")]
    with pytest.raises(EOFError):
        read_record(source, Span(source.path, wanted.span.offset, 10_000))


def test_a_host_is_called_as_its_adapter_says() -> None:
    wanted = set(Host.__annotations__) | {name for name in vars(Host) if not name.startswith("_")}
    assert wanted == {"name", "label", *registry._OF_HOSTS}
    for candidate in HOSTS:
        real = type(candidate.discover.__self__)()  # type: ignore[attr-defined]
        assert (real.name, real.label, real.lacks) == (
            candidate.name,
            candidate.label,
            candidate.lacks,
        )
        with pytest.raises(AttributeError):
            candidate.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_naming_hosts_imports_no_adapter(python: str) -> None:
    code = (
        "import sys; from memtui.hosts.registry import HOSTS; assert len(HOSTS) > 10\n"
        "assert [n for n in sys.modules if n.startswith('memtui.hosts.')] == ['memtui.hosts.registry']"
    )
    subprocess.run([python, "-c", code], check=True)
