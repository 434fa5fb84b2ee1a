"""Four processes search while one writes and is killed at random, and stores vanish under them."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memtui.clock import fixed_clock
from memtui.recall import chroma_client
from memtui.recall.bank_vectors import embedded_text
from memtui.recall.engine import Recall
from memtui.recall.vectors import VectorStore, remove_database, text_digest
from tests.recall import recall_worker
from tests.recall.recall_fixtures import NOW, HashEmbedder, make_bank, make_card, write_index

RUNS = int(os.environ.get("MEMTUI_FAULT_RUNS", "20"))
ROOT = Path(__file__).resolve().parents[2]


def start(what: str, root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.recall.recall_worker", what, str(root)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hit_and_run(root: Path, rng: random.Random) -> None:
    """Start the writer, let it write for a moment, kill it; sometimes delete a store meanwhile."""
    (root / "started").unlink(missing_ok=True)
    writer = start("write", root)
    deadline = time.monotonic() + 60
    early = rng.random() < 0.25
    if early:
        # Killed while it opens, repairs and builds.
        time.sleep(rng.uniform(0.1, 1.5))
    while not early and not (root / "started").exists() and writer.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(rng.uniform(0.0, 0.6))
    victim = rng.random()
    if victim < 0.1:
        remove_database(root / "cache" / "index.db")
    elif victim < 0.2:
        remove_database(root / "cache" / "vectors.db")
    elif victim < 0.3:
        shutil.rmtree(root / "cache" / "chroma", ignore_errors=True)
    time.sleep(rng.uniform(0.0, 0.3))
    writer.kill()
    _, said = writer.communicate()
    assert writer.returncode == -9, said


@pytest.mark.semantic
@pytest.mark.timeout(120 + 60 * RUNS)
def test_kills_lose_nothing_and_searches_are_right(tmp_path: Path) -> None:
    rng = random.Random(11)
    readers = [start("read", tmp_path) for _ in range(4)]
    try:
        for _ in range(RUNS):
            hit_and_run(tmp_path, rng)
            assert [reader.poll() for reader in readers] == [None] * 4
    finally:
        (tmp_path / "stop").touch()
        finished = [reader.communicate(timeout=60) for reader in readers]
    assert [reader.returncode for reader in readers] == [0] * 4, finished
    assert all(int(out) > 10 for out, _ in finished)
    check_all(tmp_path)


def check_all(root: Path) -> None:
    """Every acknowledged card is in the text, is found, and has its vector."""
    acknowledged = recall_worker.known(root)
    cards = recall_worker.cards_of(root)
    assert len(acknowledged) >= RUNS / 2
    assert {card.id for card in cards} >= {recall_worker.handle_of(n) for n in acknowledged}
    write_index(root / "cache", cards)
    recall = recall_worker.engine(root, chroma=chroma_client.installed())
    recall.semantic.refresh()
    vectors, key = recall.vectors["home"], recall.semantic.key
    assert key is not None
    stored = vectors.store.read(key)
    blobs = dict(zip(stored.digests, stored.blobs, strict=True))
    for number in acknowledged:
        results = recall.search(f"name{number:05}")
        assert results.hits[0].document.id == recall_worker.handle_of(number)
        assert not results.degraded
        text = embedded_text(recall_worker.title_of(number), "")
        (right,) = HashEmbedder(dim=recall_worker.DIM).embed([text])
        assert blobs[text_digest(text)] == right
        (best,), backend = vectors.nearest(right, 1)
        # Two titles may be one to this small embedder.
        assert blobs[best.digest] == right
        assert backend == ("chroma" if chroma_client.installed() else "exact")
    recall.close()


def test_the_index_may_go_between_any_two_searches(tmp_path: Path) -> None:
    cards = [make_card(f"m{n:05}", f"note {n} about thing{n}") for n in range(50)]
    bank = make_bank(tmp_path / "home", cards)
    recall = Recall([bank], load=HashEmbedder, clock=fixed_clock(NOW))
    recall.semantic.refresh()
    before = [hit.document.id for hit in recall.search("thing7").hits]
    remove_database(bank.index)
    gone = recall.search("thing7")
    assert gone.hits == ()
    assert gone.degraded[0].topic == "index"
    write_index(bank.cache, list(reversed(cards)))
    assert recall.search("thing7").hits[0].document.id == before[0]
    done = recall.semantic.refresh()
    assert (done.embedded, done.kept) == (0, 50)
    assert VectorStore(bank.cache / "vectors.db").models() != {}
