"""Commands as processes on a copy of the sample bank, and what is compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memtui.bank.load import identify
from memtui.paths import places
from memtui.workspace.sample import Sample

Call = Callable[..., Any]
"""A command in the test's own process: its words and exit code (0) to its JSON, or that of its error."""

ROOT = Path(__file__).resolve().parents[2]


def run(
    sample: Sample, *words: str, text: bytes | None = None, **extra: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `memtui` in the sample's project; `text` is its standard input."""
    process = start(sample, *words, **extra)
    out, error = process.communicate(text or b"", timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)


def start(sample: Sample, *words: str, **extra: str) -> subprocess.Popen[bytes]:
    """Start `memtui` in the sample's project."""
    environ = {**os.environ, **sample.environ(), "MEMTUI_WRITER": "ada", **extra}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "memtui", *words],
        cwd=sample.project,
        env={**environ, "PYTHONPATH": str(ROOT)},
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    )


def answer(sample: Sample, *words: str, code: int = 0, **more: Any) -> Any:
    """The JSON that a command answers with."""
    done = run(sample, *words, "--json", **more)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout or done.stderr)


def files(sample: Sample) -> dict[str, bytes]:
    """Every file of the bank, events aside, and the excerpts that lie in state."""
    config, _ = identify(sample.bank)
    state = places(sample.environ()).bank_state(config.id, sample.bank)
    return {
        str(path.relative_to(sample.root)): path.read_bytes()
        for folder in (sample.bank, state / "evidence")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "events"
    }


def editor(folder: Path, script: str) -> str:
    """An editor for $EDITOR: a shell script with the file as `$1`."""
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)
