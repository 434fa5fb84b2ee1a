"""The one interface behind which every agent host sits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from memtui.hosts.documents import Document
from memtui.hosts.model import Entry, HostHome, RawLine, SessionInfo, Skipped, SourceFile

Event = Entry | SessionInfo | Skipped


class Part(StrEnum):
    """A part of a session that some hosts do not store."""

    TIMES = "times"
    FOLDER = "folder"
    RESULTS = "results"
    ERRORS = "errors"
    TOKENS = "tokens"
    THINKING = "thinking"
    MODEL = "model"
    CALLS = "calls"


def in_words(parts: Collection[Part]) -> str:
    """Parts of a session in their order, separated by commas."""
    return ", ".join(part.value for part in Part if part in parts)


class Parser(Protocol):
    """Reads one transcript file from first line to last, resumable between lines."""

    def feed(self, line: RawLine) -> Iterable[Event]:
        """Events of one line. Never raises on any bytes."""
        ...

    def state(self) -> dict[str, Any]:
        """What must be kept to go on after the last line fed: JSON values only."""
        ...


class Host(Protocol):
    """An agent host: where its transcripts are and how they read."""

    name: str
    label: str
    lacks: frozenset[Part]
    """What this host does not store, in any of its versions."""

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Every transcript file of this host, newest first. Missing folders yield nothing."""
        ...

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """The folders below which transcripts appear, whether they exist or not."""
        ...

    def sniff(self, head: bytes) -> bool:
        """Whether a file that starts with `head` (up to 64 KiB) is a transcript of this host."""
        ...

    def document(self, source: SourceFile) -> Document | None:
        """How `source` is read where it is not a file of lines; None where it is."""
        ...

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """The transcripts that a change of the file at `path` may concern.

        Only those that do not have that very path: a database's sessions, a folder's main file.
        """
        ...

    def resume(self, session: str) -> str | None:
        """The command line that goes on with a session; None where the host has none."""
        ...

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        """A parser at the start of `source`, or where `state` left off."""
        ...

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """The content fields of a raw record, the same through forks, rewrites and migrations."""
        ...
