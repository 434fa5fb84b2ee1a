"""Synthetic homes of agent hosts and catalogues of any size: the same bytes for the same seed.

Shapes and sizes follow measured transcripts: several rows an answer, tool floods, outputs of a few
kilobytes with a long tail, images as base64, sub-agents, failures that are mended later.

    python -m tests.bench.corpus HOME --sessions 50 --turns 10000
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import sqlite3
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.hosts.model import Kind
from memtui.sessions.reset import recount
from memtui.sessions.rows import KIND_NUMBER, Flag, facets_of, turn_id
from memtui.sessions.schema import open_writer

START_MS = 1_790_000_000_000
"""The first session begins here (September 2026)."""

_DAY_MS = 86_400_000
_WORDS = (
    "the", "order", "service", "pool", "retries", "connection", "timeout", "config",
    "value", "test", "fails", "because", "migration", "schema", "index", "lock",
    "writer", "reader", "batch", "commit", "offset", "parser", "stream", "handler",
    "request", "response", "client", "server", "cache", "budget", "line", "page",
    "card", "evidence", "refactor", "rename", "module", "function",
)  # fmt: skip
_FILES = tuple(f"src/{word}.py" for word in _WORDS[:16])
_COMMANDS = (
    "pytest -q tests/test_{}.py",
    "ruff check src/{}.py",
    "git diff -- src/{}.py",
    "rg -n {} src",
    "make {}",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was written."""

    home: Path
    files: int
    turns: int
    bytes: int


def write_corpus(
    home: Path, sessions: int = 50, turns: int = 10_000, seed: int = 1, codex_share: float = 0.3
) -> Corpus:
    """Write transcripts of about `turns` records in `sessions` sessions below `home`.

    Sub-agents come on top. Modification times follow the sessions' times.
    """
    rng = random.Random(seed)
    written = Corpus(home, 0, 0, 0)
    for number in range(sessions):
        share = turns // sessions + (1 if number < turns % sessions else 0)
        talk = _Talk(rng, START_MS + number * _DAY_MS // 4, f"/work/project-{number % 7}")
        writer = _codex if rng.random() < codex_share else _claude
        for path, rows in writer(home, talk, share):
            size = _write(path, rows, talk.at)
            written = Corpus(
                home, written.files + 1, written.turns + len(rows), written.bytes + size
            )
    return written


@dataclass(slots=True)
class _Talk:
    """One session being made up."""

    rng: random.Random
    at: int
    cwd: str
    last: str | None = None
    open_failure: str | None = None
    agents: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)

    def id(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def tick(self) -> str:
        self.at += self.rng.randint(400, 20_000)
        seconds, ms = divmod(self.at, 1000)
        return f"{_iso(seconds)}.{ms:03d}Z"

    def words(self, low: int, high: int) -> str:
        return " ".join(self.rng.choices(_WORDS, k=self.rng.randint(low, high)))

    def output(self) -> str:
        """Mostly short, sometimes a flood."""
        lines = self.rng.choice((1, 3, 8, 20, 40, 80, 400))
        return "\n".join(
            f"{self.rng.choice(_FILES)}:{n}: {self.words(4, 10)}" for n in range(lines)
        )

    def command(self) -> tuple[str, bool]:
        """A command and whether it fails; a failed one is tried again soon."""
        if self.open_failure is not None and self.rng.random() < 0.4:
            command, self.open_failure = self.open_failure, None
            return command, False
        command = self.rng.choice(_COMMANDS).format(self.rng.choice(_WORDS))
        failed = self.rng.random() < 0.08
        if failed:
            self.open_failure = command
        return command, failed


def _claude(home: Path, talk: _Talk, turns: int) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    session = talk.id()
    folder = home / ".claude" / "projects" / talk.cwd.replace("/", "-")
    yield folder / f"{session}.jsonl", _claude_rows(talk, session, turns, None)
    for agent, rows in talk.agents:
        yield folder / session / "subagents" / f"agent-{agent}.jsonl", rows


def _claude_rows(talk: _Talk, session: str, turns: int, agent: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        row = {
            "parentUuid": talk.last, "isSidechain": agent is not None, "userType": "external",
            "cwd": talk.cwd, "sessionId": session, "version": "2.1.197", "gitBranch": "main",
            "type": kind, "uuid": talk.id(), "timestamp": talk.tick(), **fields,
        }  # fmt: skip
        if agent is not None:
            row["agentId"] = agent
        talk.last = row["uuid"]
        rows.append(row)

    while len(rows) < turns:
        content: Any = talk.words(5, 60)
        if talk.rng.random() < 0.02:
            content = [{"type": "text", "text": content}, _image(talk.rng)]
        add("user", message={"role": "user", "content": content})
        for _ in range(talk.rng.choice((1, 2, 3, 5, 12))):
            if len(rows) >= turns:
                break
            _claude_step(talk, session, add, agent)
        if talk.rng.random() < 0.01:
            add("system", subtype="compact_boundary", content="Conversation compacted")
            add(
                "user",
                isCompactSummary=True,
                message={"role": "user", "content": talk.words(200, 600)},
            )
    return rows


def _claude_step(talk: _Talk, session: str, add: Any, agent: str | None) -> None:
    """An answer in one or more rows, its call and the result."""
    message = f"msg_{talk.rng.getrandbits(64):016x}"

    def say(block: dict[str, Any], output: int) -> None:
        usage = {"input_tokens": 12, "cache_read_input_tokens": 20_000, "output_tokens": output}
        add(
            "assistant",
            requestId=message.replace("msg", "req"),
            message={
                "id": message, "type": "message", "role": "assistant", "model": "claude-opus-4",
                "content": [block], "usage": usage,
            },
        )  # fmt: skip

    if talk.rng.random() < 0.3:
        say({"type": "thinking", "thinking": talk.words(30, 120), "signature": "c2ln" * 40}, 9)
    say({"type": "text", "text": talk.words(10, 120)}, talk.rng.randint(9, 900))
    call = f"toolu_{talk.rng.getrandbits(64):016x}"
    if agent is None and talk.rng.random() < 0.01:
        _claude_agent(talk, session, add, say, call)
        return
    if talk.rng.random() < 0.25:
        _claude_edit(talk, add, say, call)
        return
    command, failed = talk.command()
    say({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}, 60)
    text = f"Exit code 1\nE   {talk.words(4, 9)}\n{talk.output()}" if failed else talk.output()
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
    if failed:
        result["is_error"] = True
    told = f"Error: {text}" if failed else {"stdout": text, "stderr": "", "interrupted": False}
    add("user", message={"role": "user", "content": [result]}, toolUseResult=told)


def _claude_edit(talk: _Talk, add: Any, say: Any, call: str) -> None:
    path = f"{talk.cwd}/{talk.rng.choice(_FILES)}"
    old, new = talk.words(5, 30), talk.words(5, 30)
    values = {"file_path": path, "old_string": old, "new_string": new}
    say({"type": "tool_use", "id": call, "name": "Edit", "input": values}, 80)
    hunk = {
        "oldStart": 3,
        "oldLines": 1,
        "newStart": 3,
        "newLines": 1,
        "lines": [f"-{old}", f"+{new}"],
    }
    add(
        "user",
        message={
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": call, "content": f"{path} was updated."}
            ],
        },
        toolUseResult={"filePath": path, "structuredPatch": [hunk], "originalFile": talk.output()},
    )


def _claude_agent(talk: _Talk, session: str, add: Any, say: Any, call: str) -> None:
    agent = f"a{talk.rng.getrandbits(60):015x}"
    task = talk.words(8, 30)
    say({"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": task}}, 40)
    before = talk.last
    rows = _claude_rows(talk, session, talk.rng.randint(6, 30), agent)
    talk.last = before
    talk.agents.append((agent, rows))
    result = {
        "type": "tool_result",
        "tool_use_id": call,
        "content": [{"type": "text", "text": task}],
    }
    told = {"status": "completed", "agentId": agent, "prompt": task}
    add("user", message={"role": "user", "content": [result]}, toolUseResult=told)


def _codex(home: Path, talk: _Talk, turns: int) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    session, begun = talk.id(), talk.tick()
    rows: list[dict[str, Any]] = []

    def add(kind: str, payload: dict[str, Any]) -> None:
        rows.append({"timestamp": talk.tick(), "type": kind, "payload": payload})

    meta = {"id": session, "timestamp": begun, "cwd": talk.cwd, "cli_version": "0.171.0"}
    add("session_meta", {**meta, "instructions": talk.words(800, 1200), "git": {"branch": "main"}})
    while len(rows) < turns:
        text = talk.words(5, 60)
        content = [{"type": "input_text", "text": text}]
        add("response_item", {"type": "message", "role": "user", "content": content})
        add("event_msg", {"type": "user_message", "message": text})
        for _ in range(talk.rng.choice((1, 2, 4, 8))):
            if len(rows) < turns:
                _codex_step(talk, add)
    stamp = begun.partition(".")[0].replace(":", "-")
    day = "/".join(begun[:10].split("-"))
    yield home / ".codex" / "sessions" / day / f"rollout-{stamp}-{session}.jsonl", rows


def _codex_step(talk: _Talk, add: Any) -> None:
    call, (command, failed) = f"call_{talk.rng.getrandbits(64):016x}", talk.command()
    add(
        "response_item",
        {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": command}),
         "call_id": call},
    )  # fmt: skip
    text = f"Process exited with code {int(failed)}\nOutput:\n{talk.output()}"
    add("response_item", {"type": "function_call_output", "call_id": call, "output": text})
    answer = talk.words(10, 120)
    content = [{"type": "output_text", "text": answer}]
    add("response_item", {"type": "message", "role": "assistant", "content": content})
    add("event_msg", {"type": "agent_message", "message": answer})


def fill_catalogue(db: Path, rows: int = 1_000_000, sessions: int = 5_000, seed: int = 1) -> None:
    """Make a catalogue of `rows` rows in `sessions` sessions without any transcript behind it.

    For measuring lists: texts cannot be read back. Sessions are of very different length.
    """
    rng = random.Random(seed)
    connection = open_writer(db)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    weights = [rng.paretovariate(1.2) for _ in range(sessions)]
    scale = rows / sum(weights)
    previews = [" ".join(rng.choices(_WORDS, k=rng.randint(4, 24)))[:200] for _ in range(2_000)]
    left = rows
    for number in range(sessions):
        count = (
            left if number == sessions - 1 else min(left, max(1, round(weights[number] * scale)))
        )
        left -= count
        _fill_session(connection, number + 1, count, rng, previews)
    recount(connection, range(1, sessions + 1))
    connection.execute("COMMIT")
    connection.close()


def _fill_session(
    connection: sqlite3.Connection, number: int, count: int, rng: random.Random, previews: list[str]
) -> None:
    at = START_MS + number * _DAY_MS // 40
    name = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    project = f"/work/project-{number % 7}"
    connection.execute(
        "INSERT INTO sessions (id, host, session, project, cwds, branch, title, title_rank, version, "
        "started, ended, next_seq) VALUES (?,?,?,?,?,?,?,10,'2.1.197',?,?,?)",
        (
            number, rng.choice(("claude-code", "codex")), name, project, json.dumps([project]), "main",
            rng.choice(previews)[:60], at, at + count * 5_000, count,
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO turns (id, kind, flags, facets, file, record, part, at, tool, exit_code, command, "
        "preview) VALUES (?,?,?,?,0,?,0,?,?,?,?,?)",
        _made_up(number, count, at, rng, previews),
    )


def _made_up(
    session: int, count: int, at: int, rng: random.Random, previews: list[str]
) -> Iterator[tuple[Any, ...]]:
    """Rows in realistic shares: half of them calls that succeeded."""
    for seq in range(count):
        kind, flags = rng.choices(_SHAPES, _SHARES)[0]
        call = kind is Kind.CALL
        yield (
            turn_id(session, seq), KIND_NUMBER[kind], flags, facets_of(flags), f"r{session}-{seq}",
            at + seq * 5_000, "Bash" if call else None,
            (1 if flags & Flag.ERROR else 0) if call else None,
            rng.randrange(50) if call else None, rng.choice(previews),
        )  # fmt: skip


_SHAPES: tuple[tuple[Kind, int], ...] = (
    (Kind.CALL, int(Flag.CALL | Flag.FOLDED_OK)),
    (Kind.CALL, int(Flag.CALL | Flag.FOLDED_OK | Flag.DIFF)),
    (Kind.CALL, int(Flag.CALL | Flag.ERROR)),
    (Kind.ANSWER, int(Flag.ANSWER)),
    (Kind.PROMPT, int(Flag.PROMPT)),
    (Kind.THINKING, int(Flag.THINKING)),
    (Kind.NOTICE, int(Flag.NOTICE)),
)
_SHARES = (38, 10, 4, 25, 8, 10, 5)


def _image(rng: random.Random) -> dict[str, Any]:
    data = base64.b64encode(rng.randbytes(rng.choice((20_000, 120_000, 900_000)))).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _write(path: Path, rows: list[dict[str, Any]], at_ms: int) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    path.write_bytes(data)
    os.utime(path, ns=(at_ms * 1_000_000, at_ms * 1_000_000))
    return len(data)


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def main() -> None:
    """Write a corpus and say how big it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made = write_corpus(options.home, options.sessions, options.turns, options.seed)
    print(f"{made.files} files, {made.turns} records, {made.bytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
