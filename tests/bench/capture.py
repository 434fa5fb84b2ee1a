"""Capture and sleep: precision and recall against the labels, and a sleep beside the open app.

    python -m tests.bench.capture

`BENCH_SLEEP` is how many sessions the sleep reads (200); cards and keys as for the screen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memtui.workspace.sample import Sample
from tests.bench.catalogue import Transcript
from tests.bench.corpus import write_corpus
from tests.bench.process import Sizes, children_cpu, inherit, load_text, part
from tests.bench.screen import write_bank
from tests.capture.scoring import ROOTS, score

TURNS = 60
"""Turns of a generated session."""


def accuracy() -> None:
    """One table for each half that is there."""
    for half in ROOTS:
        if not ROOTS[half].is_dir():
            print(f"\n{half}: {ROOTS[half]} is absent")
            continue
        found = score(half)
        order = sorted(found, key=lambda name: (name == "all", name))
        print(f"\n| {half} half | labels | found | recall | findings | right | precision |")
        print("|---|---|---|---|---|---|---|")
        for name in order:
            one = found[name]
            print(
                f"| {'all outcomes' if name == 'all' else name} | {one.labels} | {one.found} "
                f"| {one.recall:.2f} | {one.findings} | {one.right} | {one.precision:.2f} |"
            )


def _bank(root: Path, sizes: Sizes, sessions: int) -> Sample:
    sample = Sample(root)
    for folder in (sample.bank / "cards", sample.project, sample.home):
        folder.mkdir(parents=True, exist_ok=True)
    (sample.bank / "bank.toml").write_text(
        'format = 1\nid = "bench"\n\n[scope]\nproject = "bench"\n'
        f"aliases = {json.dumps([f'/work/project-{number}' for number in range(7)])}\n",
        "utf-8",
    )
    write_bank(sample, sizes.cards)
    write_corpus(sample.home, sessions, TURNS * sessions)
    Transcript(sample.home, sample.project).append()
    return sample


def _sleep(sample: Sample) -> tuple[dict[str, object], float, float]:
    begin, used = time.perf_counter(), children_cpu()
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "--json", "sleep", "--apply"],
        cwd=sample.project,
        env=inherit({**sample.environ(), "MEMTUI_STATE_HOME": str(sample.root / "apart")}),
        stdout=subprocess.PIPE,
        check=True,
    )
    report: dict[str, object] = json.loads(done.stdout)
    return report, time.perf_counter() - begin, children_cpu() - used


def measure(sizes: Sizes) -> None:
    """Print the tables."""
    accuracy()
    sessions = int(os.environ.get("BENCH_SLEEP", "200"))
    with tempfile.TemporaryDirectory() as folder:
        sample = _bank(Path(folder).resolve(), sizes, sessions)
        words = ("paint", str(sample.root), str(sizes.keys))
        while_asleep = part("screen", *words, "sleeping")
        report, wall, cpu = _sleep(sample)
        again, wall_again, cpu_again = _sleep(sample)
        print(f"\nLoad {load_text()}. {sizes.cards:,} cards, {sessions} sessions.\n")
        print("| sleep | wall s | CPU s |\n|---|---|---|")
        print(f"| {report['read']} sessions | {wall:.1f} | {cpu:.1f} |")
        print(f"| again, {again['read']} new | {wall_again:.1f} | {cpu_again:.1f} |\n")
        keys = while_asleep["keys"]
        print("| key to paint while a sleep runs | ms |\n|---|---|")
        print(
            f"| {keys['count']} keys, {keys['missed']} missed, still asleep at the end: "
            f"{while_asleep['still sleeping']} | p50 {keys['p50']:.1f}, p95 {keys['p95']:.1f}; "
            f"CPU of the loop p95 {keys['cpu'][1]:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    measure(Sizes.read())
