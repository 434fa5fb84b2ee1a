"""Chroma in a folder, as a disposable index over the blobs.

Chroma is neither process-safe nor kill-safe, crashes on damaged files or answers wrongly from them, and
writes freed memory into new ones. So: one owner at a time under a lock; each build in a folder and a
process of its own; a mark in the store that is dirty while anything is written; and the files' hashes
checked before they are opened. Whenever in doubt the folder is thrown away and built again from the blobs.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from memtui.recall import chroma_client as chroma
from memtui.recall.chroma_process import ChromaProcess
from memtui.recall.neighbours import IndexState, Neighbour, Progress, VectorIndexError
from memtui.recall.vectors import Batch, Generation, ModelKey, VectorStore
from memtui.safety.private import private_folder
from memtui.safety.removal import remove_folder

NOTE = "chroma"

PATIENCE = 5.0
"""Seconds that a query waits for its answer, of which milliseconds are usual: the exact scan has one."""

SAMPLES = 8
SELF_COSINE = 0.999
"""What a vector's cosine with itself may be at least, after Chroma's own rounding."""


class CancelledSyncError(VectorIndexError):
    """The caller's progress function said stop."""


class Lock(Protocol):
    """A lock that is held, by whoever has its file open."""

    def fileno(self) -> int:
        """The descriptor of its file."""
        ...

    def release(self) -> None:
        """Give it back."""
        ...


@dataclass(frozen=True, slots=True)
class _Mark:
    """What the last owner left in the store about the folder."""

    folder: str = ""
    collection: str = ""
    version: str = ""
    clean: bool = False
    epoch: str = ""
    deletions: int = 0
    files: dict[str, str] = field(default_factory=dict)

    def covers(self, generation: Generation) -> bool:
        """Whether only additions lie between the mark and this generation."""
        return (self.epoch, self.deletions) == (generation.epoch, generation.deletions)


class ChromaIndex:
    """See `VectorIndex`. `acquire` takes the bank's `index` lock without waiting, or gives None.

    `query` never waits and never builds: until `sync` has run it raises VectorIndexError, and the
    caller scans the blobs. `sync` belongs in a worker.
    """

    def __init__(
        self, store: VectorStore, key: ModelKey, root: Path, acquire: Callable[[], Lock | None]
    ) -> None:
        self._store = store
        self._key = key
        self._root = root
        self._acquire = acquire
        self._name = chroma.collection_name(key)
        self._busy = threading.Lock()
        self._held: Lock | None = None
        self._chroma: ChromaProcess | None = None
        self._seen: Generation | None = None
        self._note = "not opened yet"

    def query(self, vector: bytes, k: int) -> list[Neighbour]:
        """The `k` nearest, best first. Raises VectorIndexError when it is not current or in use."""
        with self._alone():
            running = self._chroma
            if running is None or not self._current():
                raise VectorIndexError(self._note or "behind the stored vectors")
            with self._dropping():
                return running.nearest(vector, k, PATIENCE)

    def sync(self, progress: Progress | None = None) -> bool:
        """Take the lock if it is free, check the folder, bring it up to the store or rebuild it.

        True when the index is current. False when another process owns it, the work was cancelled,
        or a fresh build failed too; `state().note` says which.
        """
        with self._busy:
            if self._held is None:
                self._held = self._acquire()
            if self._held is None:
                self._note = "another process owns the Chroma index"
                return False
            try:
                # What was deleted during a build is in its files: build again.
                while not self._current():
                    self._bring_up(progress)
            except (VectorIndexError, OSError, sqlite3.Error) as error:
                self._note = str(error)
                return False
            return True

    def state(self) -> IndexState:
        """Whether it answers, and if not, why."""
        current = self._current()
        note = "" if current else self._note or "behind the stored vectors"
        return IndexState("chroma", self._store.count(self._key), current, note)

    def close(self) -> None:
        """End Chroma's process and give the lock to others."""
        with self._busy:
            self._end()
            held, self._held, self._note = self._held, None, "closed"
            if held is not None:
                held.release()

    def _current(self) -> bool:
        return self._chroma is not None and self._seen == self._store.generation()

    def _bring_up(self, progress: Progress | None) -> None:
        try:
            self._extend(progress)
        except CancelledSyncError:
            raise
        except VectorIndexError:
            self._rebuild(progress)

    def _extend(self, progress: Progress | None) -> None:
        """Open what the last owner left and add what is new. Raises VectorIndexError when in doubt."""
        mark = self._read_mark()
        batch = self._store.read(self._key)
        folder = self._root / mark.folder
        if not (mark.folder and mark.clean and mark.covers(batch.generation)):
            raise VectorIndexError("the Chroma index is of an earlier state")
        if mark.collection != self._name or mark.version != chroma.version():
            raise VectorIndexError("the Chroma index is of another model or version")
        running = self._chroma
        if running is None:
            if file_digests(folder) != mark.files:
                raise VectorIndexError("the files of the Chroma index were changed")
            running = self._open(folder)
        with self._dropping():
            start = running.count()
        self._fill(running, mark.folder, batch, start, progress)

    def _rebuild(self, progress: Progress | None) -> None:
        # What was deleted may stand in the memory of the process that knew it.
        self._end()
        self._set_mark(_Mark())
        remove_folder(self._root)
        folder = secrets.token_hex(8)
        private_folder(self._root / folder)
        running = self._open(self._root / folder)
        self._fill(running, folder, self._store.read(self._key), 0, progress)

    def _fill(
        self,
        running: ChromaProcess,
        folder: str,
        batch: Batch,
        start: int,
        progress: Progress | None,
    ) -> None:
        generation, total = batch.generation, len(batch.digests)
        with self._dropping():
            if start < total:
                self._set_mark(_Mark(folder=folder))
            for low in range(start, total, chroma.ADD_BATCH):
                high = min(low + chroma.ADD_BATCH, total)
                running.add(batch.digests[low:high], batch.blobs[low:high])
                if progress is not None and not progress(high, total):
                    raise CancelledSyncError("bringing Chroma up to date was cancelled")
            _check(running, batch)
        self._set_mark(
            _Mark(
                folder=folder,
                collection=self._name,
                version=chroma.version(),
                clean=True,
                epoch=generation.epoch,
                deletions=generation.deletions,
                files=file_digests(self._root / folder),
            )
        )
        self._seen, self._note = generation, ""

    def _open(self, folder: Path) -> ChromaProcess:
        if self._held is None:
            raise VectorIndexError("the Chroma index has no owner")
        self._chroma = ChromaProcess(folder, self._name, self._held.fileno())
        return self._chroma

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise VectorIndexError("the Chroma index is being brought up to date")
        try:
            yield
        finally:
            self._busy.release()

    @contextmanager
    def _dropping(self) -> Iterator[None]:
        """A process that failed once is not asked again."""
        try:
            yield
        except VectorIndexError as error:
            self._note = str(error)
            self._end()
            raise

    def _end(self) -> None:
        running, self._chroma, self._seen = self._chroma, None, None
        if running is not None:
            running.end()

    def _read_mark(self) -> _Mark:
        try:
            return _Mark(**json.loads(self._store.note(NOTE) or "{}"))
        except (ValueError, TypeError):
            return _Mark()

    def _set_mark(self, mark: _Mark) -> None:
        self._store.set_note(NOTE, json.dumps(asdict(mark)))


def _check(running: ChromaProcess, batch: Batch) -> None:
    """Compare Chroma with the blobs: the count, and that sampled vectors find themselves.

    Raises VectorIndexError with what is wrong.
    """
    count, expected = running.count(), len(batch.digests)
    if count != expected:
        raise VectorIndexError(f"Chroma holds {count} of {expected} vectors")
    for row in range(0, expected, max(1, expected // SAMPLES)):
        found = running.nearest(batch.blobs[row], 1)
        if not found or found[0].cosine < SELF_COSINE:
            raise VectorIndexError("a stored vector does not find itself in Chroma")


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 of each file below `folder` that Chroma reads unchecked, where damage is a wrong answer.

    Its SQLite file is left out: opening it rewrites it, and damage there raises an error.
    """
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("chroma.sqlite3"):
            with path.open("rb") as stream:
                name = path.relative_to(folder).as_posix()
                found[name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found
