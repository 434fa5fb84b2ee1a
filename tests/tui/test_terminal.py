"""A terminal that goes away takes the app with it, also where no signal says so."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from memtui.tui.terminal import is_gone
from memtui.workspace.sample import Sample

ROOT = Path(__file__).resolve().parents[2]


def start(sample: Sample) -> tuple[subprocess.Popen[bytes], int]:
    """The app in a terminal that is not its controlling one: closing it sends no signal."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environ = {**os.environ, **sample.environ(), "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    app = subprocess.Popen(
        [sys.executable, "-m", "memtui"],
        stdin=inner, stdout=inner, stderr=inner, cwd=sample.project, env=environ,
        start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    return app, outer


def wait_for(terminal: int, word: bytes) -> None:
    seen, end = b"", time.monotonic() + 60
    while word not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.5)[0]:
            seen += os.read(terminal, 65536)
    assert word in seen


@pytest.mark.parametrize("how", ["closed", "hangup"])
def test_the_app_ends_with_its_terminal(sample: Sample, how: str) -> None:
    app, outer = start(sample)
    try:
        wait_for(outer, b"Sessions")
        if how == "hangup":
            app.send_signal(signal.SIGHUP)
        os.close(outer)
        code = app.wait(timeout=60)
    finally:
        app.kill()
        app.wait()
    assert code in (-signal.SIGHUP, -signal.SIGKILL)  # the second where this run ignores hang-ups


def test_a_terminal_is_there_until_it_is_closed() -> None:
    outer, inner = pty.openpty()
    try:
        assert not is_gone(inner)
        os.close(outer)
        assert is_gone(inner)
    finally:
        os.close(inner)
    assert is_gone(inner)
