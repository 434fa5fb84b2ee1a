"""Keeping the catalogue up to date with the hosts' files, which are only read."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.hosts.access import stamp_of
from memtui.hosts.model import HostHome, SourceFile
from memtui.hosts.protocol import Host
from memtui.sessions import places
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.discovery import Work, discover, plan_all, plan_some, work_of
from memtui.sessions.files import FileRow, load_file
from memtui.sessions.known_keys import KnownKeys
from memtui.sessions.project import Projects
from memtui.sessions.reading import BATCH, Batches, FileReader, Restarted
from memtui.sessions.reset import reset_files
from memtui.sessions.schema import open_writer
from memtui.sessions.titles import apply_titles

Cancelled = Callable[[], bool]
"""Asked between batches: True ends the scan after what is read so far was written."""

_PAUSE = 0.05

_MUCH = 4_000_000
"""Bytes to read from which on it pays to know in memory which records there are."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scan is. `current` is the file being read."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    current: Path | None = None


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan did. `files` were found, `read` had something new; `bytes` and `records` were read.

    `failed` are files that could not be read, with the reason. `complete` is False when the scan
    was cancelled: the next one goes on where it stopped.
    """

    files: int = 0
    read: int = 0
    bytes: int = 0
    records: int = 0
    gone: int = 0
    seconds: float = 0.0
    complete: bool = True
    failed: tuple[tuple[Path, str], ...] = ()


class Scanner:
    """Brings the catalogue up to date. One thread at a time uses it; readers are not disturbed.

    Several scanners over one catalogue, in any processes, are safe: each batch is one transaction
    that starts from what the database says. `gentle` leaves a quarter of the time to other threads.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        hosts: Sequence[Host],
        home: HostHome,
        *,
        batch: int = BATCH,
        gentle: bool = False,
    ) -> None:
        self._catalogue = catalogue
        self._hosts = hosts
        self._home = home
        self._batch = batch
        self._gentle = gentle
        self._projects = Projects(home.home)
        self._db: sqlite3.Connection | None = None

    def run(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Cancelled | None = None,
        paused: Callable[[], bool] | None = None,
    ) -> ScanReport:
        """Discover all files of all hosts and read what is new. Raises sqlite3.Error.

        `progress` is called after each batch and each file, in this thread. While `paused()` is
        true the scan waits between batches.
        """
        found = discover(self._hosts, self._home)
        batches = self._begin()
        with batches.transaction():
            plan = plan_all(batches.db, found)
            if sum(item.bytes for item in plan.work) > _MUCH:
                batches.store.known = KnownKeys()
                batches.store.known.catch_up(batches.db)
        run = _Run(self, batches, progress, cancelled, paused)
        report = run.read(plan.work, files=plan.found, gone=len(plan.gone))
        with batches.transaction():
            apply_titles(batches.db, [source for source, _ in found])
        return report

    def update(
        self, paths: Sequence[Path], cancelled: Cancelled | None = None, *, whole: bool = True
    ) -> ScanReport:
        """Read what is new in these files. New or vanished transcripts and folders cause a `run`.

        Not `whole`, as while another scanner runs, new transcripts are read by themselves, and what
        vanished is left to a later look.
        """
        batches = self._begin()
        told: list[SourceFile] = []
        work: list[Work] = []
        for path in dict.fromkeys(paths):
            touched = [source for host in self._hosts for source in host.touched(self._home, path)]
            if touched:
                told += touched
                continue
            looked = places.look(batches.db, self._hosts, self._home, path)
            if looked.file is not None:
                item = _work_at(looked.file)
                work += [item] if item is not None else []
            elif looked.settled:
                continue
            elif whole:
                return self.run(cancelled=cancelled)
            elif looked.source is not None:
                told.append(looked.source)
        if told:
            # A database and its log tell of the same sessions: each is looked at once, as it is last.
            each = {(source.host, source.path): source for source in told}
            with batches.transaction():
                work += plan_some(batches.db, each.values())
        return _Run(self, batches, None, cancelled, None).read(work, files=len(work), gone=0)

    def close(self) -> None:
        """Close the connection that writes."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _begin(self) -> Batches:
        if self._db is None:
            self._db = open_writer(self._catalogue.path)
        return Batches(self._db, self._batch)

    @property
    def gentle(self) -> bool:
        """Whether to leave time to other threads."""
        return self._gentle

    def reader(self, batches: Batches, work: Work) -> FileReader:
        """What reads one file."""
        host = next(host for host in self._hosts if host.name == work.file.host)
        return FileReader(batches, host, self._projects, work)


class _Run:
    """One pass over a list of files."""

    def __init__(
        self,
        scanner: Scanner,
        batches: Batches,
        progress: Callable[[Progress], None] | None,
        cancelled: Cancelled | None,
        paused: Callable[[], bool] | None,
    ) -> None:
        self._scanner = scanner
        self._batches = batches
        self._progress = progress
        self._cancelled = cancelled or (lambda: False)
        self._paused = paused or (lambda: False)
        self._queue: deque[Work] = deque()
        self._done = self._total = self._bytes = self._bytes_total = self._records = 0
        self._failed: list[tuple[Path, str]] = []
        self._current: Path | None = None
        self._since = time.monotonic()

    def read(self, work: Sequence[Work], *, files: int, gone: int) -> ScanReport:
        """Read every file of `work`, and those that these displace."""
        start = time.perf_counter()
        self._queue.extend(work)
        self._total, self._bytes_total = len(work), sum(item.bytes for item in work)
        complete = True
        try:
            while self._queue and complete:
                complete = self._file(self._queue.popleft())
                self._done += 1
                self._report()
            self._batches.commit()
        except BaseException:
            self._batches.rollback()
            raise
        return ScanReport(
            files, self._done, self._bytes, self._records, gone,
            time.perf_counter() - start, complete, tuple(self._failed),
        )  # fmt: skip

    def _file(self, work: Work) -> bool:
        """Read one file. False when the scan was cancelled before its end."""
        self._current = work.source.path
        try:
            if work.replaced:
                self._replace(work)
            return self._lines(self._scanner.reader(self._batches, work))
        except Restarted as restarted:
            self._requeue(restarted.files)
        except OSError as error:
            self._failed.append((work.source.path, error.strerror or str(error)))
        return True

    def _lines(self, reader: FileReader) -> bool:
        for read, records in reader.read(self._requeue):
            self._bytes += read
            self._records += records
            self._report()
            if self._cancelled():
                return False
            self._rest()
        return True

    def _rest(self) -> None:
        if self._paused():
            self._batches.commit()
        while self._paused() and not self._cancelled():
            time.sleep(_PAUSE)
        if self._scanner.gentle:
            time.sleep((time.monotonic() - self._since) / 3)
        self._since = time.monotonic()

    def _replace(self, work: Work) -> None:
        self._batches.begin()
        self._batches.store.flush()
        again = reset_files(self._batches.db, [work.file.id])
        self._batches.store.forget()
        self._requeue(again - {work.file.id})
        work.file = load_file(self._batches.db, work.file.id)
        work.replaced = False

    def _requeue(self, files: set[int]) -> None:
        """Read these again from the start, after what is being read now."""
        waiting = {item.file.id for item in self._queue}
        for file in sorted(files):
            if file in waiting:
                self._renew(file)
                continue
            row = load_file(self._batches.db, file)
            item = _work_at(row)
            if item is not None:
                self._queue.append(item)
                self._total += 1
                self._bytes_total += item.bytes

    def _renew(self, file: int) -> None:
        for item in self._queue:
            if item.file.id == file:
                item.file = load_file(self._batches.db, file)

    def _report(self) -> None:
        if self._progress is not None:
            total = max(self._bytes_total, self._bytes)
            self._progress(Progress(self._done, self._total, self._bytes, total, self._current))


def _work_at(row: FileRow) -> Work | None:
    try:
        stat = stamp_of(row.source)
    except OSError:
        return None
    if row.offset == 0:
        return Work(row, row.source, stat)
    return work_of(row, row.source, stat)
