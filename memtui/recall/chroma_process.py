"""Chroma over one folder, in a process of its own that opens this folder and no other.

Chroma writes its files with whatever lay in the memory of its process, in places that hold no vector.
So what was deleted must never have been in that memory: a new folder takes a new process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memtui.recall.child import Child, ChildEndedError, ChildError
from memtui.recall.neighbours import Neighbour, VectorIndexError
from memtui.recall.wire import Message

MODULE = "memtui.recall.chroma_worker"

_FILLED = {"MALLOC_PERTURB_": "170"}
"""A second guard, where the C library is glibc: it overwrites memory that is given back or out, so that not
even a query's vector gets into the files.
"""


class ChromaProcess:
    """One collection of one folder. Not for two threads at once. After an error it is to be ended."""

    def __init__(self, folder: Path, collection: str, lock: int) -> None:
        """Start the process and open the folder: about a second. It holds the file of `lock` too, so that
        nobody else has the lock before it is gone. Raises VectorIndexError.
        """
        with _faults():
            self._child = Child(MODULE, str(folder), collection, environ=_FILLED, lend=(lock,))
        try:
            with _faults():
                self._child.hear()
        except VectorIndexError:
            self._child.end()
            raise

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._child.pid

    def count(self) -> int:
        """How many vectors the collection holds. Raises VectorIndexError."""
        with _faults():
            return int(self._child.ask(Message({"do": "count"})).head["count"])

    def add(self, digests: Sequence[str], blobs: Sequence[bytes]) -> None:
        """Put vectors of one length into the collection, by digest. Raises VectorIndexError."""
        with _faults():
            self._child.ask(Message({"do": "add", "digests": list(digests)}, b"".join(blobs)))

    def nearest(self, vector: bytes, k: int, patience: float | None = None) -> list[Neighbour]:
        """The `k` nearest, best first. Raises VectorIndexError, also after `patience` seconds."""
        with _faults():
            said = self._child.ask(Message({"do": "nearest", "k": k}, vector), patience).head
        return [Neighbour(str(digest), float(cosine)) for digest, cosine in said["found"]]

    def end(self) -> None:
        """End the process and wait until it is gone, whatever it is doing."""
        self._child.end()


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except ChildEndedError as error:
        raise VectorIndexError(f"the process of Chroma {error}") from error
    except ChildError as error:
        raise VectorIndexError(str(error)) from error
