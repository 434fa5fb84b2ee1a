"""`python -m tests.bench`: what the commands cost as whole processes, beside a bare interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memtui.workspace.sample import copy_sample

RUNS = int(os.environ.get("BENCH_RUNS", "15"))
COMMANDS = (
    ("python -c pass", ("-c", "pass")),
    ("memtui --version", ("-m", "memtui", "--version")),
    ("memtui cards", ("-m", "memtui", "cards")),
    ("memtui inject", ("-m", "memtui", "inject")),
    ("memtui walk (a page)", ("-m", "memtui", "walk", "how-we-retry")),
)


def measure(words: tuple[str, ...], environ: dict[str, str], cwd: Path) -> list[float]:
    """Wall seconds of each run, after one that is not counted."""
    times = []
    for _ in range(RUNS + 1):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, *words], env=environ, cwd=cwd, capture_output=True, check=False
        )
        times.append(time.perf_counter() - begin)
    return times[1:]


def main() -> None:
    """Print the table of `docs/benchmarks.md`."""
    with tempfile.TemporaryDirectory() as folder:
        sample = copy_sample(Path(folder) / "sample")
        root = str(Path(__file__).resolve().parents[2])
        environ = {**os.environ, **sample.environ(), "PYTHONPATH": root}
        bare = 0.0
        print("| process | median ms | p95 ms | x bare |\n|---|---|---|---|")
        for name, words in COMMANDS:
            times = sorted(measure(words, environ, sample.project))
            median = statistics.median(times)
            bare = bare or median
            p95 = times[int(0.95 * (len(times) - 1))]
            print(f"| `{name}` | {1000 * median:.0f} | {1000 * p95:.0f} | {median / bare:.1f} |")


if __name__ == "__main__":
    main()
