"""A home folder with made-up Claude Code transcripts, and the catalogue over it."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.hosts.model import HostHome
from memtui.hosts.registry import HOSTS
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import Facet
from memtui.sessions.scan import Scanner, ScanReport
from memtui.sessions.timeline import SessionRow, Timeline, TurnRow

NOON = 1_790_000_000_000
"""When a made-up session begins, in milliseconds."""


def stamp(at: int) -> str:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session_id(number: int) -> str:
    return str(uuid.UUID(int=number, version=4))


@dataclass
class Talk:
    """The rows of one transcript. Every row gets a UUID of its own and a later time."""

    session: str = field(default_factory=lambda: session_id(1))
    at: int = NOON
    cwd: str = "/w/shop"
    agent: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0

    def row(self, kind: str, **fields: Any) -> Talk:
        self.at += 1000
        name = uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{self.agent}/{self.at}")
        row = {
            "parentUuid": None, "isSidechain": self.agent is not None, "cwd": self.cwd,
            "sessionId": self.session, "version": "2.1.197", "gitBranch": "main", "type": kind,
            "uuid": str(name), "timestamp": stamp(self.at),
        }  # fmt: skip
        self.rows.append({**row, **fields})
        return self

    def prompt(self, text: str) -> Talk:
        return self.row("user", message={"role": "user", "content": text})

    def say(self, *blocks: Any, message: str | None = None, output: int = 10) -> Talk:
        """One assistant row; a block given as text is a text block."""
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        body = {
            "id": message or f"msg_{len(self.rows)}", "role": "assistant", "model": "claude-x",
            "content": content, "usage": {"input_tokens": 5, "output_tokens": output},
        }  # fmt: skip
        return self.row("assistant", message=body)

    def call(self, command: str, message: str | None = None) -> str:
        """A Bash call; returns its id."""
        self.calls += 1
        name = f"toolu_{self.session[-4:]}_{self.agent}_{self.calls}"
        block = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
        self.say(block, message=message)
        return name

    def result(self, call: str, text: str = "ok", failed: bool = False, **told: Any) -> Talk:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
        if failed:
            block["is_error"] = True
        fields = {"toolUseResult": told} if told else {}
        return self.row("user", message={"role": "user", "content": [block]}, **fields)

    def run(self, command: str, text: str = "ok", failed: bool = False) -> Talk:
        return self.result(self.call(command), text, failed)

    @property
    def data(self) -> bytes:
        return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows)


class World:
    """A home with transcripts and the catalogue over it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.folder = self.home / ".claude" / "projects" / "-w-shop"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.catalogue = Catalogue(root / "sessions.db", HOSTS)

    def write(self, talk: Talk, data: bytes | None = None, mtime: int | None = None) -> Path:
        """Write a talk where Claude Code would; `mtime` in milliseconds."""
        if talk.agent is None:
            path = self.folder / f"{talk.session}.jsonl"
        else:
            path = self.folder / talk.session / "subagents" / f"agent-{talk.agent}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(talk.data if data is None else data)
        at = talk.at if mtime is None else mtime
        os.utime(path, ns=(at * 1_000_000, at * 1_000_000))
        return path

    def scan(self, **options: Any) -> ScanReport:
        return scan(self.home, self.catalogue, **options)

    def timeline(self, facet: Facet = Facet.ALL, **options: Any) -> Timeline:
        return Timeline(self.catalogue.path, None, facet, **options)

    def turns(self, facet: Facet = Facet.ALL) -> list[TurnRow]:
        timeline = self.timeline(facet)
        try:
            rows = timeline.rows(0, len(timeline))
            return [row.turn for row in rows if row.turn is not None]
        finally:
            timeline.close()

    def sessions(self, facet: Facet = Facet.ALL) -> list[SessionRow]:
        timeline = self.timeline(facet)
        try:
            return timeline.sessions()
        finally:
            timeline.close()

    def fresh(self) -> World:
        """The same home with a catalogue of its own, never scanned."""
        other = object.__new__(World)
        other.home, other.folder = self.home, self.folder
        number = len(list(self.catalogue.path.parent.glob("*.db")))
        other.catalogue = Catalogue(self.catalogue.path.with_name(f"again{number}.db"), HOSTS)
        return other


def scan(home: Path, catalogue: Catalogue, **options: Any) -> ScanReport:
    scanner = Scanner(catalogue, HOSTS, HostHome(home), **options)
    try:
        return scanner.run()
    finally:
        scanner.close()


def content(catalogue: Catalogue) -> list[Any]:
    """What a catalogue says, without row ids and sequence numbers, in an order of its own."""
    db = catalogue.reader()
    try:
        sessions = db.execute(
            "SELECT s.id, s.host, s.session, s.agent, s.project, s.cwds, s.branch, s.title, "
            "s.title_rank, s.version, s.model, s.parent_id, p.session, s.started, s.ended, s.gone, "
            "s.n_turns, s.n_all, s.n_prompts, s.n_calls, s.n_errors, s.n_diffs, s.n_thinking "
            "FROM sessions s LEFT JOIN sessions p ON p.id = s.parent WHERE s.n_all > 0 "
            "ORDER BY s.host, s.session, s.agent"
        ).fetchall()
        return [(session[1:], _rows(db, session[0])) for session in sessions]
    finally:
        db.close()


def _rows(db: Any, session: int) -> list[Any]:
    turns = db.execute(
        "SELECT id, kind, flags, facets, record, part, at, message, call, tool, exit_code, agent, "
        "tokens_in, tokens_out, tokens_cached, calls, failed, command, preview FROM turns "
        "WHERE id >> 24 = ? ORDER BY id",
        (session,),
    ).fetchall()
    places: dict[int, list[Any]] = {}
    for turn, *place in db.execute(
        "SELECT r.turn, r.key, r.part, r.kind, f.path, r.offset, r.length, r.ordinal FROM records r "
        "JOIN files f ON f.id = r.file WHERE r.turn >> 24 = ? ORDER BY r.id",
        (session,),
    ):
        places.setdefault(turn, []).append(tuple(place))
    return [(turn[1:], places.get(turn[0])) for turn in turns]
