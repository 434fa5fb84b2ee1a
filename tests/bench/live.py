"""The pane beside an agent: how late a record is on screen, and what the pane costs quiet and busy.

    python -m tests.bench.live

`BENCH_SECONDS` (60) is how long all formats are written, a hundred records a second in all.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import Any

from memtui.workspace.sample import Sample, copy_sample
from tests.bench.process import Sizes, inherit, load_text, median, p95
from tests.tui.generator import Seen, follow

WIDTH, HEIGHT = 50, 40
WARM = 8.0
"""Seconds until the pane has read everything."""
MEASURED = 20.0
BUSY_A_SECOND = 10
BUSY_BYTES = 1000


def delays(seconds: float) -> Seen:
    """Follow the writers of every format."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(follow(Path(folder).resolve(), seconds))


def cost(busy: bool) -> float:
    """Percent of one core that `memtui watch` uses in a terminal of 50x40, children included."""
    with tempfile.TemporaryDirectory() as folder:
        sample = copy_sample(Path(folder).resolve() / "sample")
        environ = inherit({**sample.environ(), "TERM": "xterm-256color"})
        environ.pop("MEMTUI_NOW", None)
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        app = subprocess.Popen(
            [sys.executable, "-m", "memtui", "watch"],
            stdin=inner, stdout=inner, stderr=inner, cwd=sample.project, start_new_session=True,
            env=environ,
        )  # fmt: skip
        os.close(inner)
        try:
            _run(outer, sample, WARM, busy=False)
            used, begin = _cpu(app.pid), time.monotonic()
            _run(outer, sample, MEASURED, busy=busy)
            return 100 * (_cpu(app.pid) - used) / (time.monotonic() - begin)
        finally:
            app.kill()
            app.wait()
            os.close(outer)


def _run(terminal: int, sample: Sample, seconds: float, *, busy: bool) -> None:
    """Take what the pane draws, and append what an agent would."""
    path = next(sample.home.glob(".claude/projects/-home-dev-svc-order/f81b4c60*.jsonl"))
    begin, number = time.monotonic(), 0
    while (now := time.monotonic() - begin) < seconds:
        due = number / BUSY_A_SECOND
        if busy and due <= now:
            _append(path, number)
            number += 1
            continue
        wait = min(0.1, due - now) if busy else 0.1
        if select.select([terminal], [], [], wait)[0]:
            os.read(terminal, 65536)


def _append(path: Path, number: int) -> None:
    """A call or its result, in turns."""
    about: dict[str, Any] = {
        "parentUuid": None, "isSidechain": False, "cwd": "/home/dev/svc-order", "version": "2.1.197",
        "sessionId": path.stem, "uuid": f"cccccccc-0000-4000-8000-{number:012d}",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
    }  # fmt: skip
    call = f"toolu_{number // 2}"
    if number % 2:
        block = {"type": "tool_result", "tool_use_id": call, "content": "ok " * (BUSY_BYTES // 3)}
        row = {**about, "type": "user", "message": {"role": "user", "content": [block]}}
    else:
        use = {
            "type": "tool_use",
            "id": call,
            "name": "Bash",
            "input": {"command": f"make {number}"},
        }
        said = {"type": "text", "text": "word " * (BUSY_BYTES // 5)}
        usage = {"input_tokens": 5, "cache_read_input_tokens": 30_000 + number, "output_tokens": 9}
        body: dict[str, Any] = {
            "id": f"msg_{number}",
            "role": "assistant",
            "model": "claude-x",
            "usage": usage,
        }
        row = {**about, "type": "assistant", "message": {**body, "content": [said, use]}}
    with path.open("a") as stream:
        stream.write(json.dumps(row) + "\n")


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process and its ended children; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(sizes: Sizes) -> None:
    """Print the table."""
    seconds = float(os.environ.get("BENCH_SECONDS", "60"))
    print(f"\nLoad {load_text()}.\n")
    seen = delays(seconds)
    written = sum(seen.written.values())
    missed = written - sum(seen.prompts.values())
    print(
        f"| {len(seen.written)} formats, {written} records in {seen.seconds:.0f} s | |\n|---|---|"
    )
    print(f"| missed or twice | {missed} |")
    print(f"| refused to a writer of a database | {len(seen.errors)} |")
    for name, times in (("on screen", seen.painted), ("in the catalogue", seen.catalogued)):
        told = f"p50 {median(times):.0f}, p95 {p95(times):.0f}, max {max(times, default=0):.0f} ms"
        print(f"| {name}, {len(times)} records | {told} |")
    print(f"| processor time of the pane | {100 * seen.cpu / seen.seconds:.0f} % of a core |")
    print(f"\nLoad {load_text()}.\n")
    print("| `memtui watch`, 50x40 | of a core |\n|---|---|")
    print(f"| quiet | {cost(False):.1f} % |")
    print(f"| {BUSY_A_SECOND} records of {BUSY_BYTES} bytes a second | {cost(True):.1f} % |")
    print(f"\nLoad at the end {load_text()}.", flush=True)


if __name__ == "__main__":
    measure(Sizes.read())
