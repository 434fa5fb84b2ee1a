"""The store of blobs and the exact scan: with and without numpy, across processes, after deletion."""

from __future__ import annotations

import importlib.util
import os
import random
import threading
from pathlib import Path

import pytest

from memtui.recall import neighbours
from memtui.recall.embed import pack, unpack
from memtui.recall.neighbours import ExactScan, VectorIndexError
from memtui.recall.vectors import ModelKey, VectorStore, text_digest
from tests.recall.recall_fixtures import HashEmbedder

KEY = ModelKey("hash", "1")
OTHER = ModelKey("hash", "2")


def store_of(tmp_path: Path, count: int, dim: int = 32, seed: int = 1) -> VectorStore:
    rng = random.Random(seed)
    store = VectorStore(tmp_path / "vectors.db")
    store.add(KEY, {f"{n:064x}": pack([rng.gauss(0, 1) for _ in range(dim)]) for n in range(count)})
    return store


@pytest.fixture(params=["numpy", "pure"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    kind = str(request.param)
    if kind == "numpy" and importlib.util.find_spec("numpy") is None:
        pytest.skip("numpy comes with the semantic extra")
    if kind == "pure":
        monkeypatch.setattr(neighbours, "_table", neighbours._PureTable)
    return kind


def test_vectors_are_unit_length_and_round_trip() -> None:
    values = unpack(pack([3.0, 4.0]))
    assert values == pytest.approx((0.6, 0.8))
    assert unpack(pack([0.0, 0.0])) == (0.0, 0.0)


def test_the_scan_is_exact_and_follows_changes(tmp_path: Path, table: str) -> None:
    store = store_of(tmp_path, 200)
    scan = ExactScan(store, KEY)
    batch = store.read(KEY)
    for row in (0, 57, 199):
        found = scan.query(batch.blobs[row], 3)
        assert found[0].digest == batch.digests[row]
        assert found[0].cosine == pytest.approx(1.0, abs=1e-5)
    extra = pack([1.0] * 32)
    store.add(KEY, {"f" * 64: extra})
    assert scan.query(extra, 1)[0].digest == "f" * 64
    store.forget(["f" * 64])
    assert scan.query(extra, 1)[0].digest != "f" * 64
    assert len(scan.query(extra, 1000)) == 200
    assert scan.cosines(batch.blobs[3], [batch.digests[3], "0"]) == {
        batch.digests[3]: pytest.approx(1.0, abs=1e-5)
    }
    assert scan.vector(batch.digests[5]) is not None
    assert unpack(scan.vector(batch.digests[5]) or b"") == pytest.approx(
        unpack(batch.blobs[5]), abs=1e-6
    )


def test_pairs_are_all_pairs(tmp_path: Path, table: str) -> None:
    store = store_of(tmp_path, 60, dim=4)
    scan = ExactScan(store, KEY)
    batch = store.read(KEY)
    vectors = dict(zip(batch.digests, (unpack(blob) for blob in batch.blobs), strict=True))
    names = sorted(vectors)
    expected = {
        (a, b)
        for at, a in enumerate(names)
        for b in names[at + 1 :]
        if sum(x * y for x, y in zip(vectors[a], vectors[b], strict=True)) >= 0.9
    }
    assert set(scan.pairs(names, 0.9)) == expected


def test_the_scan_notices_a_new_file(tmp_path: Path, table: str) -> None:
    store = store_of(tmp_path, 20)
    scan = ExactScan(store, KEY)
    assert len(scan.query(pack([1.0] * 32), 100)) == 20
    store.path.unlink()
    assert scan.query(pack([1.0] * 32), 100) == []
    store_of(tmp_path, 20, seed=2)
    assert len(scan.query(pack([1.0] * 32), 100)) == 20


def test_without_numpy_a_large_set_is_refused_not_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "_table", neighbours._PureTable)
    monkeypatch.setattr(neighbours, "PURE_LIMIT", 10)
    scan = ExactScan(store_of(tmp_path, 11), KEY)
    for _ in range(2):
        with pytest.raises(VectorIndexError, match="numpy"):
            scan.query(pack([1.0] * 32), 1)


def test_models_are_kept_apart(tmp_path: Path) -> None:
    store = store_of(tmp_path, 5)
    assert store.add(OTHER, {"a" * 64: pack([1.0] * 8)}) == 1
    assert store.models() == {KEY: 5, OTHER: 1}
    assert store.count(OTHER) == 1
    assert store.present(OTHER) == {"a" * 64}
    assert len(store.read(KEY).digests) == 5
    assert store.drop_model(KEY) == 5
    assert store.models() == {OTHER: 1}


def test_adding_twice_keeps_one_and_tells(tmp_path: Path) -> None:
    store = store_of(tmp_path, 3)
    before = store.generation()
    assert store.add(KEY, {f"{1:064x}": pack([1.0] * 32)}) == 0
    assert store.generation() == before
    assert store.add(KEY, {"b" * 64: pack([1.0] * 32)}) == 1
    after = store.generation()
    assert (after.number, after.deletions) == (before.number + 1, before.deletions)


def test_prune_forgets_what_no_text_has(tmp_path: Path) -> None:
    store = store_of(tmp_path, 10)
    live = {f"{n:064x}" for n in range(4)}
    assert store.prune(live) == 6
    assert store.present(KEY) == live
    assert store.prune(live) == 0


def test_a_forgotten_vector_is_in_no_file(tmp_path: Path) -> None:
    store = store_of(tmp_path, 300, dim=384)
    digest, blob = text_digest("the secret"), HashEmbedder(dim=384).embed(["the secret"])[0]
    store.add(KEY, {digest: blob})
    assert _found(tmp_path, blob[:64])
    store.forget([digest])
    assert not _found(tmp_path, blob[:64])
    assert not _found(tmp_path, digest.encode())
    assert store.count(KEY) == 300


def test_a_reader_delays_the_scrub_and_the_next_deletion_repeats_it(tmp_path: Path) -> None:
    store = store_of(tmp_path, 5)
    with store._reading() as db:
        db.execute("SELECT count(*) FROM vectors").fetchone()
        store.add(KEY, {"c" * 64: pack([1.0] * 32)})
        assert not store.scrub(seconds=0.1)
    assert store.scrub()


def test_a_damaged_or_newer_file_is_replaced(tmp_path: Path) -> None:
    store = store_of(tmp_path, 3)
    store.path.write_bytes(b"no database at all" * 400)
    for suffix in ("-wal", "-shm"):
        store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
    assert store.models() == {}
    assert store.add(KEY, {"a" * 64: pack([1.0])}) == 1


def test_many_threads_and_first_openers(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "vectors.db")
    errors: list[Exception] = []

    def work(name: int) -> None:
        try:
            for n in range(20):
                store.add(KEY, {text_digest(f"{name} {n}"): pack([float(n + 1)] * 8)})
                store.generation()
        except Exception as error:  # noqa: BLE001 - collected for the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.count(KEY) == 120
    assert store.generation().number == 120


def _found(folder: Path, needle: bytes) -> list[str]:
    return [
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if needle in Path(place, name).read_bytes()
    ]
