"""All hosts write at once, each in its own way, while the catalogue follows: nothing missed, nothing twice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.scan import Scanner
from tests.hosts import host_fixtures as made
from tests.hosts.test_hosts_gemini import HEADER
from tests.hosts.test_hosts_gemini import said as gemini_said
from tests.hosts.test_hosts_lines import COPILOT, GENERIC, GOOSE, PI, event, pi_said, qwen
from tests.hosts.test_hosts_lines import said as cursor_said
from tests.hosts.test_hosts_opencode import Store

STEPS = 24
Writer = Callable[[int], Path]
"""Writes one more prompt, numbered, and returns the file that changed."""


def appended(
    path: Path, start: list[dict[str, Any]], row: Callable[[int], dict[str, Any]]
) -> Writer:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.lines(start))

    def write(number: int) -> Path:
        with path.open("ab") as stream:
            stream.write(made.lines([row(number)]))
        return path

    return write


def rewritten(path: Path, whole: Callable[[int], Any], beside: Path | None = None) -> Writer:
    """The whole document each time, put in its place like the hosts do."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(number: int) -> Path:
        draft = path.with_suffix(".tmp")
        draft.write_text(json.dumps(whole(number), indent=1))
        draft.replace(path)
        return beside or path

    return write


def text(name: str, number: int) -> str:
    return f"{name} prompt {number}"


def line_writers(home: Path) -> dict[str, Writer]:
    share = home / ".local/share"
    return {
        "claude-code": appended(
            home / ".claude/projects/-w/c1.jsonl", [],
            lambda n: made.user(text("claude-code", n), f"c{n}")),
        "codex": appended(
            home / ".codex/sessions/rollout-2026-06-17T10-06-46-019ed50c-2fb3-7002-a384-360bea6e7f04.jsonl",
            [made.meta()], lambda n: made.message("user", text("codex", n))),
        "gemini-cli": appended(
            home / ".gemini/tmp/a/chats/session-a.jsonl", [HEADER],
            lambda n: gemini_said("user", f"u{n}", text("gemini-cli", n))),
        "copilot-cli": appended(
            home / ".copilot/session-state/s1/events.jsonl", COPILOT[:1],
            lambda n: event("user.message", 100 + n, content=text("copilot-cli", n))),
        "cursor": appended(
            home / ".cursor/projects/w/agent-transcripts/s1/s1.jsonl", [],
            lambda n: cursor_said("user", f"<user_query>{text('cursor', n)}</user_query>")),
        "pi": appended(
            home / ".pi/agent/sessions/--w--/2026_pi-1.jsonl", PI[:1],
            lambda n: pi_said(100 + n, 99 + n if n else None, "user", text("pi", n))),
        "qwen-code": appended(
            home / ".qwen/projects/-w/chats/q.jsonl", [],
            lambda n: qwen("user", 100 + n, text("qwen-code", n))),
        "generic": appended(
            share / "memtui/transcripts/g1.jsonl", GENERIC[:1],
            lambda n: {"type": "prompt", "text": text("generic", n)}),
        "goose-lines": appended(
            share / "goose/sessions/old.jsonl", GOOSE[:1],
            lambda n: {"id": f"m{n}", "role": "user", "created": 1784278801,
                       "content": [{"type": "text", "text": text("goose-lines", n)}]}),
    }  # fmt: skip


def document_writers(home: Path) -> dict[str, Writer]:
    storage = home / ".config/Code/User/globalStorage"
    history = home / "shop/.aider.chat.history.md"
    history.parent.mkdir()
    history.write_text("# aider chat started at 2026-06-09 14:01:00\n\n")

    def aider(number: int) -> Path:
        with history.open("a") as stream:
            stream.write(f"#### {text('aider', number)}  \n\nDone.\n\n")
        return history

    def task(name: str) -> Callable[[int], Any]:
        return lambda n: [
            {"role": "user", "content": [{"type": "text", "text": text(name, k)}]}
            for k in range(n + 1)
        ]

    api = "tasks/1/api_conversation_history.json"
    return {
        "gemini-document": rewritten(
            home / ".gemini/tmp/b/chats/session-b.json",
            lambda n: {**HEADER, "sessionId": "b", "messages": [
                gemini_said("user", f"d{k}", text("gemini-document", k)) for k in range(n + 1)]}),
        "cline": rewritten(storage / "saoudrizwan.claude-dev" / api, task("cline")),
        "roo": rewritten(storage / "rooveterinaryinc.roo-cline" / api, task("roo")),
        "aider": aider,
    }  # fmt: skip


@contextmanager
def database_writers(home: Path) -> Iterator[dict[str, Writer]]:
    store = Store(home)
    store.session()
    folder = home / ".local/share/goose/sessions"
    folder.mkdir(parents=True, exist_ok=True)
    goose = sqlite3.connect(folder / "sessions.db", isolation_level=None)
    goose.execute("PRAGMA journal_mode=WAL")
    goose.execute("CREATE TABLE sessions (id, name, description, working_dir, updated_at)")
    goose.execute("CREATE TABLE messages (id integer primary key autoincrement, message_id, session_id, role, "
                  "content_json, created_timestamp, metadata_json)")  # fmt: skip
    goose.execute(
        "INSERT INTO sessions VALUES ('g1', 'Pool', '', '/w/shop', '2026-07-24T11:00:00Z')"
    )

    def to_opencode(number: int) -> Path:
        store.message(f"msg_{number:03}", "user")
        store.part(
            f"prt_{number:03}", f"msg_{number:03}", type="text", text=text("opencode", number)
        )
        return store.path.with_name("opencode.db-wal")

    def to_goose(number: int) -> Path:
        content = json.dumps([{"type": "text", "text": text("goose", number)}])
        goose.execute(
            "INSERT INTO messages (session_id, role, content_json) VALUES ('g1', 'user', ?)",
            [content],
        )
        return folder / "sessions.db-wal"

    try:
        yield {"opencode": to_opencode, "goose": to_goose}
    finally:
        goose.close()
        store.db.close()


def prompts(catalogue: Catalogue) -> Counter[str]:
    with closing(catalogue.reader()) as db:
        return Counter(row[0] for row in db.execute("SELECT preview FROM turns WHERE kind = 0"))


def test_every_host_writes_at_once_and_nothing_is_missed_or_told_twice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with database_writers(home) as stored:
        writers = {**line_writers(home), **document_writers(home), **stored}
        where = HostHome(home, {"PWD": str(home / "shop")})
        catalogue = Catalogue(tmp_path / "sessions.db", HOSTS)
        scanner = Scanner(catalogue, HOSTS, where)
        changed: list[Path] = [write(0) for write in writers.values()]
        scanner.run()
        for number in range(1, STEPS):
            changed += [write(number) for write in writers.values()]
            if number % 3 == 0:
                assert scanner.update(changed).failed == ()
                changed = []
        scanner.update(changed)
        wanted = Counter(text(name, n) for name in writers for n in range(STEPS))
        assert prompts(catalogue) == wanted
        with closing(catalogue.reader()) as db:
            (skipped,) = db.execute("SELECT COALESCE(SUM(count), 0) FROM skipped").fetchone()
            highest = db.execute("SELECT MAX(id & 0xffffff) FROM turns").fetchone()[0]
        assert skipped == 0
        assert highest < 3 * STEPS  # rows were added, not made again
        again = Catalogue(tmp_path / "again.db", HOSTS)
        fresh = Scanner(again, HOSTS, where)
        fresh.run()
        assert prompts(again) == wanted
        fresh.close()
        scanner.close()
