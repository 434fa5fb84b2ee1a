"""A store of vectors with a folder for Chroma's index over it, and what is asked of that."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.recall.chroma_index import ChromaIndex
from memtui.recall.embed import pack
from memtui.recall.indexes import try_lock
from memtui.recall.neighbours import ExactScan, VectorIndex
from memtui.recall.vectors import ModelKey, VectorStore

KEY = ModelKey("hash", "1")
DIM = 48


def vectors(count: int, start: int = 0) -> dict[str, bytes]:
    found = {}
    for n in range(start, start + count):
        rng = random.Random(n)
        found[f"{n:064x}"] = pack([rng.gauss(0, 1) for _ in range(DIM)])
    return found


class Place:
    """A store with 1,300 vectors (beyond Chroma's first write of its index) and its Chroma folder."""

    def __init__(self, root: Path, count: int = 1300) -> None:
        self.root = root
        self.state = root / "state"
        self.folder = root / "cache" / "chroma"
        self.store = VectorStore(root / "cache" / "vectors.db")
        self.store.add(KEY, vectors(count))

    def index(self) -> ChromaIndex:
        return ChromaIndex(self.store, KEY, self.folder, lambda: try_lock(self.state))

    def check(self, index: VectorIndex, samples: int = 20) -> None:
        """Every sampled vector finds itself, and answers equal those of the exact scan."""
        scan = ExactScan(self.store, KEY)
        batch = self.store.read(KEY)
        for row in random.Random(7).sample(range(len(batch.digests)), samples):
            found = index.query(batch.blobs[row], 5)
            assert found[0].digest == batch.digests[row]
            assert found[0].cosine == pytest.approx(1.0, abs=1e-3)
            exact = scan.query(batch.blobs[row], 5)
            assert len({n.digest for n in found} & {n.digest for n in exact}) >= 4


def wait_until(happened: Callable[[], bool]) -> None:
    """Ask until it happened."""
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)
