"""Cline and Roo Code: a folder per task whose JSON files are rewritten with each step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.blocks import BLOCK_FIELDS, canonical_message
from memtui.hosts.cline_rows import ClineParser
from memtui.hosts.documents import Document, Files, read_json, read_json_or_none, record_line
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, SourceFile, Stamp
from memtui.hosts.protocol import Parser, Part
from memtui.hosts.shape import first_line, list_of, map_of, text_of

API = "api_conversation_history.json"
_MESSAGES = ".messages.json"
_TASKS = re.compile(rb'\A\s*\[\s*\{\s*"role"\s*:\s*"user"')
_MODERN = re.compile(rb'\A\s*\{\s*"version"\s*:.*?"sessionId"\s*:.*?"messages"\s*:', re.DOTALL)
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server")


class Cline(HostBase):
    """The host "cline"."""

    name = "cline"
    label = "Cline"
    extension = "saoudrizwan.claude-dev"
    lacks = frozenset({Part.TOKENS, Part.MODEL})

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        tasks = (folder / "tasks" for folder in storages(home, self.extension))
        return (*tasks, *self._cli(home))

    def _cli(self, home: HostHome) -> tuple[Path, ...]:
        """Where the command line client keeps its sessions."""
        moved = home.environ.get("CLINE_DIR")
        return (
            (Path(moved).expanduser() if moved else home.home / ".cline") / "data" / "sessions",
        )

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Tasks of every editor, and sessions of the command line client; newest first."""
        found: list[Path] = []
        for folder in self.folders(home):
            found += [*folder.glob(f"*/{API}"), *folder.glob(f"*/*{_MESSAGES}")]
        yield from newest_first(map(self.source, found))

    def source(self, path: Path) -> SourceFile:
        """The task's folder is called like it; its title is in the files beside it."""
        about = about_task(path)
        return SourceFile(
            self.name, path, session=path.parent.name, title=first_line(about["title"]) or None
        )

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """See `Host.touched`."""
        if path.suffix != ".json" or path.name == API or path.name.endswith(_MESSAGES):
            return
        for folder in self.folders(home):
            if path.is_relative_to(folder.resolve()):
                task = folder / path.relative_to(folder.resolve()).parts[0]
                beside = [task / API, *task.glob(f"*{_MESSAGES}")]
                yield from (self.source(main) for main in beside if main.exists())

    def document(self, source: SourceFile) -> Document | None:
        """See `Host.document`."""
        return TaskDocument(source.path)

    def sniff(self, head: bytes) -> bool:
        """Whether `head` begins a list of messages, or a session's messages."""
        return bool(_TASKS.match(head) or _MODERN.match(head))

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return ClineParser(source, state)

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """Role and content."""
        return canonical_message(record, BLOCK_FIELDS)


class Roo(Cline):
    """The host "roo": the same files under another name. Only the folder tells them apart."""

    name = "roo"
    label = "Roo Code"
    extension = "rooveterinaryinc.roo-cline"

    def _cli(self, home: HostHome) -> tuple[Path, ...]:
        return ()

    def sniff(self, head: bytes) -> bool:
        """Nothing in the file itself says that it is not Cline's."""
        return False


def storages(home: HostHome, extension: str) -> Iterator[Path]:
    """Where editors, here or on the far side of a remote session, keep an extension's files."""
    config = home.environ.get("XDG_CONFIG_HOME")
    roots = [
        Path(config) if config else home.home / ".config",
        home.home / "Library" / "Application Support",
    ]
    for root in roots:
        for editor in _EDITORS:
            yield root / editor / "User" / "globalStorage" / extension
    for server in _SERVERS:
        yield home.home / server / "data" / "User" / "globalStorage" / extension


def about_task(main: Path) -> dict[str, str]:
    """Title and folder of a task, from whichever file beside it tells them."""
    if main.name != API:
        notes = map_of(read_json_or_none(main.with_name(main.name.replace(_MESSAGES, ".json"))))
        title = text_of(map_of(notes.get("metadata")).get("title")) or text_of(notes.get("prompt"))
        return {"title": title, "cwd": text_of(notes.get("cwd"))}
    item = map_of(read_json_or_none(main.with_name("history_item.json")))
    if not item:
        history = read_json_or_none(main.parents[2] / "state" / "taskHistory.json")
        tasks = map(map_of, list_of(history))
        item = next((task for task in tasks if task.get("id") == main.parent.name), {})
    cwd = text_of(item.get("workspace")) or text_of(item.get("cwdOnTaskInitialization"))
    return {"title": text_of(item.get("task")), "cwd": cwd}


class TaskDocument:
    """A task's messages, after a header that says where it ran."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        return Files((self._path,)).stamp()

    def lines(self) -> Iterable[bytes]:
        """See `Document.lines`."""
        told = read_json(self._path)
        messages = told if isinstance(told, list) else list_of(map_of(told).get("messages"))
        about = about_task(self._path)
        yield record_line({"type": "task", "id": self._path.parent.name, "cwd": about["cwd"]})
        yield from map(record_line, messages)
