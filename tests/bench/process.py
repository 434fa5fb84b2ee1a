"""Whole processes beside a bare interpreter, and what all measurements share.

python -m tests.bench.process
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.workspace.sample import copy_sample

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    ("python -c pass", ("-c", "pass")),
    ("import memtui.cli.main", ("-c", "import memtui.cli.main")),
    ("import memtui.workspace.open", ("-c", "import memtui.workspace.open")),
    ("import memtui.tui.app", ("-c", "import memtui.tui.app")),
    ("memtui --version", ("-m", "memtui", "--version")),
    ("memtui inject", ("-m", "memtui", "inject")),
    ("memtui cards", ("-m", "memtui", "cards")),
    ("memtui walk (a page)", ("-m", "memtui", "walk", "how-we-retry")),
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured; each from the environment, so that CI can run tiny ones."""

    runs: int
    rows: int
    sessions: int
    cards: int
    keys: int
    megabytes: int

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> Sizes:
        """`BENCH_RUNS`, `BENCH_ROWS` and so on. Raises ValueError for what is no number."""

        def number(name: str, default: int) -> int:
            return int(environ.get(f"BENCH_{name}", default))

        return cls(
            runs=number("RUNS", 15),
            rows=number("ROWS", 1_000_000),
            sessions=number("SESSIONS", 5_000),
            cards=number("CARDS", 10_000),
            keys=number("KEYS", 200),
            megabytes=number("MB", 100),
        )


def median(values: Sequence[float]) -> float:
    """The median, NaN of nothing."""
    return statistics.median(values) if values else float("nan")


def p95(values: Sequence[float]) -> float:
    """The value that 95 % do not exceed, NaN of nothing."""
    ordered = sorted(values)
    return ordered[-(-95 * len(ordered) // 100) - 1] if ordered else float("nan")


def resident_mb() -> float:
    """Resident memory of this process now; its peak where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return peak_mb()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024 / 1e6


def peak_mb() -> float:
    """The most resident memory that this process ever had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def load_text() -> str:
    """How busy the machine is: without it no wall time means anything."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def inherit(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a measured process: the given one on top of this one, memtui importable.

    Bytecode is kept, as an installed memtui has it: compiling it again would be half of a start.
    """
    left_out = ("MEMTUI_", "CLAUDE_", "CODEX_", "PYTHONDONTWRITEBYTECODE")
    own = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
    return {**own, "PYTHONPATH": str(ROOT), **environ}


def part(module: str, *words: str, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run one measurement in a process of its own: the JSON in its last line."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{module}", *words],
        env=inherit(environ or {}),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def children_cpu() -> float:
    """CPU seconds of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(words: Sequence[str], environ: Mapping[str, str], cwd: Path) -> None:
    """One command. `walk` answers 1 because the sample has evidence that is gone; a fault also writes."""
    done = subprocess.run(
        [sys.executable, *words],
        env=environ, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"{words} failed: {done.stderr.decode(errors='replace')}")


def measure(sizes: Sizes) -> None:
    """Print one row per command; the commands take turns, so that a busy moment hits all alike."""
    wall: dict[str, list[float]] = {name: [] for name, _ in COMMANDS}
    cpu: dict[str, list[float]] = {name: [] for name, _ in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        sample = copy_sample(Path(folder) / "sample")
        environ = inherit(sample.environ())
        for turn in range(sizes.runs + 1):
            for name, words in COMMANDS:
                used, begin = children_cpu(), time.perf_counter()
                _run(words, environ, sample.project)
                if turn:  # the first one warms the caches
                    wall[name].append(1000 * (time.perf_counter() - begin))
                    cpu[name].append(1000 * (children_cpu() - used))
    bare, bare_cpu = median(wall["python -c pass"]), median(cpu["python -c pass"])
    print(f"\nLoad {load_text()}; {sizes.runs} runs.\n")
    print("| process | median ms | p95 ms | x bare | CPU median ms | x bare CPU |")
    print("|---|---|---|---|---|---|")
    for name, times in wall.items():
        mid, used = median(times), median(cpu[name])
        print(
            f"| `{name}` | {mid:.0f} | {p95(times):.0f} | {mid / bare:.1f} "
            f"| {used:.0f} | {used / bare_cpu:.1f} |"
        )


if __name__ == "__main__":
    measure(Sizes.read())
