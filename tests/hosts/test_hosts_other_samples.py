"""Counts on the samples of the other hosts against a second, simpler reading of the same bytes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.read import parse_file
from memtui.hosts.registry import host
from tests.hosts.host_fixtures import entries
from tests.hosts.test_hosts_samples import SAMPLES, adapter_counts, records, short

LINES = [
    (name, path)
    for name in ("copilot-cli", "cursor", "pi", "qwen-code", "goose")
    for path in sorted((SAMPLES / name).glob("*.jsonl"))
]
TASKS = [
    (name, path)
    for name in ("cline", "roo")
    for path in sorted((SAMPLES / name).glob("*.json"))
    if "api_conversation" in path.name or ".messages." in path.name
]
AIDER = sorted((SAMPLES / "aider").glob("*.md"))
missing = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample transcripts here")


def texts_in(message: dict[str, Any], key: str = "content") -> list[dict[str, Any]]:
    content = message.get(key)
    blocks: list[Any] = content if isinstance(content, list) else []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b for b in blocks if b.get("type", "text") in ("text", "input_text")]


def line_counts(name: str, path: Path) -> Counter[str]:
    """By each host's own words for who speaks: the number of messages with text, calls, failures."""
    counts: Counter[str] = Counter()
    for r in records(path):
        if name == "copilot-cli":
            data = r["data"]
            counts["prompts"] += r["type"] == "user.message"
            counts["answers"] += r["type"] == "assistant.message" and bool(data["content"])
            counts["calls"] += r["type"] == "tool.execution_start"
            counts["failures"] += r["type"] == "tool.execution_complete" and not data["success"]
            continue
        message = r.get("message", r) if r.get("type") != "session" else {}
        role = message.get("role") or r.get("role")
        key = "parts" if name == "qwen-code" else "content"
        said = any(b.get("text", "").strip() for b in texts_in(message, key)) if role else False
        counts["prompts"] += role == "user" and said
        counts["answers"] += role in ("assistant", "model") and said
        told: Any = message.get(key)
        blocks = told if isinstance(told, list) else []
        counts["calls"] += sum(
            b.get("type") in ("toolCall", "tool_use", "toolRequest") for b in blocks
        )
        counts["failures"] += role == "toolResult" and message["isError"]
    return counts


@missing
@pytest.mark.parametrize(
    ("name", "path"), LINES, ids=lambda v: short(v) if isinstance(v, Path) else v
)
def test_counts_of_lines(name: str, path: Path) -> None:
    expected = line_counts(name, path)
    assert +adapter_counts(SourceFile(name, path)) == +expected
    assert expected["prompts"] > 0


@missing
@pytest.mark.parametrize(
    ("name", "path"), TASKS, ids=lambda v: short(v) if isinstance(v, Path) else v
)
def test_counts_of_tasks(name: str, path: Path, tmp_path: Path) -> None:
    """The sample's flat name holds its path: it is put where the host would have it."""
    place = tmp_path / path.name.replace("__", "/").removeprefix("dejavu_")
    for sample in path.parent.iterdir():
        beside = tmp_path / sample.name.replace("__", "/").removeprefix("dejavu_")
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(sample.read_bytes())
    told = json.loads(path.read_text())
    messages = told if isinstance(told, list) else told["messages"]
    roles = Counter(message["role"] for message in messages)
    source = SourceFile(name, place)
    assert +adapter_counts(source) == Counter(prompts=roles["user"], answers=roles["assistant"])
    (prompt,) = entries(parse_file(source), Kind.PROMPT)
    assert prompt.text in ("Say hello", "Fix the flaky test")


@missing
@pytest.mark.parametrize("path", AIDER, ids=short)
def test_counts_of_aider(path: Path) -> None:
    """Prompts are runs of lines with four hashes that end in two spaces, commands aside."""
    text = path.read_text()
    marked = bool(re.search(r"^#### .*  $", text, re.MULTILINE))
    groups = re.findall(r"(?:^####(?: .*)?\n)+", text, re.MULTILINE)
    typed = [g for g in groups if not marked or g.rstrip("\n").endswith("  ")]
    prompts = sum(not g.removeprefix("#### ").startswith("/") for g in typed)
    headings = 0 if marked else text.count("#### Step 1")
    counts = adapter_counts(SourceFile("aider", path))
    assert counts["prompts"] == prompts - headings
    assert counts["calls"] == text.count("> Applied edit to ")
    runs = {
        e.text for e in entries(parse_file(SourceFile("aider", path))) if "started at" in e.text
    }
    assert len(runs) == len(set(re.findall(r"^# aider chat started at (.*)$", text, re.MULTILINE)))


@missing
@pytest.mark.parametrize(
    ("name", "sample", "place", "session"),
    [
        ("opencode", "opencode/dejavu_opencode.sql", "opencode/opencode.db", "registry-opencode"),
        ("goose", "goose/dejavu_sessions__goose.sql", "goose/sessions/sessions.db", "20250724_2"),
    ],
)
def test_counts_of_databases(
    name: str, sample: str, place: str, session: str, tmp_path: Path
) -> None:
    path = tmp_path / ".local/share" / place
    path.parent.mkdir(parents=True)
    db = sqlite3.connect(path)
    db.executescript((SAMPLES / sample).read_text())
    db.commit()
    db.close()
    (source,) = host(name).discover(HostHome(tmp_path))
    assert source.session == session
    assert +adapter_counts(source) == Counter(prompts=1, answers=1)
