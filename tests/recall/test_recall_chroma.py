"""Chroma as a disposable index: owners, damage, deletion, servers. Real Chroma, real files."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("chromadb")
pytestmark = [pytest.mark.semantic, pytest.mark.timeout(300)]

from memtui.clock import fixed_clock  # noqa: E402
from memtui.recall.chroma_index import file_digests  # noqa: E402
from memtui.recall.chroma_server import ChromaServerIndex  # noqa: E402
from memtui.recall.embed import pack  # noqa: E402
from memtui.recall.engine import Recall  # noqa: E402
from memtui.recall.indexes import folder_index, server_index  # noqa: E402
from memtui.recall.neighbours import VectorIndexError  # noqa: E402
from tests.recall.chroma_fixtures import DIM, KEY, Place, vectors, wait_until  # noqa: E402
from tests.recall.recall_fixtures import NOW, HashEmbedder, make_bank, make_card, write_index  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def test_it_builds_answers_and_is_found_again(place: Place) -> None:
    first = place.index()
    with pytest.raises(VectorIndexError):
        first.query(pack([1.0] * DIM), 1)
    assert first.sync()
    place.check(first)
    folder = next(place.folder.iterdir()).name
    first.close()
    second = place.index()
    assert second.sync()
    place.check(second)
    assert [path.name for path in place.folder.iterdir()] == [folder]
    second.close()


def test_additions_are_added_and_deletions_build_anew(place: Place) -> None:
    index = place.index()
    index.sync()
    folder = next(place.folder.iterdir()).name
    place.store.add(KEY, vectors(40, 5000))
    with pytest.raises(VectorIndexError):
        index.query(pack([1.0] * DIM), 1)
    assert not index.state().current
    assert index.sync()
    place.check(index)
    assert next(place.folder.iterdir()).name == folder
    place.store.forget([f"{5001:064x}"])
    assert index.sync()
    place.check(index)
    assert next(place.folder.iterdir()).name != folder
    index.close()


def test_one_owner_at_a_time(place: Place) -> None:
    first, second = place.index(), place.index()
    assert first.sync()
    assert not second.sync()
    assert "another process owns" in second.state().note
    with pytest.raises(VectorIndexError):
        second.query(pack([1.0] * DIM), 1)
    first.close()
    place.store.add(KEY, vectors(5, 9000))
    assert second.sync()
    place.check(second)
    second.close()


@pytest.mark.parametrize(
    "victim",
    [
        "data_level0.bin",
        "header.bin",
        "length.bin",
        "link_lists.bin",
        "index_metadata.pickle",
        "chroma.sqlite3",
    ],
)
@pytest.mark.parametrize("damage", ["garbage", "truncate", "delete"])
def test_damage_means_a_new_build_never_an_error(found: Place, victim: str, damage: str) -> None:
    hurt(found.folder, victim, damage)
    index = found.index()
    assert index.sync(), index.state().note
    found.check(index)
    index.close()


def hurt(folder: Path, victim: str, damage: str) -> None:
    """Damage one of Chroma's files."""
    path = next(folder.rglob(victim))
    data = path.read_bytes()
    if damage == "delete":
        path.unlink()
    elif damage == "truncate":
        path.write_bytes(data[: len(data) // 2])
    else:
        middle = len(data) // 3
        noise = random.Random(3).randbytes(min(4096, len(data) - middle))
        path.write_bytes(data[:middle] + noise + data[middle + len(noise) :])


def test_another_version_of_chroma_means_a_new_build(found: Place) -> None:
    folder = next(found.folder.iterdir()).name
    mark = json.loads(found.store.note("chroma"))
    found.store.set_note("chroma", json.dumps({**mark, "version": "0.0.1"}))
    again = found.index()
    assert again.sync()
    found.check(again)
    assert next(found.folder.iterdir()).name != folder
    again.close()


def test_a_build_that_was_killed_is_not_opened_again(place: Place) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from tests.recall.chroma_fixtures import Place\n"
        "place = Place(Path(sys.argv[1]))\n"
        "place.index().sync(lambda done, of: os.kill(os.getpid(), 9))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(place.root)], cwd=ROOT, check=False)
    assert done.returncode == -9
    assert not json.loads(place.store.note("chroma"))["clean"]
    index = place.index()
    wait_until(index.sync)  # what Chroma's process was doing it may end a moment later
    place.check(index)
    index.close()


def test_cancelling_keeps_the_scan_and_says_so(place: Place) -> None:
    index = place.index()
    assert not index.sync(lambda done, of: False)
    assert "cancelled" in index.state().note
    assert index.sync()
    place.check(index)
    index.close()


def test_deleting_the_folder_at_any_time(place: Place) -> None:
    index = place.index()
    index.sync()
    shutil.rmtree(place.folder)
    place.store.add(KEY, vectors(3, 7000))
    assert index.sync()
    place.check(index)
    index.close()


def test_the_engine_purges_from_every_file(tmp_path: Path) -> None:
    cards = [make_card(f"m{n:05}", f"note {n} about thing{n}") for n in range(1200)]
    secret = make_card("secret", "the purged one speaks of zanzibar")
    bank = make_bank(tmp_path / "cache" / "home", [*cards, secret])
    model = HashEmbedder(dim=DIM)
    states = {"home": tmp_path / "state"}
    recall = Recall([bank], load=lambda: model, index=folder_index(states), clock=fixed_clock(NOW))
    other = Recall([bank], load=lambda: model, clock=fixed_clock(NOW))
    recall.semantic.refresh()
    other.semantic.load()
    blob = model.embed(["the purged one speaks of zanzibar"])[0]
    digest = next(iter(other.vectors["home"].store.present(KEY)))
    assert recall.search("zanzibar").hits[0].document.id == "secret"
    assert found_in(tmp_path, blob[:40])
    write_index(bank.cache, cards)
    # By a process that does not own the index: the files go at once, the owner builds them again.
    assert other.semantic.prune("home") == 1
    assert not found_in(tmp_path, blob[:40])
    assert all(hit.document.id != "secret" for hit in recall.search("zanzibar thing7").hits)
    recall.semantic.refresh()
    assert not recall.search("thing7").degraded
    assert not found_in(tmp_path, blob[:40])
    assert digest
    recall.close()
    other.close()


def test_the_engine_answers_from_chroma_and_without_it(tmp_path: Path) -> None:
    cards = [make_card(f"m{n:05}", f"note {n} about thing{n} and database") for n in range(300)]
    bank = make_bank(tmp_path / "cache" / "home", cards)
    states = {"home": tmp_path / "state"}
    recalls = [
        Recall([bank], load=HashEmbedder, index=folder_index(states), clock=fixed_clock(NOW))
        for _ in range(2)
    ]
    for recall in recalls:
        recall.semantic.refresh()
    owner, other = recalls
    assert not owner.search("thing9 postgres").degraded
    assert any("another process owns" in n.message for n in other.search("thing9").degraded)
    first, second = (recall.search("thing9 postgres") for recall in recalls)
    assert [h.document.id for h in first.hits[:5]] == [h.document.id for h in second.hits[:5]]
    owner.close()
    other.semantic.refresh()
    assert not other.search("thing9").degraded
    other.close()


def test_files_are_hashed_but_for_the_database(found: Place) -> None:
    names = {Path(name).name for name in file_digests(next(found.folder.iterdir()))}
    assert "data_level0.bin" in names
    assert "chroma.sqlite3" not in names


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = Path(sys.executable).parent / "chroma"
    with (tmp_path / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [command, "run", "--host", "127.0.0.1", "--port", str(port), "--path",
             str(tmp_path / "server")],
            stdout=log, stderr=log, env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        )  # fmt: skip
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the Chroma server did not start")


def test_a_server_by_url(place: Place, server: str) -> None:
    first = ChromaServerIndex(place.store, KEY, server, "bank")
    second = ChromaServerIndex(place.store, KEY, server, "bank")
    assert first.sync()
    assert second.sync()
    place.check(first)
    place.check(second)
    place.store.add(KEY, vectors(10, 8000))
    with pytest.raises(VectorIndexError):
        first.query(pack([1.0] * DIM), 1)
    assert first.sync()
    place.check(first)
    place.store.forget([f"{8001:064x}"])
    assert second.sync()
    place.check(second)
    assert all(n.digest != f"{8001:064x}" for n in second.query(vectors(1, 8001).popitem()[1], 5))
    first.close()
    second.close()


def test_the_engine_over_a_server_and_after_it_is_gone(tmp_path: Path, server: str) -> None:
    cards = [make_card(f"m{n:05}", f"note {n} about thing{n} and database") for n in range(50)]
    bank = make_bank(tmp_path / "cache" / "home", cards)
    recall = Recall([bank], load=HashEmbedder, index=server_index(server), clock=fixed_clock(NOW))
    recall.semantic.refresh()
    assert not recall.search("thing9").degraded
    recall.close()
    gone = Recall(
        [bank], load=HashEmbedder, index=server_index("http://127.0.0.1:9"), clock=fixed_clock(NOW)
    )
    gone.semantic.refresh()
    results = gone.search("thing9")
    assert results.hits[0].document.id == "m00009"
    assert any("chroma server" in note.message for note in results.degraded)
    gone.close()


def test_what_is_no_url_is_said(place: Place) -> None:
    index = ChromaServerIndex(place.store, KEY, "ftp://nowhere", "bank")
    assert not index.sync()
    assert "not the URL" in index.state().note


def found_in(folder: Path, needle: bytes) -> list[str]:
    """Files below `folder` that hold these bytes."""
    return [
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if needle in Path(where, name).read_bytes()
    ]
