"""The interface of every vector index, and the exact scan over the blobs that needs no index at all."""

from __future__ import annotations

import heapq
import importlib
import importlib.util
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from operator import mul
from typing import Any, Protocol

from memtui.recall.embed import pack, unpack
from memtui.recall.vectors import Generation, ModelKey, VectorStore

PURE_LIMIT = 4000
"""Vectors that the scan without numpy takes on: about 80 ms. Beyond it, it says that it cannot."""


Progress = Callable[[int, int], bool]
"""Called with (done, of) after each batch of slow work; False cancels."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored vector and its cosine to the query's."""

    digest: str
    cosine: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index is at this moment. `note` says what is not as it should be, else empty."""

    backend: str
    count: int
    current: bool
    note: str = ""


class VectorIndex(Protocol):
    """Nearest neighbours over the vectors of one model. Safe from any thread; never loses a vector."""

    def query(self, vector: bytes, k: int) -> list[Neighbour]:
        """The `k` nearest, best first. Raises VectorIndexError when it cannot answer."""
        ...

    def sync(self, progress: Progress | None = None) -> bool:
        """Bring it up to the stored vectors: slow, for a worker. False when it cannot be current."""
        ...

    def state(self) -> IndexState:
        """What can be said without work."""
        ...

    def close(self) -> None:
        """Let go of files, locks and connections."""
        ...


class VectorIndexError(Exception):
    """An index cannot answer now; the exact scan still can."""


class ExactScan:
    """Cosine of the query with every stored vector: exact, current, and needs no second store.

    Keeps a copy in memory (1.5 KB a vector of 384) that follows the store's generation; additions
    are appended, deletions make it read again.
    """

    def __init__(self, store: VectorStore, key: ModelKey) -> None:
        self._store = store
        self._key = key
        self._lock = threading.Lock()
        self._seen: Generation | None = None
        self._digests: list[str] = []
        self._rows: dict[str, int] = {}
        self._table: _Table = _table()

    def query(self, vector: bytes, k: int) -> list[Neighbour]:
        """The `k` nearest, best first; equal cosines in the order of their digests."""
        with self._lock:
            self._refresh()
            best = self._table.best(vector, k)
            found = [Neighbour(self._digests[row], cosine) for row, cosine in best]
        return sorted(found, key=lambda neighbour: (-neighbour.cosine, neighbour.digest))

    def cosines(self, vector: bytes, digests: Iterable[str]) -> dict[str, float]:
        """The cosine of each of these digests that has a vector."""
        with self._lock:
            self._refresh()
            wanted = [digest for digest in dict.fromkeys(digests) if digest in self._rows]
            values = self._table.some(vector, [self._rows[digest] for digest in wanted])
        return dict(zip(wanted, values, strict=True))

    def vector(self, digest: str) -> bytes | None:
        """A stored vector."""
        with self._lock:
            self._refresh()
            row = self._rows.get(digest)
            return None if row is None else self._table.row(row)

    def pairs(self, digests: Collection[str], threshold: float) -> dict[tuple[str, str], float]:
        """All pairs among these digests with a cosine from `threshold` on."""
        with self._lock:
            self._refresh()
            wanted = sorted(digest for digest in set(digests) if digest in self._rows)
            found = self._table.pairs([self._rows[digest] for digest in wanted], threshold)
        return {(wanted[a], wanted[b]): cosine for (a, b), cosine in found.items()}

    def state(self) -> IndexState:
        """The scan is always current: it looks before each answer."""
        return IndexState("exact", self._store.count(self._key), True)

    def close(self) -> None:
        """Give the memory back."""
        with self._lock:
            self._reset()

    def _reset(self) -> None:
        self._seen, self._digests, self._rows, self._table = None, [], {}, _table()

    def _refresh(self) -> None:
        now, seen = self._store.generation(), self._seen
        if now == seen:
            return
        if seen is None or (now.epoch, now.deletions) != (seen.epoch, seen.deletions):
            self._reset()
            seen = None
        batch = self._store.read(self._key, after=seen.last if seen else 0)
        if seen and batch.generation.deletions != seen.deletions:
            # A deletion came between the look and the read: start from the whole.
            self._reset()
            batch = self._store.read(self._key)
        self._table.append(batch.blobs)
        for digest in batch.digests:
            self._rows[digest] = len(self._digests)
            self._digests.append(digest)
        self._seen = batch.generation


class _Table(Protocol):
    def append(self, blobs: tuple[bytes, ...]) -> None: ...
    def best(self, vector: bytes, k: int) -> list[tuple[int, float]]: ...
    def some(self, vector: bytes, rows: list[int]) -> list[float]: ...
    def row(self, row: int) -> bytes: ...
    def pairs(self, rows: list[int], threshold: float) -> Mapping[tuple[int, int], float]: ...


def _table() -> _Table:
    return _PureTable() if importlib.util.find_spec("numpy") is None else _NumpyTable()


class _NumpyTable:
    """Rows of one float32 matrix."""

    def __init__(self) -> None:
        # numpy comes with the extra alone, so it cannot be imported by name at the top.
        self._np: Any = importlib.import_module("numpy")
        self._matrix: Any = None

    def append(self, blobs: tuple[bytes, ...]) -> None:
        if not blobs:
            return
        rows = self._np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1)
        self._matrix = rows if self._matrix is None else self._np.vstack((self._matrix, rows))

    def best(self, vector: bytes, k: int) -> list[tuple[int, float]]:
        if self._matrix is None or k <= 0:
            return []
        scores = self._matrix @ self._vector(vector)
        if k < len(scores):
            rows = self._np.argpartition(scores, len(scores) - k)[-k:]
        else:
            rows = self._np.arange(len(scores))
        return [(int(row), float(scores[row])) for row in rows]

    def some(self, vector: bytes, rows: list[int]) -> list[float]:
        if not rows:
            return []
        return [float(value) for value in self._matrix[rows] @ self._vector(vector)]

    def row(self, row: int) -> bytes:
        blob: bytes = self._matrix[row].tobytes()
        return blob

    def pairs(self, rows: list[int], threshold: float) -> Mapping[tuple[int, int], float]:
        found: dict[tuple[int, int], float] = {}
        block = 512
        for start in range(0, len(rows), block):
            left = self._matrix[rows[start : start + block]]
            scores = left @ self._matrix[rows[start:]].T
            for a, b in zip(*self._np.nonzero(scores >= threshold), strict=True):
                if b > a:
                    found[start + int(a), start + int(b)] = float(scores[a, b])
        return found

    def _vector(self, vector: bytes) -> Any:
        return self._np.frombuffer(vector, dtype="<f4")


class _PureTable:
    """The same without numpy, for small sets."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def append(self, blobs: tuple[bytes, ...]) -> None:
        if len(self._rows) + len(blobs) > PURE_LIMIT:
            raise VectorIndexError(f"more than {PURE_LIMIT} vectors need numpy")
        self._rows.extend(unpack(blob) for blob in blobs)

    def best(self, vector: bytes, k: int) -> list[tuple[int, float]]:
        query = unpack(vector)
        scores = ((row, sum(map(mul, query, values))) for row, values in enumerate(self._rows))
        return heapq.nlargest(k, scores, key=lambda pair: pair[1])

    def some(self, vector: bytes, rows: list[int]) -> list[float]:
        query = unpack(vector)
        return [sum(map(mul, query, self._rows[row])) for row in rows]

    def row(self, row: int) -> bytes:
        return pack(self._rows[row])

    def pairs(self, rows: list[int], threshold: float) -> Mapping[tuple[int, int], float]:
        found: dict[tuple[int, int], float] = {}
        for a, left in enumerate(rows):
            for b in range(a + 1, len(rows)):
                cosine = sum(map(mul, self._rows[left], self._rows[rows[b]]))
                if cosine >= threshold:
                    found[a, b] = cosine
        return found
