"""Gemini CLI: where its chats are, how to recognise one, what identifies their content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.documents import Document, Files, read_json, record_line
from memtui.hosts.files import newest_first, sub_folders
from memtui.hosts.gemini_rows import GeminiParser
from memtui.hosts.model import HostHome, SourceFile, Stamp
from memtui.hosts.protocol import Parser
from memtui.hosts.shape import list_of, map_of, pick, text_of
from memtui.hosts.sniffing import head_records

_HEADER = {"sessionId", "startTime"}
_DOCUMENT = re.compile(rb'"projectHash"\s*:|"messages"\s*:')
_CONTENT = ("type", "content", "thoughts")
_CALL = ("id", "name", "args")
_LOOKS = re.compile(rb'\A\s*\{\s*"(?:sessionId|projectHash|lastUpdated|messages|startTime|kind)"')


class GeminiCli(HostBase):
    """The host "gemini-cli"."""

    name = "gemini-cli"
    label = "Gemini CLI"

    def root(self, home: HostHome) -> Path:
        """The host's own folder: `.gemini` in `GEMINI_CLI_HOME` or the home folder."""
        moved = home.environ.get("GEMINI_CLI_HOME")
        return (Path(moved).expanduser() if moved else home.home) / ".gemini"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home) / "tmp",)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Chats of both formats and those of sub-agents, newest first.

        A chat that was moved from JSON to JSONL exists in both: the JSONL goes on.
        """
        found: list[SourceFile] = []
        for project in sub_folders(self.root(home) / "tmp"):
            chats = project / "chats"
            for path in [*chats.glob("session-*.json*"), *chats.glob("*/*.json*")]:
                if path.suffix == ".jsonl" or (
                    path.suffix == ".json" and not path.with_suffix(".jsonl").exists()
                ):
                    found.append(self.source(path))
        yield from newest_first(found)

    def source(self, path: Path) -> SourceFile:
        """What the path of a chat tells: for a sub-agent its parent."""
        if path.parent.name == "chats" or path.parent.parent.name != "chats":
            return SourceFile(self.name, path)
        return SourceFile(
            self.name, path, session=path.stem, parent=path.parent.name, agent=path.stem
        )

    def document(self, source: SourceFile) -> Document | None:
        """The older format is one JSON document."""
        return GeminiDocument(source.path) if source.path.suffix == ".json" else None

    def sniff(self, head: bytes) -> bool:
        """Whether `head` begins like a chat of either format."""
        for record in head_records(head):
            return record.keys() >= _HEADER and "type" not in record
        return bool(_LOOKS.match(head) and _DOCUMENT.search(head) and b'"sessionId"' in head)

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return GeminiParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"gemini --resume {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """What was said and called, without results, tokens and times: those come in later."""
        fields = pick(record, _CONTENT)
        if record.get("toolCalls"):
            fields["toolCalls"] = [pick(map_of(c), _CALL) for c in list_of(record["toolCalls"])]
        if "$rewindTo" in record:
            fields["$rewindTo"] = record["$rewindTo"]
        told = map_of(record.get("$set")).get("messages")
        if told is not None:
            fields["messages"] = [self.canonical(map_of(message)) for message in list_of(told)]
        return fields


class GeminiDocument:
    """A chat that is rewritten as a whole with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        return Files((self._path,)).stamp()

    def lines(self) -> Iterable[bytes]:
        """The chat's header, and each message in the steps in which it comes to be.

        A message first has its text, then calls, then their results, then its tokens.
        """
        chat = map_of(read_json(self._path))
        yield record_line(
            {key: chat[key] for key in chat if key not in ("messages", "lastUpdated")}
        )
        for message in map(map_of, list_of(chat.get("messages"))):
            yield from map(record_line, _steps(message))


def _steps(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    calls = [map_of(call) for call in list_of(message.get("toolCalls"))]
    tokens = message.get("tokens")
    if not calls and not tokens:
        yield message
        return
    about: dict[str, Any] = {
        key: message[key] for key in ("id", "timestamp", "type", "model") if key in message
    }
    yield {key: value for key, value in message.items() if key not in ("toolCalls", "tokens")}
    for call in calls:
        yield {**about, "toolCalls": [pick(call, (*_CALL, "timestamp", "description"))]}
    for call in calls:
        if text_of(call.get("status")) in ("success", "error", "cancelled") or call.get("result"):
            yield {**about, "toolCalls": [call]}
    if tokens:
        yield {**about, "tokens": tokens}
