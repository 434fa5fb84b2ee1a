"""OpenCode: the database beside its writer, the older tree, and what is told while it grows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.access import stamp_of
from memtui.hosts.digest import record_digest
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.read import parse_file, read_record
from memtui.hosts.registry import HOSTS, host
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.scan import Scanner
from tests.hosts.host_fixtures import entries, skipped, texts, told

NOON = 1_790_000_000_000
TABLES = """
CREATE TABLE session (id text primary key, project_id text, parent_id text, directory text, title text,
  version text, time_created integer, time_updated integer);
CREATE TABLE message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text primary key, message_id text, session_id text, time_created integer,
  time_updated integer, data text);
"""


class Store:
    """An `opencode.db` with a writer that holds it open, as OpenCode does."""

    def __init__(self, home: Path) -> None:
        self.path = home / ".local/share/opencode/opencode.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.executescript(TABLES)
        self.at = NOON

    def tick(self) -> int:
        self.at += 1000
        return self.at

    def session(self, name: str = "ses_1", **columns: Any) -> None:
        at = self.tick()
        row = {"id": name, "directory": "/w/shop", "title": "Pool", "version": "1.18.0",
               "time_created": at, "time_updated": at, **columns}  # fmt: skip
        self.put("session", row)

    def message(self, name: str, role: str, session: str = "ses_1", **data: Any) -> None:
        at = self.tick()
        told = {"role": role, "time": {"created": at}, **data}
        self.put("message", {"id": name, "session_id": session, "time_created": at,
                             "time_updated": at, "data": json.dumps(told)})  # fmt: skip

    def part(self, name: str, message: str, session: str = "ses_1", **data: Any) -> None:
        at = self.tick()
        self.put("part", {"id": name, "message_id": message, "session_id": session,
                          "time_created": at, "time_updated": at, "data": json.dumps(data)})  # fmt: skip

    def put(self, table: str, row: dict[str, Any]) -> None:
        marks = ",".join("?" * len(row))
        self.db.execute(
            f"INSERT OR REPLACE INTO {table} ({','.join(row)}) VALUES ({marks})",
            tuple(row.values()),
        )

    def tool(self, name: str, message: str, status: str, tool: str = "bash", **state: Any) -> None:
        start = self.tick()
        times = {"start": start} if status == "running" else {"start": start, "end": start + 500}
        told = {"status": status, "input": {"command": "make test"}, "time": times, **state}
        self.part(name, message, type="tool", tool=tool, callID=f"call_{name}", state=told)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path)
    yield found
    found.db.close()


def conversation(store: Store) -> None:
    """A prompt, an answer, a call that failed and one of a tool that does not exist."""
    store.session()
    store.message("msg_1", "user")
    store.part("prt_1", "msg_1", type="text", text="fix the pool")
    store.part("prt_2", "msg_1", type="text", text="Called the Read tool", synthetic=True)
    store.message(
        "msg_2",
        "assistant",
        modelID="m",
        tokens={"input": 5, "output": 2, "cache": {"read": 7, "write": 1}},
    )
    at = store.tick()
    store.part("prt_3", "msg_2", type="reasoning", text="hm", time={"start": at, "end": at + 1})
    store.part("prt_4", "msg_2", type="text", text="I look.", time={"start": at + 2, "end": at + 3})
    store.tool("prt_5", "msg_2", "completed", output="boom", metadata={"exit": 127})
    store.tool("prt_6", "msg_2", "completed", tool="invalid", output="no such tool")
    store.tool("prt_7", "msg_2", "error", tool="edit", error="no match")
    store.part("prt_8", "msg_2", type="step-finish", tokens={})
    store.part("prt_9", "msg_2", type="hologram")


def finish(store: Store) -> None:
    done = store.tick()
    store.message("msg_2", "assistant", modelID="m", time={"created": NOON + 5000, "completed": done},
                  tokens={"input": 5, "output": 2, "cache": {"read": 7, "write": 1}})  # fmt: skip


def found(home: Path) -> list[SourceFile]:
    return list(host("opencode").discover(HostHome(home)))


def test_a_session_from_the_database(store: Store, tmp_path: Path) -> None:
    conversation(store)
    finish(store)
    (source,) = found(tmp_path)
    assert (source.session, source.title, source.parent) == ("ses_1", "Pool", None)
    events = list(parse_file(source))
    assert texts(events, Kind.PROMPT) == ["fix the pool"]
    assert texts(events, Kind.ANSWER, Kind.THINKING) == ["hm", "I look."]
    assert texts(events, Kind.CALL)[0] == "make test"
    assert told(events, "cwd") == ["/w/shop"]
    assert [e.tokens.input for e in entries(events) if e.tokens] == [13]
    assert skipped(events) == [("unknown type", "hologram")]


def test_23_failures_are_read_from_exit_code_tool_name_and_status(
    store: Store, tmp_path: Path
) -> None:
    conversation(store)
    results = entries(parse_file(found(tmp_path)[0]), Kind.RESULT)
    assert [(e.text, e.exit_code, e.is_error) for e in results] == [
        ("boom", 127, True), ("no such tool", None, True), ("no match", None, True),
    ]  # fmt: skip


def test_records_are_read_back_and_have_a_digest(store: Store, tmp_path: Path) -> None:
    conversation(store)
    (source,) = found(tmp_path)
    for entry in entries(parse_file(source)):
        data, again = read_record(source, entry.span)
        assert (entry.record, entry.part, entry.kind) in {(e.record, e.part, e.kind) for e in again}
        assert record_digest("opencode", json.loads(data)).startswith("1:")


def test_a_growing_session_is_read_on_and_nothing_is_told_twice(
    store: Store, tmp_path: Path
) -> None:
    catalogue = Catalogue(tmp_path / "sessions.db", HOSTS)
    scanner = Scanner(catalogue, HOSTS, HostHome(tmp_path))
    wal = store.path.with_name("opencode.db-wal")
    store.session()
    store.message("msg_1", "user")
    store.part("prt_1", "msg_1", type="text", text="fix the pool")
    scanner.run()
    store.message("msg_2", "assistant", modelID="m")
    store.tool("prt_5", "msg_2", "pending")
    scanner.update([wal])
    store.tool("prt_5", "msg_2", "running")
    scanner.update([wal])
    assert previews(catalogue) == ["fix the pool", "make test"]
    start = store.at
    state = {"status": "completed", "input": {"command": "make test"}, "output": "boom",
             "metadata": {"exit": 2}, "time": {"start": start - 1000, "end": start + 1}}  # fmt: skip
    store.part("prt_5", "msg_2", type="tool", tool="bash", callID="call_prt_5", state=state)
    scanner.update([wal])
    assert previews(catalogue) == ["fix the pool", "make test → boom"]
    finish(store)
    scanner.update([wal])
    assert previews(catalogue)[:2] == ["fix the pool", "make test → boom"]
    with closing(catalogue.reader()) as db:
        assert db.execute("SELECT MAX(id & 0xffffff) FROM turns").fetchone()[0] == 2
    scanner.close()


def previews(catalogue: Catalogue) -> list[str]:
    with closing(catalogue.reader()) as db:
        return [row[0] for row in db.execute("SELECT preview FROM turns ORDER BY id")]


def test_the_writer_is_neither_locked_nor_followed_by_new_files(
    store: Store, tmp_path: Path
) -> None:
    conversation(store)
    (source,) = found(tmp_path)
    store.db.execute("BEGIN IMMEDIATE")
    store.part("prt_x", "msg_2", type="text", text="later")
    assert "later" not in texts(parse_file(source))
    store.db.execute("COMMIT")
    assert "later" in texts(parse_file(source))
    store.db.close()
    files = sorted(store.path.parent.iterdir())
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    assert "later" in texts(parse_file(found(tmp_path)[0]))
    assert sorted(store.path.parent.iterdir()) == files
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == before
    store.db = sqlite3.connect(store.path)


def test_a_damaged_database_is_no_session_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database" * 100)
    assert found(tmp_path) == []
    with pytest.raises(OSError, match="not a database"):
        stamp_of(SourceFile("opencode", path / "ses_1"))


def tree(home: Path, session: str = "ses_1", text: str = "from the tree") -> Path:
    storage = home / ".local/share/opencode/storage"
    files = {
        f"session/prj/{session}.json": {"id": session, "directory": "/w/old", "title": "Old",
                                        "version": "1.1.0", "time": {"created": NOON}},
        f"message/{session}/msg_1.json": {"id": "msg_1", "sessionID": session, "role": "user",
                                          "time": {"created": NOON}},
        "part/msg_1/prt_1.json": {"id": "prt_1", "sessionID": session, "messageID": "msg_1",
                                  "type": "text", "text": text},
    }  # fmt: skip
    for name, value in files.items():
        path = storage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return storage


def test_17_old_tree_and_database_are_both_read_each_session_once(
    store: Store, tmp_path: Path
) -> None:
    conversation(store)
    tree(tmp_path, "ses_0")
    tree(tmp_path, "ses_1", "a copy that was moved into the database")
    sources = found(tmp_path)
    assert [(s.session, s.path.suffix) for s in sources] == [("ses_1", ""), ("ses_0", ".json")]


def test_the_tree_tells_a_session_and_is_watched(tmp_path: Path) -> None:
    storage = tree(tmp_path)
    (source,) = found(tmp_path)
    events = list(parse_file(source))
    assert texts(events, Kind.PROMPT) == ["from the tree"]
    assert told(events, "cwd") == ["/w/old"]
    before = stamp_of(source)
    part = storage / "part/msg_1/prt_2.json"
    part.write_text(json.dumps({"sessionID": "ses_1", "type": "text", "text": "and more"}))
    assert stamp_of(source) != before
    (again,) = host("opencode").touched(HostHome(tmp_path), part)
    assert again.path == source.path
    assert texts(parse_file(again), Kind.PROMPT) == ["from the tree\nand more"]


def test_child_sessions_are_sub_agents(store: Store, tmp_path: Path) -> None:
    conversation(store)
    store.session("ses_2", parent_id="ses_1", title="Explore (@general subagent)")
    store.message("msg_9", "user", "ses_2")
    store.part("prt_9b", "msg_9", "ses_2", type="text", text="look around")
    child = next(source for source in found(tmp_path) if source.session == "ses_2")
    assert (child.parent, child.agent) == ("ses_1", "subagent")
    assert told(parse_file(child), "parent") == ["ses_1"]
