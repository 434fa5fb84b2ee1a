"""Small made-up transcripts in the shapes of the real ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memtui.hosts.model import Entry, Kind, RawLine, SessionInfo, Skipped, SourceFile
from memtui.hosts.protocol import Event
from memtui.hosts.read import parse_file
from memtui.hosts.registry import host

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


def row(kind: str, uuid: str, **fields: Any) -> dict[str, Any]:
    """A Claude Code tree row."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/w/shop",
        "sessionId": SESSION,
        "version": "2.1.197",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": "2026-08-26T09:12:31.250Z",
        **fields,
    }


def user(text: Any, uuid: str = "u1", **fields: Any) -> dict[str, Any]:
    return row("user", uuid, message={"role": "user", "content": text}, **fields)


def assistant(
    *blocks: dict[str, Any], uuid: str = "a1", message: str = "msg_1", output: int = 9
) -> dict[str, Any]:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": output,
    }
    body = {
        "id": message,
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
        "usage": usage,
    }
    return row("assistant", uuid, message=body, requestId="req_1")


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def tool_use(name: str, values: dict[str, Any], call: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": values}


def tool_result(
    content: Any, told: Any = None, call: str = "toolu_1", uuid: str = "r1", **block: Any
) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call, "content": content, **block}
    return user([result], uuid, toolUseResult=told)


def attachment(kind: str, uuid: str = "t1", **fields: Any) -> dict[str, Any]:
    return row("attachment", uuid, attachment={"type": kind, **fields})


def meta(
    session: str = "019ed50c-2fb3-7002-a384-360bea6e7f04",
    at: str = "2026-06-17T10:06:46.240Z",
    **fields: Any,
) -> dict[str, Any]:
    """A Codex `session_meta` line."""
    payload = {"id": session, "timestamp": at, "cwd": "/w/shop", "cli_version": "0.171.0", **fields}
    return {"timestamp": at, "type": "session_meta", "payload": payload}


def item(kind: str, at: str = "2026-06-17T10:07:00.000Z", **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": "response_item", "payload": {"type": kind, **payload}}


def event(kind: str, at: str = "2026-06-17T10:07:00.000Z", **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": "event_msg", "payload": {"type": kind, **payload}}


def message(role: str, *texts: str, **fields: Any) -> dict[str, Any]:
    block = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": block, "text": t} for t in texts], **fields)


def lines(records: Iterable[Any]) -> bytes:
    """Records as JSONL; bytes are taken as they are."""
    rows = [
        r if isinstance(r, bytes) else json.dumps(r, ensure_ascii=False).encode() for r in records
    ]
    return b"".join(line + b"\n" for line in rows)


def claude_source(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return SourceFile("claude-code", path, session=path.stem)


def codex_source(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return SourceFile("codex", path)


def feed(name: str, *records: Any, agent: str | None = None) -> list[Event]:
    """The events of records fed one line each."""
    parser = host(name).parser(SourceFile(name, Path("made-up.jsonl"), agent=agent))
    events: list[Event] = []
    offset = 0
    for ordinal, record in enumerate(records):
        data = (
            record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()
        )
        events.extend(parser.feed(RawLine(ordinal, offset, data)))
        offset += len(data) + 1
    return events


def entries(events: Iterable[Event], *kinds: Kind) -> list[Entry]:
    """The entries among events, of `kinds` if any are given."""
    return [e for e in events if isinstance(e, Entry) and (not kinds or e.kind in kinds)]


def texts(events: Iterable[Event], *kinds: Kind) -> list[str]:
    return [entry.text for entry in entries(events, *kinds)]


def skipped(events: Iterable[Event]) -> list[tuple[str, str]]:
    return [(e.reason, e.label) for e in events if isinstance(e, Skipped)]


def title(events: Iterable[Event]) -> str | None:
    """The title that wins: the highest rank, the last of equals."""
    best: SessionInfo | None = None
    for e in events:
        if (
            isinstance(e, SessionInfo)
            and e.title
            and (best is None or e.title_rank >= best.title_rank)
        ):
            best = e
    return best.title if best else None


def told(events: Iterable[Event], name: str) -> list[Any]:
    """Every value that the events told for a field of the session."""
    values = [getattr(e, name) for e in events if isinstance(e, SessionInfo)]
    return [value for value in values if value is not None]


def parse(source: SourceFile) -> list[Event]:
    return list(parse_file(source))


def call_rows() -> list[dict[str, Any]]:
    """A Codex patch: the call, the event that tells how it ended, and its output."""
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    changes = {"/w/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n"}}
    return [
        item("custom_tool_call", name="apply_patch", input=patch, call_id="c1"),
        event("patch_apply_end", call_id="c1", success=True, changes=changes),
        item(
            "custom_tool_call_output",
            call_id="c1",
            output="Exit code: 0\nWall time: 0 seconds\nOutput:\nok",
        ),
    ]
