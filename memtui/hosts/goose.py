"""Goose: sessions in one database, and a JSONL file per session before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import result_entry
from memtui.hosts.decode import decode_text
from memtui.hosts.documents import Document, record_line
from memtui.hosts.feeding import Context
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, Kind, SourceFile, Stamp
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event, Parser, Part
from memtui.hosts.shape import (
    first_line,
    joined_text,
    list_of,
    map_of,
    millis,
    pick,
    text_of,
    text_or_none,
)
from memtui.hosts.sniffing import head_records
from memtui.hosts.sqlite import Reading, Row, file_of, numbered, place_stamp

_COUNTED = "SELECT session_id AS id, COUNT(*) AS n, MAX(id) AS last FROM messages GROUP BY 1"


class Goose(HostBase):
    """The host "goose"."""

    name = "goose"
    label = "Goose"
    lacks = frozenset({Part.TOKENS, Part.MODEL})

    def root(self, home: HostHome) -> Path:
        """The folder of sessions: below `GOOSE_PATH_ROOT`, or in the data folder of XDG."""
        if moved := home.environ.get("GOOSE_PATH_ROOT"):
            return Path(moved).expanduser() / "data" / "sessions"
        data = home.environ.get("XDG_DATA_HOME")
        return (Path(data) if data else home.home / ".local" / "share") / "goose" / "sessions"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home),)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Sessions of the database, and files of sessions that it does not have."""
        root = self.root(home)
        stored = self._stored(root / "sessions.db")
        known = {source.session for source in stored}
        yield from stored
        yield from newest_first(
            SourceFile(self.name, path, session=path.stem)
            for path in root.glob("*.jsonl")
            if path.stem not in known
        )

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """See `Host.touched`."""
        database = file_of(path)
        root = self.root(home)
        if database is not None and database.parent.resolve() == root.resolve():
            yield from self._stored(root / database.name)

    def _stored(self, database: Path) -> list[SourceFile]:
        try:
            with Reading(database) as db:
                rows = db.rows("SELECT * FROM sessions")
                counts = dict(numbered(db.rows(_COUNTED), "id"))
            return [
                SourceFile(
                    self.name, database / session, session=session,
                    title=first_line(text_of(row.get("name")) or text_of(row.get("description"))) or None,
                    stamp=_stamp(database, session, row, counts.get(session, {})),
                )
                for session, row in numbered(rows, "id")
            ]  # fmt: skip
        except OSError:
            return []

    def document(self, source: SourceFile) -> Document | None:
        """See `Host.document`."""
        if source.path.suffix == ".jsonl":
            return None
        return StoredSession(source.path.parent, source.path.name)

    def sniff(self, head: bytes) -> bool:
        """Whether the first record is the header of a session file."""
        for record in head_records(head):
            return "working_dir" in record and "role" not in record and "type" not in record
        return False

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return GooseParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"goose session --resume --session-id {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Role and content."""
        return pick(record, ("role", "content"))


class StoredSession:
    """One session of the database: its rows are added, and replaced as a whole when compacted."""

    def __init__(self, database: Path, session: str) -> None:
        self._database = database
        self._session = session

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        with Reading(self._database) as db:
            row = self._row(db)
            counted = db.rows(f"SELECT * FROM ({_COUNTED}) WHERE id = ?", [self._session])
        return _stamp(self._database, self._session, row, counted[0] if counted else {})

    def lines(self) -> Iterable[bytes]:
        """See `Document.lines`."""
        with Reading(self._database) as db:
            row = self._row(db)
            messages = db.rows(
                "SELECT * FROM messages WHERE session_id = ? ORDER BY id", [self._session]
            )
        yield record_line({"id": self._session, "working_dir": row.get("working_dir")})
        for message in messages:
            yield record_line(
                {
                    "id": message.get("message_id") or str(message.get("id")),
                    "role": message.get("role"),
                    "created": message.get("created_timestamp"),
                    "content": decode_text(text_of(message.get("content_json"))),
                    "metadata": decode_text(text_of(message.get("metadata_json"))),
                }
            )

    def _row(self, db: Reading) -> Row:
        rows = db.rows("SELECT * FROM sessions WHERE id = ?", [self._session])
        if not rows:
            raise FileNotFoundError(f"{self._database} has no session {self._session}")
        return rows[0]


def _stamp(database: Path, session: str, row: Row, counted: Row) -> Stamp:
    last = counted.get("last") or 0
    size = int(counted.get("n") or 0) + (last if isinstance(last, int) else 0) * 1_000_000
    return place_stamp(database, session, size, millis(row.get("updated_at")) or 0)


class GooseParser(PlainParser):
    """Reads one session. See `memtui.hosts.protocol.Parser`."""

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        if "working_dir" in row and "role" not in row:
            yield from self.begin(
                text_of(row.get("id")) or self.session_name(),
                cwd=text_or_none(row.get("working_dir")),
            )
            yield from self.named(text_of(row.get("description")))
            return
        role = text_of(row.get("role"))
        if role not in ("user", "assistant"):
            yield context.skipped("unknown type", role, self.version)
            return
        record, at = text_of(row.get("id")) or context.ordinal_id, row.get("created")
        hidden = map_of(row.get("metadata")).get("userVisible") is False
        typed: list[str] = []
        for part, block in enumerate(map(map_of, list_of(row.get("content")))):
            kind, text = text_of(block.get("type")), text_of(block.get("text"))
            if kind == "toolRequest":
                call = map_of(block.get("toolCall"))
                value = map_of(call.get("value")) or call
                yield self.called(
                    context, record, at, text_of(value.get("name")), value.get("arguments"),
                    text_of(block.get("id")), part=part, message=record,
                )  # fmt: skip
                if error := text_of(call.get("error")):
                    yield result_entry(
                        self, context, record, at, text_of(block.get("id")), error, failed=True,
                        part=part,
                    )  # fmt: skip
            elif kind == "toolResponse":
                yield self._result(context, record, at, part, block)
            elif kind in ("thinking", "reasoning"):
                thought = text_of(block.get("thinking")) or text
                yield context.entry(Kind.THINKING, record, at, part=part, text=thought)
            elif kind in ("summarizationRequested", "contextLengthExceeded", "systemNotification"):
                said = text_of(block.get("msg")) or kind
                yield context.entry(Kind.NOTICE, record, at, part=part, text=said)
            elif role == "assistant" and text.strip():
                yield context.entry(Kind.ANSWER, record, at, part=part, text=text, message=record)
            elif role == "user":
                typed.append(text or f"[{kind}]")
        if any(text.strip() for text in typed):
            said_by = Kind.NOTICE if hidden else Kind.PROMPT
            yield context.entry(said_by, record, at, part=100, text="\n".join(typed))

    def _result(
        self, context: Context, record: str, at: Any, part: int, block: Mapping[str, Any]
    ) -> Event:
        result = map_of(block.get("toolResult"))
        value = result.get("value")
        content = map_of(value).get("content") if isinstance(value, dict) else value
        failed = result.get("status") == "error" or map_of(value).get("isError") is True
        text = joined_text(content) or text_of(result.get("error"))
        return result_entry(
            self, context, record, at, text_of(block.get("id")), text, failed=failed, part=part
        )
