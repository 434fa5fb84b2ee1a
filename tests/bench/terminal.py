"""The app in a pseudo-terminal, from the start of its process to its first frame."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

from memtui.workspace.sample import Sample
from tests.bench.process import inherit

WIDTH, HEIGHT = 120, 40
PATIENCE = 10.0
"""Seconds after which a key or record is said never to have been painted."""


def whole_process(sample: Sample, runs: int) -> list[float]:
    """Milliseconds from the start of `memtui` in a terminal to its first frame."""
    import fcntl
    import pty
    import struct
    import termios

    times = []
    for _ in range(runs):
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        begin = time.perf_counter()
        app = subprocess.Popen(
            [sys.executable, "-m", "memtui"],
            stdin=inner, stdout=inner, stderr=inner, cwd=sample.project, start_new_session=True,
            env=inherit({**sample.environ(), "TERM": "xterm-256color"}),
        )  # fmt: skip
        os.close(inner)
        if _reads(outer, b"Sessions", begin + 3 * PATIENCE):
            times.append(1000 * (time.perf_counter() - begin))
        app.kill()
        app.wait()
        os.close(outer)
    return times


def _reads(terminal: int, wanted: bytes, end: float) -> bool:
    seen = b""
    while (left := end - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                return False
            if wanted in seen:
                return True
    return False
