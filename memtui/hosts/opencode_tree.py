"""OpenCode before 1.2: a JSON file per session, per message and per part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memtui.hosts.documents import Files, read_json, read_json_or_none, record_line
from memtui.hosts.model import SourceFile, Stamp
from memtui.hosts.opencode_stream import session_stream
from memtui.hosts.shape import first_line, map_of, text_of


class JsonTree:
    """The session whose file is `storage/session/<project>/<session>.json`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._storage = path.parents[2]

    @classmethod
    def source(cls, host: str, path: Path) -> SourceFile:
        """What the session's own file tells."""
        about = map_of(read_json_or_none(path))
        parent = text_of(about.get("parentID")) or None
        return SourceFile(
            host,
            path,
            session=path.stem,
            parent=parent,
            agent="subagent" if parent else None,
            title=first_line(text_of(about.get("title"))) or None,
        )

    @classmethod
    def session_of(cls, root: Path, path: Path) -> Path | None:
        """The session file that a changed message or part belongs to."""
        storage = root / "storage"
        if not path.is_relative_to(storage):
            return None
        folder, *rest = path.relative_to(storage).parts
        if folder == "message" and len(rest) == 2:
            name = rest[0]
        elif folder == "part" and len(rest) == 2:
            name = text_of(map_of(read_json_or_none(path)).get("sessionID"))
        else:
            return None
        return next(iter((storage / "session").glob(f"*/{name}.json")), None) if name else None

    def stamp(self) -> Stamp:
        """See `Document.stamp`."""
        return Files((self._path, *self._messages(), *self._parts())).stamp()

    def lines(self) -> Iterable[bytes]:
        """See `Document.lines`."""
        about = map_of(read_json(self._path))
        header = {key: about.get(key) for key in ("id", "directory", "parentID", "version")}
        header["id"] = text_of(header["id"]) or self._path.stem
        messages = map(_read, self._messages())
        return map(record_line, session_stream(header, messages, map(_read, self._parts())))

    def _messages(self) -> list[Path]:
        return sorted((self._storage / "message" / self._path.stem).glob("*.json"))

    def _parts(self) -> Iterator[Path]:
        for message in self._messages():
            yield from sorted((self._storage / "part" / message.stem).glob("*.json"))


def _read(path: Path) -> dict[str, Any]:
    """A message or part; the folder says whose part it is. Raises Unreadable, OSError."""
    found = map_of(read_json(path))
    found.setdefault("id", path.stem)
    found.setdefault("messageID", path.parent.name)
    return found
