"""Writers of every host's format, each in the host's own way; also as a process of their own.

    python -m tests.sessions.host_writers HOME SECONDS RATE

writes prompts of all hosts in turns, `RATE` a second in all, each with the moment in it, and prints
what it wrote as JSON: how many of each, the digest of what each file must hold, and what went wrong.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.hosts import host_fixtures as made
from tests.hosts.test_hosts_gemini import HEADER
from tests.hosts.test_hosts_gemini import said as gemini_said
from tests.hosts.test_hosts_lines import COPILOT, GENERIC, GOOSE, PI, event, pi_said, qwen
from tests.hosts.test_hosts_lines import said as cursor_said
from tests.hosts.test_hosts_opencode import Store

ROLLOUT = "rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl"


class Writer(Protocol):
    """Writes prompts into one transcript. `path` is the file that changes."""

    path: Path

    def write(self, number: int, said: str) -> None:
        """One prompt more; numbers count from 0."""
        ...


@dataclass
class Lines:
    """A file that is only appended to."""

    path: Path
    start: list[dict[str, Any]]
    row: Callable[[int, str], dict[str, Any]]

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(made.lines(self.start))

    def write(self, number: int, said: str) -> None:
        with self.path.open("ab") as stream:
            stream.write(made.lines([self.row(number, said)]))


class Whole:
    """A document that is written anew each time and put in its place."""

    def __init__(self, path: Path, whole: Callable[[list[str]], Any]) -> None:
        self.path = path
        self.said: list[str] = []
        self._whole = whole
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, number: int, said: str) -> None:
        self.said = [*self.said[:number], said]
        self.save()

    def save(self) -> None:
        """Write what was said."""
        draft = self.path.with_suffix(".tmp")
        draft.write_text(json.dumps(self._whole(self.said), indent=1))
        draft.replace(self.path)


class AiderLog:
    """Aider's Markdown, appended to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# aider chat started at 2026-06-09 14:01:00\n\n")

    def write(self, number: int, said: str) -> None:
        with self.path.open("a") as stream:
            stream.write(f"#### {said}  \n\nDone.\n\n")


class OpenCodeStore:
    """OpenCode's database, held open as OpenCode does; a writer that must wait gets an error."""

    def __init__(self, home: Path) -> None:
        self.store = Store(home)
        self.store.db.execute("PRAGMA busy_timeout=0")
        self.store.session()
        self.path = self.store.path

    def write(self, number: int, said: str) -> None:
        self.store.message(f"msg_{number:05}", "user")
        self.store.part(f"prt_{number:05}", f"msg_{number:05}", type="text", text=said)


class GooseStore:
    """Goose's database, the same way."""

    def __init__(self, home: Path) -> None:
        folder = home / ".local/share/goose/sessions"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "sessions.db"
        self.db = sqlite3.connect(self.path, isolation_level=None, timeout=0)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("CREATE TABLE sessions (id, name, description, working_dir, updated_at)")
        self.db.execute(
            "CREATE TABLE messages (id integer primary key autoincrement, message_id, session_id, "
            "role, content_json, created_timestamp, metadata_json)"
        )
        self.db.execute(
            "INSERT INTO sessions VALUES ('g1', 'Pool', '', '/w/shop', '2026-07-24T11:00:00Z')"
        )

    def write(self, number: int, said: str) -> None:
        content = json.dumps([{"type": "text", "text": said}])
        self.db.execute(
            "INSERT INTO messages (session_id, role, content_json) VALUES ('g1', 'user', ?)",
            [content],
        )


def line_writers(home: Path) -> dict[str, Writer]:
    """The hosts that append lines."""
    share = home / ".local/share"
    return {
        "claude-code": Lines(
            home / ".claude/projects/-w/c1.jsonl", [], lambda n, said: made.user(said, f"c{n}")),
        "codex": Lines(
            home / ".codex/sessions" / ROLLOUT,
            [made.meta()], lambda n, said: made.message("user", said)),
        "gemini-cli": Lines(
            home / ".gemini/tmp/a/chats/session-a.jsonl", [HEADER],
            lambda n, said: gemini_said("user", f"u{n}", said)),
        "copilot-cli": Lines(
            home / ".copilot/session-state/s1/events.jsonl", COPILOT[:1],
            lambda n, said: event("user.message", 100 + n, content=said)),
        "cursor": Lines(
            home / ".cursor/projects/w/agent-transcripts/s1/s1.jsonl", [],
            lambda n, said: cursor_said("user", f"<user_query>{said}</user_query>")),
        "pi": Lines(
            home / ".pi/agent/sessions/--w--/2026_pi-1.jsonl", PI[:1],
            lambda n, said: pi_said(100 + n, 99 + n if n else None, "user", said)),
        "qwen-code": Lines(
            home / ".qwen/projects/-w/chats/q.jsonl", [],
            lambda n, said: qwen("user", 100 + n, said)),
        "generic": Lines(
            share / "memtui/transcripts/g1.jsonl", GENERIC[:1],
            lambda n, said: {"type": "prompt", "text": said}),
        "goose-lines": Lines(
            share / "goose/sessions/old.jsonl", GOOSE[:1],
            lambda n, said: {"id": f"m{n}", "role": "user", "created": 1784278801,
                             "content": [{"type": "text", "text": said}]}),
    }  # fmt: skip


def document_writers(home: Path) -> dict[str, Writer]:
    """The hosts that rewrite whole documents, and Aider's Markdown."""
    storage = home / ".config/Code/User/globalStorage"

    def task(said: list[str]) -> Any:
        return [{"role": "user", "content": [{"type": "text", "text": each}]} for each in said]

    def chat(said: list[str]) -> Any:
        messages = [gemini_said("user", f"d{n}", each) for n, each in enumerate(said)]
        return {**HEADER, "sessionId": "b", "messages": messages}

    api = "tasks/1/api_conversation_history.json"
    return {
        "gemini-document": Whole(home / ".gemini/tmp/b/chats/session-b.json", chat),
        "cline": Whole(storage / "saoudrizwan.claude-dev" / api, task),
        "roo": Whole(storage / "rooveterinaryinc.roo-cline" / api, task),
        "aider": AiderLog(home / "shop/.aider.chat.history.md"),
    }


@contextmanager
def all_writers(home: Path) -> Iterator[dict[str, Writer]]:
    """A writer of every format below `home`."""
    opencode, goose = OpenCodeStore(home), GooseStore(home)
    try:
        yield {**line_writers(home), **document_writers(home), "opencode": opencode, "goose": goose}
    finally:
        goose.db.close()
        opencode.store.db.close()


def text(name: str, number: int) -> str:
    """What the prompt of a number says."""
    return f"{name} prompt {number}"


def digest(path: Path) -> str:
    """The content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(writers: dict[str, Writer]) -> dict[str, tuple[str, str]]:
    """Path and digest of every transcript that is a file."""
    return {
        name: (str(writer.path), digest(writer.path))
        for name, writer in writers.items()
        if not isinstance(writer, OpenCodeStore | GooseStore)
    }


def generate(home: Path, seconds: float, rate: float) -> None:
    """Write for so long; see above."""
    with all_writers(home) as writers:
        counts = dict.fromkeys(writers, 0)
        errors: list[str] = []
        begin, number = time.monotonic(), 0
        names = list(writers)
        _say("begun")
        while (now := time.monotonic() - begin) < seconds:
            if (wait := number / rate - now) > 0:
                time.sleep(wait)
            name = names[number % len(names)]
            try:
                writers[name].write(counts[name], f"{text(name, counts[name])} @{time.time_ns()}")
            except (sqlite3.Error, OSError) as error:
                errors.append(f"{name}: {error}")
            counts[name] += 1
            number += 1
        took = time.monotonic() - begin
        done = {"counts": counts, "files": digests(writers), "errors": errors, "seconds": took}
        _say(json.dumps(done))
        sys.stdin.read()  # the databases stay open until the reader is done


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    generate(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
