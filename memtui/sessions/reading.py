"""Reading one file in batches: each is one transaction with rows, offset and parser state."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

from memtui.hosts.access import open_lines
from memtui.hosts.model import Skipped
from memtui.hosts.protocol import Host
from memtui.sessions.discovery import Work
from memtui.sessions.files import (
    FileRow,
    dump_state,
    load_file,
    note_end,
    note_marks,
    note_place,
    save_file,
)
from memtui.sessions.ingest import Ingest
from memtui.sessions.project import Projects
from memtui.sessions.reset import reset_files
from memtui.sessions.store import Store, next_rev

BATCH = 8_000
"""Records of one transaction."""

_BATCH_SECONDS = 0.5
_MAX_DISPLACED = 3


class Restarted(Exception):  # noqa: N818
    """The file being read was reset together with others: all of `files` must be read again."""

    def __init__(self, files: set[int]) -> None:
        super().__init__(f"{len(files)} files must be read again")
        self.files = files


class Batches:
    """The writer's transactions. Another writer may come between two of them: that is noticed."""

    def __init__(self, db: sqlite3.Connection, size: int) -> None:
        self.db = db
        self.store = Store(db)
        self._size = size
        self._rev = -1
        self._since = 0.0
        self.displaced: Counter[int] = Counter()

    @property
    def open(self) -> bool:
        """Whether a transaction is open."""
        return self.db.in_transaction

    def begin(self) -> bool:
        """Open a transaction if none is open. True if someone else wrote since the last one."""
        if self.open:
            return False
        self.db.execute("BEGIN IMMEDIATE")
        self._since = time.monotonic()
        rev = self._current_rev()
        changed, self._rev = rev != self._rev, rev
        if changed:
            self.store.forget()
        return changed

    def commit(self) -> None:
        """Write what is held, if a transaction is open."""
        if not self.open:
            return
        self.store.flush()
        self._rev = next_rev(self.db)
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        """Give up what is held."""
        if self.open:
            self.db.execute("ROLLBACK")
        self._rev = -1

    @property
    def full(self) -> bool:
        """Whether it is time to commit."""
        pending = self.store.pending
        if pending >= self._size:
            return True
        return time.monotonic() - self._since > _BATCH_SECONDS and self.open

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction around a block."""
        self.begin()
        try:
            yield
        except BaseException:
            self.rollback()
            raise
        self.commit()

    def _current_rev(self) -> int:
        found = self.db.execute("SELECT value FROM meta WHERE key = 'rev'").fetchone()
        return int(found[0]) if found else 0


class FileReader:
    """Reads one file from where its row says to its end."""

    def __init__(self, batches: Batches, host: Host, projects: Projects, work: Work) -> None:
        self._batches = batches
        self._host = host
        self._projects = projects
        self._work = work
        self._displaced: set[int] = set()

    def read(self, requeue: Callable[[set[int]], None]) -> Generator[tuple[int, int], None, None]:
        """Read to the end; yields bytes and records after each batch and at the end.

        Files that hold copies of this one's records are handed to `requeue`. Raises OSError, and
        Restarted when this file itself must be read again.
        """
        again = True
        while again:
            again = yield from self._pass()
        if self._displaced:
            requeue(self._displaced)

    def _pass(self) -> Generator[tuple[int, int], None, bool]:
        """One go at the file. Returns True if another writer has read on in it meanwhile."""
        batches, work = self._batches, self._work
        batches.begin()
        row = load_file(batches.db, work.file.id)
        state = row.parser_state() or {}
        parser = self._host.parser(work.source, state.get("parser"))
        ingest = Ingest(batches.store, self._projects, row, self._displace)
        ingest.resume(state.get("session"), state.get("agent"))
        reader = open_lines(work.source, row.offset, row.ordinal)
        note_place(row, work.stat)
        start, records = row.offset, 0
        save = _Saver(batches.db, row, parser.state, ingest)
        with save, closing(iter(reader)) as lines:
            for line in lines:
                if isinstance(line, Skipped):
                    ingest.skip(line)
                else:
                    ingest.take(parser.feed(line), line.ordinal)
                records += 1
                row.offset, row.ordinal = reader.offset, reader.ordinal
                if not batches.full:
                    continue
                save.write()
                batches.commit()
                yield row.offset - start, records
                start, records = row.offset, 0
                if batches.begin() and load_file(batches.db, row.id).offset != row.offset:
                    return True
            row.offset, row.ordinal = reader.offset, reader.ordinal
            note_end(row, work.stat)
            save.write()
        yield row.offset - start, records
        return False

    def _displace(self, file: int) -> bool:
        """Forget what was read from a copy, so that this file's records take its place.

        False when that was done too often in one scan: then records say different things about
        which file came first, and the copy keeps what it has.
        """
        batches = self._batches
        batches.displaced[file] += 1
        if batches.displaced[file] > _MAX_DISPLACED:
            return False
        batches.store.flush()
        again = reset_files(batches.db, [file])
        batches.store.forget()
        if self._work.file.id in again:
            raise Restarted(again | self._displaced)
        self._displaced |= again
        return True


class _Saver:
    """Writes where reading stands into the file's row, also when reading ends with an OSError."""

    def __init__(
        self,
        db: sqlite3.Connection,
        row: FileRow,
        state: Callable[[], dict[str, Any]],
        ingest: Ingest,
    ) -> None:
        self._db = db
        self._row = row
        self._state = state
        self._ingest = ingest

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, OSError):
            self._save()

    def write(self) -> None:
        """Save, with the bytes by which the file is known again. Raises OSError."""
        note_marks(self._row)
        self._save()

    def _save(self) -> None:
        session, agent = self._ingest.name
        self._row.state = dump_state({"parser": self._state(), "session": session, "agent": agent})
        save_file(self._db, self._row)
