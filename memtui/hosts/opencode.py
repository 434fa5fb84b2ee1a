"""OpenCode: sessions in one database (since 1.2) and in a tree of JSON files (before)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.base import HostBase
from memtui.hosts.documents import Document, record_line
from memtui.hosts.files import newest_first
from memtui.hosts.model import HostHome, SourceFile, Stamp
from memtui.hosts.opencode_rows import OpenCodeParser
from memtui.hosts.opencode_store import session_in, session_records, sessions_in
from memtui.hosts.opencode_tree import JsonTree
from memtui.hosts.protocol import Parser
from memtui.hosts.shape import map_of, pick, text_of
from memtui.hosts.sqlite import file_of

_CONTENT = ("type", "text", "tool", "input", "output", "error", "files", "description")
_LOOKS = re.compile(rb'\A\{"type":"opencode\.session"')


class OpenCode(HostBase):
    """The host "opencode"."""

    name = "opencode"
    label = "OpenCode"

    def root(self, home: HostHome) -> Path:
        """The host's data folder: `OPENCODE_DATA_DIR`, or `opencode` in the data folder of XDG."""
        if moved := home.environ.get("OPENCODE_DATA_DIR"):
            return Path(moved).expanduser()
        data = home.environ.get("XDG_DATA_HOME")
        return (Path(data) if data else home.home / ".local" / "share") / "opencode"

    def folders(self, home: HostHome) -> tuple[Path, ...]:
        """See `Host.folders`."""
        return (self.root(home),)

    def discover(self, home: HostHome) -> Iterator[SourceFile]:
        """Sessions of the databases, and those of the tree that no database has."""
        root = self.root(home)
        found: list[SourceFile] = []
        for database in sorted(root.glob("opencode*.db")):
            found.extend(self._stored(database))
        known = {source.session for source in found}
        yield from found
        tree = (
            JsonTree.source(self.name, path)
            for path in (root / "storage" / "session").glob("*/*.json")
        )
        yield from newest_first(source for source in tree if source.session not in known)

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """See `Host.touched`."""
        root = self.root(home)
        database = file_of(path)
        if database is not None and database.parent.resolve() == root.resolve():
            yield from self._stored(root / database.name)
        elif path.suffix == ".json" and (session := JsonTree.session_of(root, path)) is not None:
            yield JsonTree.source(self.name, session)

    def _stored(self, database: Path) -> list[SourceFile]:
        try:
            return list(sessions_in(self.name, database))
        except OSError:
            return []

    def document(self, source: SourceFile) -> Document | None:
        """See `Host.document`."""
        if source.path.suffix == ".json":
            return JsonTree(source.path)
        return StoredSession(source.path.parent, source.path.name)

    def sniff(self, head: bytes) -> bool:
        """A database is none of the files that can be told by their head alone."""
        return bool(_LOOKS.match(head))

    def parser(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> Parser:
        return OpenCodeParser(source, state)

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return f"opencode --session {session}"

    def canonical(self, record: Mapping[str, Any]) -> Any:
        """What was said, called and returned."""
        fields = pick(record, _CONTENT)
        if parts := record.get("parts"):
            fields["parts"] = [text_of(map_of(part).get("text")) for part in parts]
        return fields


class StoredSession:
    """One session of a database."""

    def __init__(self, database: Path, session: str) -> None:
        self._database = database
        self._session = session

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        return session_in(self._database, self._session)

    def lines(self) -> Iterable[bytes]:
        """See `Document.lines`."""
        return map(record_line, session_records(self._database, self._session))
