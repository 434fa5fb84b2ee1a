"""Which transcript files there are, and which of them must be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memtui.hosts.access import stamp_of
from memtui.hosts.model import HostHome, SourceFile, Stamp
from memtui.hosts.protocol import Host
from memtui.sessions.files import (
    UNFINISHED,
    Fate,
    FileRow,
    fate_of,
    file_at,
    has_head,
    load_files,
    new_file,
    save_place,
)
from memtui.sessions.store import next_rev


@dataclass(slots=True)
class Work:
    """A file to read from its row's offset on; `stat` is what was on disk when that was decided."""

    file: FileRow
    source: SourceFile
    stat: Stamp
    replaced: bool = False

    @property
    def bytes(self) -> int:
        """About how many bytes there are to read."""
        return max(0, self.stat.st_size - (0 if self.replaced else self.file.offset))


@dataclass(slots=True)
class Plan:
    """What discovery found: files to read, newest first, and how many there are in all."""

    work: list[Work] = field(default_factory=list)
    found: int = 0
    gone: list[FileRow] = field(default_factory=list)


def discover(hosts: Sequence[Host], home: HostHome) -> list[tuple[SourceFile, Stamp]]:
    """Every transcript of every host with its stat, newest first. Files that vanish are left out."""
    found: list[tuple[SourceFile, Stamp]] = []
    for host in hosts:
        for source in host.discover(home):
            try:
                found.append((source, stamp_of(source)))
            except OSError:
                continue
    found.sort(key=lambda item: (-item[1].st_mtime_ns, str(item[0].path)))
    return found


def plan_all(db: sqlite3.Connection, found: list[tuple[SourceFile, Stamp]]) -> Plan:
    """Match what is on disk with what is known; the caller holds the transaction."""
    known = load_files(db)
    plan = Plan(found=len(found))
    paths = {str(source.path) for source, _ in found}
    lost = [row for path, row in known.items() if path not in paths]
    for source, stat in found:
        row = known.get(str(source.path)) or _moved(db, source, stat, lost)
        work = _work(db, row, source, stat)
        if work is not None:
            plan.work.append(work)
    plan.gone = [row for row in lost if not row.gone]
    mark_gone(db, plan.gone)
    plan.work = _older_first_within_session(plan.work)
    return plan


def plan_some(db: sqlite3.Connection, sources: Iterable[SourceFile]) -> list[Work]:
    """What there is to read of these transcripts; the caller holds the transaction."""
    work: list[Work] = []
    for source in sources:
        try:
            stat = stamp_of(source)
        except OSError:
            continue
        item = _work(db, file_at(db, source.path), source, stat)
        if item is not None:
            work.append(item)
    return work


def _work(
    db: sqlite3.Connection, row: FileRow | None, source: SourceFile, stat: Stamp
) -> Work | None:
    if row is None:
        return Work(new_file(db, source), source, stat)
    if row.gone:
        row.gone = 0
        mark_present(db, row.id)
    return work_of(row, source, stat)


def work_of(row: FileRow, source: SourceFile, stat: Stamp) -> Work | None:
    """What there is to read of a known file, or None if it is as it was."""
    try:
        fate = fate_of(row, stat)
    except OSError:
        return None
    return None if fate is Fate.SAME else Work(row, source, stat, fate is Fate.REPLACED)


def _moved(
    db: sqlite3.Connection, source: SourceFile, stat: Stamp, lost: list[FileRow]
) -> FileRow | None:
    """The known file that now has this path: renamed, moved to another folder, or compressed."""
    for row in lost:
        if (
            row.host != source.host
            or row.session != source.session
            or not _same_file(row, source, stat)
        ):
            continue
        lost.remove(row)
        compressed = bool(row.compressed) is not source.compressed
        row.path, row.compressed, row.gone = str(source.path), int(source.compressed), 0
        row.parent, row.agent = source.parent, source.agent
        if compressed:
            row.device, row.inode, row.size = stat.st_dev, stat.st_ino, UNFINISHED
        save_place(db, row)
        mark_present(db, row.id)
        return row
    return None


def _same_file(row: FileRow, source: SourceFile, stat: Stamp) -> bool:
    if row.head_length == 0:
        return (row.device, row.inode) == (stat.st_dev, stat.st_ino)
    try:
        return has_head(row, source)
    except OSError:
        return False


def _older_first_within_session(work: list[Work]) -> list[Work]:
    """Newest session first; the files of one session in the order in which they were begun."""
    groups: dict[tuple[str, str | None, str | None], list[Work]] = {}
    for item in work:
        source = item.source
        name = source.session or str(source.path)
        groups.setdefault((source.host, name, source.agent), []).append(item)
    return [
        item
        for group in groups.values()
        for item in sorted(group, key=lambda w: (w.source.path.name, w.stat.st_mtime_ns))
    ]


def mark_gone(db: sqlite3.Connection, rows: Iterable[FileRow]) -> None:
    """Files that vanished: what was read from them stays, marked."""
    for row in rows:
        row.gone = 1
        db.execute("UPDATE files SET gone = 1 WHERE id = ?", (row.id,))
        db.execute(
            "UPDATE sessions SET gone = 1, rev = ? WHERE id IN (SELECT session FROM session_files "
            "WHERE file = ?) AND NOT EXISTS (SELECT 1 FROM session_files sf JOIN files f "
            "ON f.id = sf.file WHERE sf.session = sessions.id AND f.gone = 0)",
            (next_rev(db), row.id),
        )


def mark_present(db: sqlite3.Connection, file: int) -> None:
    """A file that had vanished is there again."""
    db.execute("UPDATE files SET gone = 0 WHERE id = ?", (file,))
    db.execute(
        "UPDATE sessions SET gone = 0, rev = ? WHERE gone = 1 AND id IN "
        "(SELECT session FROM session_files WHERE file = ?)",
        (next_rev(db), file),
    )
