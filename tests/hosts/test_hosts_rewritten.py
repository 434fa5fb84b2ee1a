"""Hosts that rewrite or append to documents: Cline, Roo, Goose's database, Aider."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memtui.hosts.access import stamp_of
from memtui.hosts.aider import blocks
from memtui.hosts.documents import Unreadable, read_json
from memtui.hosts.model import HostHome, Kind, SourceFile
from memtui.hosts.protocol import Part
from memtui.hosts.read import parse_file
from memtui.hosts.registry import host
from tests.hosts.host_fixtures import entries, texts, told

STORAGE = {"cline": "saoudrizwan.claude-dev", "roo": "rooveterinaryinc.roo-cline"}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


XML: list[dict[str, Any]] = [
    {"role": "user", "content": [text("<task>\nfix the pool\n</task>"),
                                 text("<environment_details>\n# Files\n</environment_details>")]},
    {"role": "assistant", "content": [text(
        "I look.\n<execute_command>\n<command>make test</command>\n</execute_command>")]},
    {"role": "user", "content": [text("[execute_command for 'make test'] Result:"),
                                 text("Command failed with exit code 2\nboom"),
                                 text("<environment_details></environment_details>")]},
    {"role": "assistant", "content": [text("<read_file><path>a.py</path></read_file>")]},
    {"role": "user", "content": [text("[read_file for 'a.py'] Result:\n\nThe tool execution failed: gone"),
                                 text("<feedback>\ntry b.py\n</feedback>")]},
    {"role": "assistant", "content": [text("<attempt_completion><result>Done.</result></attempt_completion>")]},
]  # fmt: skip
BLOCKS: list[dict[str, Any]] = [
    {"role": "user", "content": [text("<task>\nfix the pool\n</task>")], "ts": 1767225600000},
    {"role": "assistant", "content": [text("I look."), {
        "type": "tool_use", "id": "t1", "name": "execute_command", "input": {"command": "make test"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "exit code 2\nboom"}]},
    {"role": "assistant", "content": [{
        "type": "tool_use", "id": "t2", "name": "attempt_completion", "input": {"result": "Done."}}]},
]  # fmt: skip


def task(home: Path, name: str, messages: Any) -> Path:
    folder = home / ".config/Code/User/globalStorage" / STORAGE[name] / "tasks/1767225600000"
    folder.mkdir(parents=True, exist_ok=True)
    item = {"id": "1767225600000", "task": "Fix the pool", "workspace": "/w/shop"}
    (folder / "history_item.json").write_text(json.dumps(item))
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps(messages))
    return path


@pytest.mark.parametrize("name", ["cline", "roo"])
def test_a_task_with_calls_in_xml(tmp_path: Path, name: str) -> None:
    task(tmp_path, name, XML)
    (source,) = host(name).discover(HostHome(tmp_path))
    assert (source.session, source.title) == ("1767225600000", "Fix the pool")
    events = list(parse_file(source))
    assert texts(events, Kind.PROMPT) == ["fix the pool", "try b.py"]
    assert texts(events, Kind.ANSWER) == ["I look.", "Done."]
    assert texts(events, Kind.CALL) == ["make test", "a.py"]
    results = entries(events, Kind.RESULT)
    assert [(e.tool, e.exit_code, e.is_error) for e in results] == [
        ("execute_command", 2, True), ("read_file", None, True),
    ]  # fmt: skip
    assert [e.call for e in results] == [e.call for e in entries(events, Kind.CALL)]
    assert told(events, "cwd") == ["/w/shop"]


def test_a_task_with_calls_as_blocks(tmp_path: Path) -> None:
    task(tmp_path, "cline", BLOCKS)
    (source,) = host("cline").discover(HostHome(tmp_path))
    events = list(parse_file(source))
    assert texts(events, Kind.ANSWER) == ["I look.", "Done."]
    assert [(e.call, e.exit_code) for e in entries(events, Kind.RESULT)] == [("t1", 2)]
    assert entries(events)[0].at == 1767225600000


def test_the_command_line_client_of_cline(tmp_path: Path) -> None:
    folder = tmp_path / ".cline/data/sessions/s1"
    folder.mkdir(parents=True)
    told_beside = {"session_id": "s1", "cwd": "/w/shop", "metadata": {"title": "Pool"}}
    (folder / "s1.json").write_text(json.dumps(told_beside))
    (folder / "s1.messages.json").write_text(
        json.dumps({"version": 1, "sessionId": "s1", "messages": BLOCKS})
    )
    (source,) = host("cline").discover(HostHome(tmp_path))
    assert (source.session, source.title) == ("s1", "Pool")
    assert told(parse_file(source), "cwd") == ["/w/shop"]
    (again,) = host("cline").touched(HostHome(tmp_path), folder / "s1.json")
    assert again.path == source.path


def test_a_document_cut_in_half_is_unreadable_for_now(tmp_path: Path) -> None:
    path = task(tmp_path, "cline", XML)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(Unreadable):
        read_json(path)


def goose(home: Path, *messages: tuple[str, Any]) -> sqlite3.Connection:
    path = home / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(
        "CREATE TABLE sessions (id text primary key, name text, description text, working_dir text, updated_at)"
    )
    db.execute("CREATE TABLE messages (id integer primary key autoincrement, message_id text, session_id text, "
               "role text, content_json text, created_timestamp integer, metadata_json text)")  # fmt: skip
    db.execute("INSERT INTO sessions VALUES ('g1', 'Pool', '', '/w/shop', '2026-07-24T11:00:00Z')")
    for role, content in messages:
        say(db, role, content)
    return db


def say(db: sqlite3.Connection, role: str, content: Any, **metadata: Any) -> None:
    row = (role, json.dumps(content), json.dumps(metadata))
    db.execute("INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) "
               "VALUES ('g1', ?, ?, 1784282401, ?)", row)  # fmt: skip


def test_goose_database(tmp_path: Path) -> None:
    db = goose(tmp_path, ("user", [text("fix the pool")]), ("assistant", [text("Done.")]))
    (source,) = host("goose").discover(HostHome(tmp_path))
    assert (source.session, source.title) == ("g1", "Pool")
    events = list(parse_file(source))
    assert texts(events, Kind.PROMPT, Kind.ANSWER) == ["fix the pool", "Done."]
    assert told(events, "cwd") == ["/w/shop"]
    before = stamp_of(SourceFile("goose", source.path))
    say(db, "user", [text("summary for the model alone")], userVisible=False)
    assert stamp_of(SourceFile("goose", source.path)) != before
    assert texts(parse_file(source), Kind.NOTICE) == ["summary for the model alone"]
    database = source.path.parent
    (again,) = host("goose").touched(HostHome(tmp_path), database.with_name("sessions.db-wal"))
    assert again.path == source.path
    db.close()


HISTORY = """
# aider chat started at 2026-06-09 14:01:00

> Aider v0.86.1
> Main model: gemini/pro with diff-fenced edit format

#### fix the pool  
#### and test it  

I set the size.

#### A heading of the answer

> Tokens: 12k sent, 345 received. Cost: $0.01
> Applied edit to order/pool.py

#### /add order/pool.py  

> Added order/pool.py

#### /ask why was it 0?  

It was never set.

# aider chat started at 2026-06-10 09:00:00

#### another  
"""  # noqa: W291


def aider(tmp_path: Path, history: str = HISTORY) -> tuple[SourceFile, HostHome]:
    path = tmp_path / "shop/.aider.chat.history.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(history)
    inner = path.parent / "order"
    inner.mkdir(exist_ok=True)
    home = HostHome(tmp_path, {"PWD": str(inner)})
    (source,) = host("aider").discover(home)
    return source, home


def test_aider_history_is_a_session_per_run(tmp_path: Path) -> None:
    source, home = aider(tmp_path)
    events = list(parse_file(source))
    assert texts(events, Kind.PROMPT) == ["fix the pool\nand test it", "why was it 0?", "another"]
    assert texts(events, Kind.ANSWER) == [
        "I set the size.\n\n#### A heading of the answer", "It was never set.",
    ]  # fmt: skip
    assert [(e.text, e.paths) for e in entries(events, Kind.CALL)] == [
        ("order/pool.py", ("order/pool.py",))
    ]
    sessions = list(dict.fromkeys(told(events, "session")))
    assert [name[9:] for name in sessions] == ["2026-06-09T14-01-00", "2026-06-10T09-00-00"]
    assert set(told(events, "cwd")) == {str(source.path.parent)}
    assert [(e.tokens.input, e.tokens.output) for e in entries(events) if e.tokens] == [
        (12_000, 345)
    ]
    assert Part.TIMES in host("aider").lacks
    (again,) = host("aider").touched(home, source.path)
    assert again.path == source.path


def test_aider_history_without_the_spaces_at_line_ends() -> None:
    plain = HISTORY.replace("  \n", "\n")
    typed = next(block["text"] for block in blocks(plain) if block["type"] == "user")
    assert typed == "fix the pool\nand test it"


@pytest.mark.parametrize("end", range(0, len(HISTORY), 7))
def test_aider_history_only_grows_at_its_end(end: int) -> None:
    whole, part = list(blocks(HISTORY)), list(blocks(HISTORY[:end].rpartition("\n\n")[0]))
    assert whole[: max(0, len(part) - 1)] == part[: max(0, len(part) - 1)]
