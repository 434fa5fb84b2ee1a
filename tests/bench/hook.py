"""The hooks as processes, beside a bare interpreter in the same run: median, p95 and ratio."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.agents.banks import World, generated, hook_command

SIZES = (0, 1_000, 10_000)
ROUNDS = 40
AT_ONCE = 10
TARGET = 4.0
"""The session-start hook at 10,000 cards may take this many times a bare interpreter."""


def main() -> int:
    """Measure and print one row each, as Markdown. Returns 1 when the target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        worlds = [generated(Path(folder) / str(size), seed=1, size=size) for size in SIZES]
        runs = {"`python -c pass`": _bare}
        for size, world in zip(SIZES, worlds, strict=True):
            runs[f"session-start, {size:,} cards"] = _start(world, "startup")
        runs["session-start, 1,000 cards, resume"] = _start(worlds[1], "resume")
        runs["prompt, 1,000 cards"] = _event(worlds[1], "prompt", {"prompt": "see ORDER_POOL_SIZE"})
        runs["post-tool, 1,000 cards"] = _event(
            worlds[1], "post-tool", {"tool_name": "Bash", "tool_input": {"command": "make"}}
        )
        times = _interleaved(runs)
        together = _together(runs["session-start, 10,000 cards"])
    base = statistics.median(times["`python -c pass`"])
    print("| process | median | p95 | ratio |\n|---|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"| {name} | {median:.1f} ms | {_p95(taken):.1f} ms | {median / base:.2f} x |")
    print(f"| {AT_ONCE} at once, 10,000 cards, slowest | {max(together):.1f} ms | | |")
    reached = statistics.median(times["session-start, 10,000 cards"]) <= TARGET * base
    print(f"\ntarget {TARGET} x at 10,000 cards: {'reached' if reached else 'missed'}")
    return 0 if reached else 1


def _bare() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _start(world: World, source: str) -> Callable[[], None]:
    return _event(world, "session-start", {"source": source})


def _event(world: World, event: str, more: dict[str, object]) -> Callable[[], None]:
    """One event of a session; a resumed one has a few injections behind it, not all of the others'."""
    session = f"bench-{event}-{more.get('source', '')}"
    payload = json.dumps({"cwd": str(world.project), "session_id": session, **more}).encode()
    command = [*hook_command(), event, "--host", "claude-code"]

    def run() -> None:
        subprocess.run(
            command, input=payload, env=world.environ, stdout=subprocess.DEVNULL, check=True
        )

    return run


def _interleaved(runs: dict[str, Callable[[], None]]) -> dict[str, list[float]]:
    """Milliseconds of each run, in rounds, so that a busy moment hits all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) * 1000)
    return times


def _together(run: Callable[[], None]) -> list[float]:
    def timed(_: int) -> float:
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1000

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(timed, range(AT_ONCE)))


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    raise SystemExit(main())
