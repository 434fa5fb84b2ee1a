"""The catalogue file: connections for reading, and what it holds at a glance."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.hosts.model import SourceFile
from memtui.hosts.protocol import Host
from memtui.sessions.schema import open_reader, open_writer, remove


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project with its sessions. `last` is the time of its newest row in milliseconds."""

    key: str
    remote: str | None
    sessions: int
    last: int | None


@dataclass(frozen=True, slots=True)
class SkippedView:
    """Records of one kind that were not understood, with the place of the first."""

    host: str
    version: str
    label: str
    reason: str
    count: int
    path: Path
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class CatalogueView:
    """What the catalogue holds. `text_behind` counts bytes not yet in the full text."""

    files: int
    gone: int
    sessions: int
    rows: int
    bytes: int
    text_behind: int


class Catalogue:
    """`sessions.db` at `path`, over `hosts`. Derived: deleting it loses nothing.

    Every reader is its own connection; give each thread its own.
    """

    def __init__(self, path: Path, hosts: Sequence[Host]) -> None:
        self.path = path
        self.hosts = {host.name: host for host in hosts}

    def prepare(self) -> None:
        """Make the file if there is none of this version. Raises sqlite3.Error, OSError."""
        open_writer(self.path).close()

    def reader(self) -> sqlite3.Connection:
        """A connection that cannot write. Raises sqlite3.Error if there is no catalogue."""
        return open_reader(self.path)

    def delete(self) -> None:
        """Remove the file; the next scan makes it again. Raises OSError."""
        remove(self.path)

    def view(self, db: sqlite3.Connection) -> CatalogueView:
        """Totals."""
        files = db.execute(
            "SELECT COUNT(*), COALESCE(SUM(gone), 0), COALESCE(SUM(offset), 0), "
            "COALESCE(SUM(CASE WHEN gone THEN 0 ELSE offset - text_offset END), 0) FROM files"
        ).fetchone()
        sessions = db.execute(
            "SELECT COUNT(*), COALESCE(SUM(n_all), 0) FROM sessions WHERE n_all > 0"
        ).fetchone()
        return CatalogueView(files[0], files[1], sessions[0], sessions[1], files[2], files[3])

    def projects(self, db: sqlite3.Connection) -> list[ProjectView]:
        """All projects, the one used last first."""
        found = db.execute(
            "SELECT project, MAX(remote), COUNT(*), MAX(ended) FROM sessions "
            "WHERE n_all > 0 AND agent = '' GROUP BY project ORDER BY 4 DESC NULLS LAST, 1"
        )
        return [ProjectView(*row) for row in found]

    def skipped(self, db: sqlite3.Connection) -> list[SkippedView]:
        """What was not understood, by host, version, record type and reason; the most first."""
        found = db.execute(
            "SELECT s.host, s.version, s.label, s.reason, SUM(s.count), f.path, s.offset, s.length "
            "FROM skipped s JOIN files f ON f.id = s.file GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4"
        )
        return [
            SkippedView(host, version, label, reason, count, Path(path), offset, length)
            for host, version, label, reason, count, path, offset, length in found
        ]


def source_of(db: sqlite3.Connection, file: int) -> SourceFile | None:
    """A catalogued file as its host knows it; None if the file is not known."""
    row = db.execute(
        "SELECT host, path, session, parent, agent, compressed FROM files WHERE id = ?", (file,)
    ).fetchone()
    if row is None:
        return None
    host, path, session, parent, agent, compressed = row
    return SourceFile(host, Path(path), session, parent, agent, bool(compressed))
