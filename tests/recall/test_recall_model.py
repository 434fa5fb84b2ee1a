"""The packaged model: offline, quiet, checked, and worth its place beside words."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.recall import embed
from memtui.recall.embed import EmbedderError, load_embedder

FULL = embed.installed()


@pytest.mark.skipif(FULL, reason="the semantic extra is installed")
def test_without_the_extra_the_way_to_get_it_is_said() -> None:
    with pytest.raises(EmbedderError) as caught:
        load_embedder()
    assert caught.value.fix == embed.INSTALL_HINT


def test_weights_are_looked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="no model weights"):
        embed.weights_digest(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"x")
    assert embed.weights_digest(tmp_path).startswith("2d711642")


semantic = pytest.mark.semantic
needs_extra = pytest.mark.skipif(not FULL, reason="needs the semantic extra")


@semantic
@needs_extra
@pytest.mark.timeout(180)
def test_the_packaged_model_reproduces_its_documented_similarities() -> None:
    model = load_embedder()
    assert (model.model, model.revision, model.dim) == (
        embed.PACKAGED_MODEL,
        embed.PACKAGED_SHA256[:12],
        384,
    )
    vectors = [
        embed.unpack(blob)
        for blob in model.embed(
            [
                "The weather is lovely today.",
                "It's so sunny outside!",
                "He drove to the stadium.",
            ]
        )
    ]
    first, second, third = vectors
    assert sum(a * b for a, b in zip(first, second, strict=True)) == pytest.approx(0.6660, abs=2e-3)
    assert sum(a * b for a, b in zip(first, third, strict=True)) == pytest.approx(0.1046, abs=2e-3)
    assert sum(a * a for a in first) == pytest.approx(1.0, abs=1e-5)


@semantic
@needs_extra
@pytest.mark.timeout(180)
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "PACKAGED_SHA256", "0" * 64)
    with pytest.raises(EmbedderError, match="not the known ones"):
        load_embedder()


@semantic
@needs_extra
@pytest.mark.timeout(180)
def test_a_hub_model_is_asked_for_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []

    class Hub:
        @staticmethod
        def snapshot_download(name: str, revision: str | None = None) -> str:
            asked.append((name, revision))
            raise OSError("no network")

    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub)
    with pytest.raises(EmbedderError, match="cannot fetch"):
        load_embedder("somebody/some-model", "abc123")
    assert asked == [("somebody/some-model", "abc123")]


@semantic
@needs_extra
@pytest.mark.timeout(180)
def test_loading_writes_nothing_to_the_terminal_and_uses_no_network(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise SystemExit('network')\n"
        "socket.socket.connect = refuse\nsocket.getaddrinfo = refuse\n"
        "from memtui.recall.embed import load_embedder\n"
        "model = load_embedder()\n"
        "assert len(model.embed(['one', 'two'])) == 2\n"
    )
    main, worker = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=worker, stdout=worker, stderr=worker
    )
    os.close(worker)
    said = b""
    while True:
        try:
            chunk = os.read(main, 4096)
        except OSError:
            break
        if not chunk:
            break
        said += chunk
    os.close(main)
    assert process.wait(60) == 0, said
    assert said == b""
