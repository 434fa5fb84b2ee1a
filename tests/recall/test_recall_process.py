"""The model in a process of its own: what it answers, and what its end means."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path

import pytest

from memtui.clock import fixed_clock
from memtui.recall import embed, embed_process
from memtui.recall.embed import EmbedderError, load_embedder
from memtui.recall.embed_process import ModelProcess
from memtui.recall.engine import Recall
from memtui.recall.model import SemanticState
from memtui.recall.wire import Message, receive, send
from tests.recall.recall_fixtures import NOW, make_bank, make_card

CHILD = """
import os, sys, time
from memtui.recall.embed import EmbedderError
from memtui.recall.wire import Message
from memtui.recall.worker import serve


def main(arguments):
    model, revision = arguments

    def prepare():
        os.write(1, b"noise from a library")
        print("and more", file=sys.stderr)
        if model == "slow":
            time.sleep(60)
        if model == "missing":
            raise EmbedderError("no weights", "get some")
        return Message({"model": model, "revision": "r1", "dim": 2}), answer

    def answer(asked):
        if "die" in asked.head["texts"]:
            os._exit(3)
        if "refuse" in asked.head["texts"]:
            raise EmbedderError("not that one")
        return Message({}, b"\\0\\0\\x80\\x3f\\0\\0\\0\\0" * len(asked.head["texts"]))

    serve(prepare, EmbedderError)
"""


@pytest.fixture
def fake_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fake_worker.py").write_text(CHILD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(embed_process, "MODULE", "fake_worker")
    monkeypatch.setattr(embed_process, "installed", lambda: True)


def test_messages_survive_the_pipe_and_cut_ones_end_it() -> None:
    pipe = io.BytesIO()
    send(pipe, Message({"texts": ["ü\0"]}, b"\0" * 10))
    send(pipe, Message({}))
    whole = pipe.getvalue()
    pipe.seek(0)
    assert receive(pipe) == ({"texts": ["ü\0"]}, b"\0" * 10)
    assert receive(pipe) == ({}, b"")
    assert receive(pipe) is None
    for size in (3, 8, 12, whole.index(b"}") + 5):
        assert receive(io.BytesIO(whole[:size])) is None
    with pytest.raises(ValueError, match="message"):
        receive(io.BytesIO(b"\xff" * 8))
    with pytest.raises(ValueError, match="no object"):
        receive(io.BytesIO(b"\0\0\0\x02\0\0\0\0[]"))


def test_a_child_answers_and_is_started_again_after_its_death(
    fake_child: None, capfd: pytest.CaptureFixture[str]
) -> None:
    process = ModelProcess("fine").load()
    assert (process.model, process.revision, process.dim) == ("fine", "r1", 2)
    assert len(process.embed(["a", "b"])) == 2
    with pytest.raises(EmbedderError, match="ended"):
        process.embed(["die"])
    assert len(process.embed(["c"])) == 1
    with pytest.raises(EmbedderError, match="not that one"):
        process.embed(["refuse"])
    assert len(process.embed(["d"])) == 1
    process.close()
    with pytest.raises(EmbedderError, match="closed"):
        process.embed(["d"])
    assert capfd.readouterr() == ("", "")


def test_what_the_child_lacks_is_said_with_what_to_do(fake_child: None) -> None:
    process = ModelProcess("missing")
    with pytest.raises(EmbedderError, match="no weights") as caught:
        process.load()
    assert caught.value.fix == "get some"
    process.close()


def test_closing_does_not_wait_for_a_model_that_loads(fake_child: None) -> None:
    process = ModelProcess("slow")
    failures: list[EmbedderError] = []

    def load() -> None:
        try:
            process.load()
        except EmbedderError as error:
            failures.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    while process._child is None:
        time.sleep(0.005)
    process.close()
    thread.join(30)
    assert not thread.is_alive()
    assert "closed" in str(failures[0])


def test_a_search_goes_on_by_words_when_the_process_dies(fake_child: None, tmp_path: Path) -> None:
    bank = make_bank(tmp_path / "home", [make_card("aaaaaa", "die hard"), make_card("bbbbbb", "b")])
    process = ModelProcess("fine")
    recall = Recall([bank], load=process.load, clock=fixed_clock(NOW))
    recall.semantic.load()
    found = recall.search("die")
    assert [hit.document.id for hit in found.hits] == ["aaaaaa"]
    assert any("ended" in note.message for note in found.degraded)
    assert recall.semantic_ready is SemanticState.READY
    process.close()
    recall.close()


@pytest.mark.semantic
def test_the_process_gives_the_vectors_of_the_model() -> None:
    process = ModelProcess().load()
    try:
        own = load_embedder()
        texts = ["a pool timeout", "commas in prices", ""]
        assert (process.model, process.revision, process.dim) == (own.model, own.revision, own.dim)
        for ours, theirs in zip(process.embed(texts), own.embed(texts), strict=True):
            cosine = sum(
                a * b for a, b in zip(embed.unpack(ours), embed.unpack(theirs), strict=True)
            )
            assert cosine > 0.9999
    finally:
        process.close()
