"""Counts on real transcripts against a second, simpler reading of the same bytes.

The counts, in words, for one file:

- prompts: messages with text that a person typed, main conversation and sub-agent tasks alike; texts that the
  host marks or wraps as its own are none.
- answers: distinct assistant message ids that have text; where a host stores no id, assistant
  messages that have text.
- calls: tool calls that the model made.
- failures: tool results that the host marks as failed, or that report an exit code other than 0.
- api_errors: failed requests to the model, those tried again and those that ended a turn; they are
  counted apart from failures.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.read import parse_file
from memtui.hosts.registry import HOSTS, host, sniff_file

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT.parent / "shared" / "samples"
HOME = ROOT / "sample_bank" / "home"
READ = frozenset(candidate.name for candidate in HOSTS)
BESIDE = (
    "dejavu_legacy__state__taskHistory.json",
    "dejavu_modern__sessions__session_synthetic_01__session_synthetic_01.json",
    "dejavu_tasks__1767225700000__history_item.json",
    "dejavu_opencode.sql",
    "dejavu_sessions__goose.sql",
)
"""Files beside transcripts, and databases, which are not told by their head."""

EXPECTED = dict.fromkeys(BESIDE) | {
    "dejavu_tasks__1767225700000__api_conversation_history.json": "cline"
}
"""Only its folder says that a task is Roo's."""

NOT_TRANSCRIPTS = ("openprintkit_history.jsonl",)

CLAUDE_OWN = re.compile(
    r"\s*<(ide_\w+|system-reminder|local-command-\w+|task-notification|command-\w+|bash-\w+)>.*?</\1>",
    re.S,
)
CODEX_OWN = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
)
CODEX_FAILED = (
    "execution error:",
    "failed to parse",
    "unsupported call",
    "apply_patch verification",
    "aborted by",
    "exec_command failed",
)
EXIT = re.compile(r"(?:Process exited with code|Exit code:|\"exit_code\":) ?(-?\d+)")


def samples(name: str, *folders: str) -> list[Path]:
    found = [p for p in sorted((SAMPLES / name).glob("*.json*")) if p.name not in NOT_TRANSCRIPTS]
    for folder in folders:
        found += sorted((HOME / folder).rglob("*.jsonl"))
    return found


GEMINI = samples("gemini-cli", ".gemini/tmp")
CLAUDE = samples("claude-code", ".claude/projects")
CODEX = samples("codex", ".codex/sessions", ".codex/archived_sessions")


def records(path: Path) -> Iterator[Any]:
    """Every JSON object of a file; two on one line are two."""
    decoder = json.JSONDecoder()
    raw = path.read_bytes().decode()
    for line in [raw] if path.suffix == ".json" else raw.split("\n"):
        rest = line.strip()
        while rest:
            try:
                value, end = decoder.raw_decode(rest)
            except ValueError:
                break
            if isinstance(value, dict):
                yield value
            rest = rest[end:].strip()


def strings(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [
        b if isinstance(b, str) else b["text"] for b in blocks if isinstance(b, str) or "text" in b
    ]


def claude_counts(path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    answered: set[str] = set()
    for number, r in enumerate(records(path)):
        body = r.get("message") if isinstance(r.get("message"), dict) else {}
        content = body.get("content", r.get("message") if not body else None)
        blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
        if r.get("type") == "assistant":
            if body.get("model") == "<synthetic>":
                counts["api_errors"] += r.get("isApiErrorMessage") is True
                continue
            if any(t.strip() for t in strings(content)):
                answered.add(body.get("id") or str(number))
            counts["calls"] += sum(b.get("type") == "tool_use" for b in blocks)
        elif r.get("type") == "user":
            results = [b for b in blocks if b.get("type") == "tool_result"]
            counts["failures"] += sum(b.get("is_error") is True for b in results)
            if (
                results
                or r.get("isMeta")
                or r.get("isCompactSummary")
                or r.get("promptSource") == "system"
            ):
                continue
            if r.get("origin", {}).get("kind", "human") == "human":
                counts["prompts"] += any(map(claude_typed, strings(content)))
        elif r.get("type") == "attachment" and r["attachment"].get("type") == "queued_command":
            counts["prompts"] += sum(map(claude_typed, strings(r["attachment"].get("prompt"))))
        elif r.get("subtype") == "api_error":
            counts["api_errors"] += 1
    counts["answers"] = len(answered)
    return counts


def claude_typed(text: str) -> bool:
    rest = text
    while found := CLAUDE_OWN.match(rest):
        rest = rest[found.end() :]
    rest = rest.strip()
    return bool(rest) and not rest.startswith(
        ("[Request interrupted by user", "Caveat: The messages below")
    )


def codex_items(path: Path) -> Iterator[dict[str, Any]]:
    for r in records(path):
        if "items" in r:
            yield from r["items"]
        elif r.get("type") == "response_item":
            yield r["payload"]
        elif "payload" not in r:
            yield r


def codex_counts(path: Path) -> Counter[str]:
    """From response items alone: every rollout at hand has them for all that happened."""
    counts: Counter[str] = Counter()
    for item in codex_items(path):
        role, kind = item.get("role"), str(item.get("type"))
        said = [t for t in strings(item.get("content")) if t.strip()] if role else []
        if role == "user":
            counts["prompts"] += any(not t.lstrip().startswith(CODEX_OWN) for t in said)
        elif role == "assistant":
            counts["answers"] += bool(said)
        counts["calls"] += kind.endswith("_call") + len(item.get("tool_calls", []))
        if kind.endswith("_call_output") or role == "tool":
            counts["failures"] += codex_failed(item.get("output", item.get("content")))
    return counts


def codex_failed(output: Any) -> bool:
    text = output if isinstance(output, str) else json.dumps(output)
    code = None
    if text.startswith("{"):
        inner = json.loads(text)
        code = inner.get("metadata", {}).get("exit_code") if isinstance(inner, dict) else None
    elif text.startswith(("Chunk ID", "Exit code", "Wall time")):
        found = EXIT.search(text.split("Output:\n")[0])
        code = int(found.group(1)) if found else None
    return text.startswith(CODEX_FAILED) if code is None else code != 0


def gemini_messages(path: Path) -> dict[str, dict[str, Any]]:
    """Each message as it was written last; one that is told again on resume stays as it was."""
    known: dict[str, dict[str, Any]] = {}
    for r in records(path):
        for message in r.get("messages", r.get("$set", {}).get("messages", [])):
            known.setdefault(message["id"], message)
        if "type" in r:
            known[r["id"]] = r
    return known


def gemini_counts(path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for message in gemini_messages(path).values():
        said = "".join(t for t in strings(message["content"])).strip()
        if message["type"] == "user":
            counts["prompts"] += bool(said) and not said.startswith("<session_context>")
        elif message["type"] == "gemini":
            counts["answers"] += bool(said)
            for call in message.get("toolCalls", []):
                counts["calls"] += 1
                counts["failures"] += call["status"] != "success" or "\nExit Code: " in str(
                    json.loads(json.dumps(call.get("result"))[:10_000_000])
                ).replace("\\n", "\n")
        elif message["type"] == "error":
            counts["api_errors"] += 1
    return counts


def adapter_counts(source: SourceFile) -> Counter[str]:
    counts: Counter[str] = Counter()
    answered: set[str] = set()
    for number, entry in enumerate(parse_file(source)):
        if not isinstance(entry, Entry):
            continue
        counts["prompts"] += entry.kind is Kind.PROMPT
        counts["calls"] += entry.kind is Kind.CALL
        counts["failures"] += entry.kind is Kind.RESULT and entry.is_error
        counts["api_errors"] += entry.kind is Kind.NOTICE and entry.is_error and entry.text != ""
        if entry.kind is Kind.ANSWER:
            answered.add(entry.message or str(number))
    counts["answers"] = len(answered)
    return counts


def short(path: Path) -> str:
    return path.name[:60]


@pytest.mark.skipif(not CLAUDE, reason="no sample transcripts here")
@pytest.mark.parametrize("path", CLAUDE, ids=short)
def test_claude_code_counts(path: Path) -> None:
    source = SourceFile("claude-code", path)
    assert +adapter_counts(source) == +claude_counts(path)


@pytest.mark.skipif(not CODEX, reason="no sample transcripts here")
@pytest.mark.parametrize("path", CODEX, ids=short)
def test_codex_counts(path: Path) -> None:
    assert +adapter_counts(SourceFile("codex", path)) == +codex_counts(path)


@pytest.mark.skipif(not GEMINI, reason="no sample transcripts here")
@pytest.mark.parametrize("path", GEMINI, ids=short)
def test_gemini_cli_counts(path: Path) -> None:
    assert +adapter_counts(SourceFile("gemini-cli", path)) == +gemini_counts(path)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample transcripts here")
def test_every_sample_is_recognised_by_content() -> None:
    for folder in sorted(p for p in SAMPLES.iterdir() if p.is_dir()):
        for path in sorted(p for p in folder.iterdir() if p.is_file()):
            expected = EXPECTED.get(path.name, folder.name if folder.name in READ else None)
            if path.name in NOT_TRANSCRIPTS:
                expected = None
            found = sniff_file(path)
            assert (found.name if found else None) == expected, path.name


@pytest.mark.skipif(not CLAUDE, reason="no sample transcripts here")
def test_calls_and_results_of_real_sessions_find_each_other() -> None:
    for path in [*CLAUDE, *CODEX]:
        name = "claude-code" if path in CLAUDE else "codex"
        entries = [e for e in parse_file(SourceFile(name, path)) if isinstance(e, Entry)]
        calls = {e.call for e in entries if e.kind is Kind.CALL}
        results = {e.call for e in entries if e.kind is Kind.RESULT}
        if "edge_cases" not in path.name:
            assert results <= calls, path.name
        assert host(name).name == name
