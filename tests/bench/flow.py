"""In flow: from the turn that shows something, written to the transcript, to its candidate in the inbox.

    python -m tests.bench.flow

The app is open over `BENCH_CARDS` cards; `BENCH_RUNS` sessions go on, one after the other, each with a
failure, its cause, and then the success.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
import uuid
from pathlib import Path

from memtui.workspace.sample import Sample
from tests.bench.process import Sizes, load_text, median, p95
from tests.bench.screen import write_bank
from tests.sessions.session_fixtures import Talk

SLOWEST = 30.0
"""Seconds after which a candidate is said never to have appeared."""
_THINGS = (
    "pool",
    "queue",
    "cache",
    "schema",
    "worker",
    "mailer",
    "ledger",
    "router",
    "index",
    "clock",
)


def measure(sizes: Sizes) -> dict[str, float]:
    """Milliseconds from the write to the inbox; the first of a new bank makes its ledger and is apart."""
    with tempfile.TemporaryDirectory() as folder:
        sample = Sample(Path(folder).resolve())
        for place in (sample.bank / "cards", sample.project, sample.home):
            place.mkdir(parents=True, exist_ok=True)
        (sample.bank / "bank.toml").write_text(
            'format = 1\nid = "bench"\n\n[scope]\nproject = "bench"\n'
            f"aliases = {json.dumps([str(sample.project)])}\n",
            "utf-8",
        )
        write_bank(sample, sizes.cards)
        _write(sample, _talk(sample, 0)[0])
        found = asyncio.run(_times(sample, sizes.runs))
    missed, times = sizes.runs - len(found), [wall for wall, _ in found[1:]]
    return {
        "first": found[0][0] if found else float("nan"),
        "cpu": median([cpu for _, cpu in found[1:]]),
        "p50": median(times),
        "p95": p95(times),
        "slowest": max(times, default=float("nan")),
        "missed": missed,
    }


async def _times(sample: Sample, runs: int) -> list[tuple[float, float]]:
    """Wall and processor time of each candidate that came."""
    from memtui.tui.app import MemtuiApp
    from memtui.workspace.open import open_workspace

    core = open_workspace(bank=sample.bank, cwd=sample.project, environ=sample.environ())
    app = MemtuiApp(core)
    app.animation_level = "none"
    times: list[tuple[float, float]] = []
    async with app.run_test(size=(120, 40)):
        await asyncio.sleep(5)
        for number in range(1, runs + 1):
            talk, last = _talk(sample, number)
            path = _write(sample, talk)
            await asyncio.sleep(2)
            before = len(app.upkeep.inbox.waiting)
            with path.open("ab") as stream:
                stream.write(last)
            begin, used = time.perf_counter(), time.process_time()
            while len(app.upkeep.inbox.waiting) <= before:
                if time.perf_counter() - begin > SLOWEST:
                    break
                await asyncio.sleep(0.01)
            else:
                wall = 1000 * (time.perf_counter() - begin)
                times.append((wall, 1000 * (time.process_time() - used)))
        app.workers.cancel_all()
    return times


def _talk(sample: Sample, number: int) -> tuple[Talk, bytes]:
    """A session up to its cause, and the bytes of the success that follows."""
    # Letters, not numbers: what differs in a number only is the same thing seen again.
    thing = _THINGS[number % len(_THINGS)] + "abcdefghij"[number // len(_THINGS) % 10]
    talk = Talk(
        session=str(uuid.uuid4()), at=int(time.time() * 1000) - 60_000, cwd=str(sample.project)
    )
    talk.prompt(f"the {thing} tests are red, please look")
    red = (
        f"Traceback (most recent call last):\n  File '{thing}.py', line 3\nValueError: odd {thing}"
    )
    talk.run(f"pytest tests/test_{thing}.py", red, failed=True)
    talk.say(f"The cause is the setting {thing.upper()}_SIZE: {thing}.py takes even numbers only.")
    had = len(talk.data)
    talk.run(f"{thing.upper()}_SIZE=8 pytest tests/test_{thing}.py", "=== 4 passed in 0.01s ===")
    whole = talk.data
    talk.rows = talk.rows[: whole[:had].count(b"\n")]
    return talk, whole[had:]


def _write(sample: Sample, talk: Talk) -> Path:
    folder = sample.home / ".claude" / "projects" / "-bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{talk.session}.jsonl"
    path.write_bytes(talk.data)
    return path


if __name__ == "__main__":
    sizes = Sizes.read()
    found = measure(sizes)
    print(f"Load {load_text()}. {sizes.cards:,} cards, {sizes.runs} sessions that go on.\n")
    print("| from the turn to the inbox | ms |\n|---|---|")
    told = ", ".join(f"{name} {found[name]:.0f}" for name in ("p50", "p95", "slowest"))
    told += f"; first of a new bank {found['first']:.0f}; CPU p50 {found['cpu']:.0f}"
    print(f"| {sizes.runs} candidates, {found['missed']:.0f} missed | {told} |", flush=True)
