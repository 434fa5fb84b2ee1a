"""A purged card's vector and text are in no file, whoever has the vectors open meanwhile."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from memtui.recall.bank_vectors import embedded_text
from memtui.recall.vectors import text_digest
from memtui.workspace.sample import Sample
from tests.cli.running import ROOT, answer, run

pytestmark = [pytest.mark.semantic, pytest.mark.timeout(600)]

CARD = "pool-timeout-unset-env"
QUESTION = "suite hangs half a minute although the server is healthy"
WORDS = b"Neither the database nor the network is involved"


class Owner:
    """A process with the vectors open."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, line: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        assert said, self._process.stderr.read() if self._process.stderr else ""
        return json.loads(said)

    def found(self) -> bool:
        """Whether the purged card is found by meaning or by words."""
        return any(CARD in self.ask(query)["names"] for query in (QUESTION, "ORDER_POOL_SIZE"))


def own(one: Owner) -> None:
    """Load the model and take the index."""
    said = one.ask("warm")
    assert said["current"], said["notes"]


@contextmanager
def owner(sample: Sample, **more: str) -> Iterator[Owner]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "cli" / "vector_owner.py")], cwd=sample.project, text=True,
        env={**os.environ, **sample.environ(), **more, "PYTHONPATH": str(ROOT)},
        stdin=pipe, stdout=pipe, stderr=pipe,
    )  # fmt: skip
    try:
        yield Owner(process)
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    finally:
        process.kill()
        process.wait()


def vector_of(sample: Sample) -> bytes:
    """The stored vector of the card."""
    shown = answer(sample, "show", CARD)
    digest = text_digest(embedded_text(shown["title"], shown["body"]))
    (path,) = (sample.root / "memtui" / "cache").glob("*/vectors.db")
    with closing(sqlite3.connect(path)) as db:
        (blob,) = db.execute("SELECT blob FROM vectors WHERE digest = ?", (digest,)).fetchone()
    return bytes(blob)


def holding(sample: Sample, *needles: bytes) -> list[str]:
    """Files of bank, state and cache that hold any of these bytes."""
    folders = (sample.bank, sample.root / "memtui")
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [
        str(path.relative_to(sample.root))
        for path in paths
        if not path.name.startswith("sessions.db")  # the host's own transcript
        and any(needle in path.read_bytes() for needle in needles)
    ]


def purge(sample: Sample, **more: Any) -> None:
    done = run(sample, "purge", CARD, "--yes", "--json", **more)
    assert done.returncode in (0, 1), done.stderr.decode()
    left = {place["kind"] for place in json.loads(done.stdout)["remaining"]}
    # Its record is cited by another card too, and is the host's own transcript.
    assert left <= {"evidence", "transcripts"}, done.stdout


def test_while_another_process_owns_chroma(sample: Sample) -> None:
    with owner(sample) as one:
        own(one)
        blob = vector_of(sample)
        assert one.found()
        held = holding(sample, blob)
        assert any("chroma" in path for path in held)
        assert any("vectors.db" in path for path in held)
        purge(sample)
        assert holding(sample, blob, WORDS) == []
        assert not one.found()
        one.ask("warm")
        assert not one.found()
        assert holding(sample, blob, WORDS) == []
    assert holding(sample, blob, WORDS) == []


def test_the_owner_only_closes_after_it(sample: Sample) -> None:
    with owner(sample) as one:
        one.ask("warm")
        blob = vector_of(sample)
        purge(sample)
    assert holding(sample, blob, WORDS) == []
    with owner(sample) as two:
        own(two)
        assert not two.found()
    assert holding(sample, blob, WORDS) == []


def test_while_a_second_process_searches_beside_the_owner(sample: Sample) -> None:
    # One after the other: two that open a new bank at once may see its index amid the other's build.
    with owner(sample) as one:
        own(one)
        with owner(sample) as two:
            assert not two.ask("warm")["current"]
            blob = vector_of(sample)
            assert one.found()
            assert two.found()
            purge(sample)
            for process in (two, one):
                assert not process.found()
                process.ask("warm")
                assert not process.found()
            assert holding(sample, blob, WORDS) == []
    assert holding(sample, blob, WORDS) == []


def test_without_chroma_the_blobs_go(sample: Sample) -> None:
    off = {"MEMTUI_SEMANTIC_CHROMA": "off"}
    with owner(sample, **off) as one:
        assert not one.ask("warm")["current"]
        blob = vector_of(sample)
        assert one.found()
        purge(sample, **off)
        one.ask("warm")
        assert not one.found()
        assert holding(sample, blob, WORDS) == []
    assert holding(sample, blob, WORDS) == []
