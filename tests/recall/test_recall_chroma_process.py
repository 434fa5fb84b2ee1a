"""Chroma's process: what was deleted is never in its memory, and what its end means."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("chromadb")
pytestmark = [pytest.mark.semantic, pytest.mark.timeout(300)]

from memtui.recall import chroma_index  # noqa: E402
from memtui.recall.chroma_index import ChromaIndex  # noqa: E402
from memtui.recall.embed import pack  # noqa: E402
from memtui.recall.neighbours import VectorIndexError  # noqa: E402
from tests.recall.chroma_fixtures import KEY, Place, vectors, wait_until  # noqa: E402

ROUNDS = 8
"""While one process built again and again, every other round found a part of a deleted vector."""

ROOT = Path(__file__).resolve().parents[2]
DIM = 384
SLOT = 4 * DIM + 140
"""Bytes of a vector and what stands beside it in `data_level0.bin`, written for a hundred from the first on."""


def made(rng: random.Random, count: int) -> dict[str, bytes]:
    """Vectors of the size of a real model's."""
    return {
        f"{rng.getrandbits(256):064x}": pack([rng.gauss(0, 1) for _ in range(DIM)])
        for _ in range(count)
    }


def holding(folder: Path, blobs: Iterable[bytes]) -> list[str]:
    """Files below `folder` that hold a part of one of these vectors: any 32 bytes are seen."""
    parts = {blob[at : at + 16] for blob in blobs for at in range(0, len(blob), 16)}
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file()
        for data in [path.read_bytes()]
        if not parts.isdisjoint(data[at : at + 16] for at in range(len(data)))
    ]


def test_no_part_of_a_deleted_vector_is_in_the_files_of_a_later_build(tmp_path: Path) -> None:
    place, rng = Place(tmp_path, count=0), random.Random(5)
    index, purged, live = place.index(), list[bytes](), dict[str, bytes]()
    for count in rng.choices([20, 60, 80], k=ROUNDS):
        place.store.forget(live)
        purged += live.values()
        live = made(rng, count)
        place.store.add(KEY, live)
        assert index.sync(), index.state().note
        for blob in list(live.values())[:5]:
            index.query(blob, 10)
        assert holding(tmp_path, purged) == []
    assert {"chroma.sqlite3", "vectors.db"} <= {*holding(tmp_path, live.values())}
    index.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc fills memory")
def test_where_no_vector_is_there_is_nothing(tmp_path: Path) -> None:
    place, live = Place(tmp_path, count=0), made(random.Random(6), 30)
    place.store.add(KEY, live)
    index = place.index()
    assert index.sync()
    (path,) = place.folder.rglob("data_level0.bin")
    data = path.read_bytes()
    assert len(data) == 100 * SLOT
    assert set(data[30 * SLOT :]) == {85}
    index.close()


def test_a_deletion_takes_a_new_process_and_an_addition_none(place: Place) -> None:
    index = place.index()
    index.sync()
    first = pid_of(index)
    place.store.add(KEY, vectors(3, 5000))
    assert index.sync()
    assert pid_of(index) == first
    place.store.forget([f"{5001:064x}"])
    assert index.sync()
    assert pid_of(index) != first
    assert gone(first)
    index.close()


def test_a_deletion_amid_a_build_takes_another_process(place: Place) -> None:
    index, pids = place.index(), list[int]()

    def purge(done: int, of: int) -> bool:
        pids.append(pid_of(index))
        if len(pids) == 1:
            place.store.forget([f"{7:064x}"])
        return True

    assert index.sync(purge)
    assert len(set(pids)) == 2
    assert pid_of(index) == pids[-1]
    place.check(index)
    index.close()


def test_it_comes_back_after_it_was_killed(found: Place) -> None:
    index = found.index()
    index.sync()
    folder = next(found.folder.iterdir()).name
    os.kill(pid_of(index), signal.SIGKILL)
    with pytest.raises(VectorIndexError, match="ended"):
        index.query(pack([1.0] * 48), 1)
    assert "ended" in index.state().note
    assert index.sync()
    found.check(index)
    assert [path.name for path in found.folder.iterdir()] == [folder]
    index.close()


def test_a_process_killed_amid_a_build_is_replaced_by_the_same_sync(place: Place) -> None:
    index, killed = place.index(), list[int]()

    def kill(done: int, of: int) -> bool:
        if not killed:
            killed.append(pid_of(index))
            os.kill(killed[0], signal.SIGKILL)
        return True

    assert index.sync(kill) or index.sync()
    assert killed
    place.check(index)
    index.close()


def test_a_process_that_hangs_keeps_no_query_waiting(
    found: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = found.index()
    index.sync()
    monkeypatch.setattr(chroma_index, "PATIENCE", 0.2)
    os.kill(pid_of(index), signal.SIGSTOP)
    with pytest.raises(VectorIndexError, match="did not answer"):
        index.query(pack([1.0] * 48), 1)
    monkeypatch.undo()
    assert index.sync()
    found.check(index)
    index.close()


OWNER = """
import sys, time
from pathlib import Path
from tests.recall.chroma_fixtures import Place
place = Place(Path(sys.argv[1]))
index = place.index()

def tell(done, of):
    print(index._chroma.pid, flush=True)
    return True

index.sync(tell)
time.sleep(60)
"""


def test_it_ends_with_its_owner_and_holds_the_lock_until_then(place: Place) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(place.root)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        os.kill(pid, signal.SIGSTOP)
        owner.kill()
    index = place.index()
    assert not index.sync()
    assert "another process owns" in index.state().note
    os.kill(pid, signal.SIGCONT)
    wait_until(lambda: gone(pid))
    wait_until(index.sync)
    place.check(index)
    index.close()


def pid_of(index: ChromaIndex) -> int:
    assert index._chroma is not None
    return index._chroma.pid


def gone(pid: int) -> bool:
    """Whether no such process runs. One that its parent has not waited for does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
