"""What a changed path is to the catalogue: a known transcript, a new one, a folder, or none of these."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.hosts.model import HostHome, SourceFile
from memtui.hosts.protocol import Host
from memtui.sessions.files import FileRow, file_at, file_with

_SUFFIXES = (".jsonl", ".json", ".zst")
"""Files with other names are no transcripts of any host, unless the host says so."""


@dataclass(frozen=True, slots=True)
class Look:
    """`file` is known and there; `source` is a transcript that is new; `settled` when it is neither
    and nothing else follows from it."""

    file: FileRow | None = None
    source: SourceFile | None = None
    settled: bool = False


def look(db: sqlite3.Connection, hosts: Sequence[Host], home: HostHome, path: Path) -> Look:
    """Look at a path as the system tells it. Raises sqlite3.Error."""
    try:
        stat = path.stat()
    except OSError:
        return Look(settled=not _was_known(db, hosts, home, path))
    if path.is_dir():
        return Look(
            settled=not any(_real(root).is_relative_to(path) for _, root in _roots(hosts, home))
        )
    if path.suffix not in _SUFFIXES:
        return Look(settled=True)
    row = file_at(db, path) or file_with(db, stat.st_dev, stat.st_ino)
    if row is not None and not row.gone and os.path.lexists(row.path):
        return Look(file=row)
    source = _discovered(hosts, home, path)
    if source is None:
        return Look(settled=row is None)
    return Look(source=source if row is None and not _elsewhere(db, source) else None)


def _roots(hosts: Sequence[Host], home: HostHome) -> Iterator[tuple[Host, Path]]:
    return ((host, root) for host in hosts for root in host.folders(home))


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path


def _names(hosts: Sequence[Host], home: HostHome, path: Path) -> Iterator[Path]:
    """The path, and what it is called where a host's folder is reached through a link."""
    yield path
    for _, root in _roots(hosts, home):
        real = _real(root)
        if real != root and path.is_relative_to(real):
            yield root / path.relative_to(real)


def _was_known(db: sqlite3.Connection, hosts: Sequence[Host], home: HostHome, path: Path) -> bool:
    """Whether what vanished was a transcript, or a folder that held some."""
    for name in map(str, _names(hosts, home, path)):
        found = db.execute(
            "SELECT 1 FROM files WHERE gone = 0 AND (path = ? OR path >= ? AND path < ?) LIMIT 1",
            (name, name + os.sep, name + chr(ord(os.sep) + 1)),
        ).fetchone()
        if found is not None:
            return True
    return False


def _discovered(hosts: Sequence[Host], home: HostHome, path: Path) -> SourceFile | None:
    """The transcript that a host finds at `path`."""
    for host, root in _roots(hosts, home):
        if path.is_relative_to(_real(root)):
            wanted = set(_names([host], home, path))
            found = next((one for one in host.discover(home) if one.path in wanted), None)
            if found is not None:
                return found
    return None


def _elsewhere(db: sqlite3.Connection, source: SourceFile) -> bool:
    """Whether the session is known from another file: then this one may be that one, moved."""
    found = db.execute(
        "SELECT 1 FROM files WHERE host = ? AND session = ? AND agent IS ? AND gone = 0 LIMIT 1",
        (source.host, source.session, source.agent),
    ).fetchone()
    return found is not None
