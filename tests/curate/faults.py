"""Kills a process that curates, again and again, and checks the bank after each. Prints JSON.

    python -m tests.curate.faults random ROOT RUNS SEED
    python -m tests.curate.faults steps ROOT

The first kills at random instants, the second before and after each step of an act. Run as a process of
its own: it forks, which a test process with threads must not.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from memtui.bank.memory_index import parse_index
from memtui.bank.model import Page, Status
from memtui.bank.trust import trust_by_id
from memtui.curate import verbs
from memtui.curate.act import digest
from memtui.curate.curator import Curator
from memtui.curate.following import target_of
from memtui.curate.healing import heal
from memtui.index.states import Known, states_of
from memtui.ledger.store import Ledger
from tests.curate.acting import STEPPED, Doing, any_act
from tests.curate.bench import Bench

LONGEST = 0.3
"""Seconds after its first acknowledged act within which a process is killed."""


Child = Callable[[int], None]
"""What a forked child does; it tells each acknowledged act to the pipe that it is given."""


def at_random(root: Path, runs: int, seed: int) -> dict[str, object]:
    """Kill `runs` times at a random instant."""
    bench = Bench(root).build()
    rng = random.Random(seed)
    report = Report()
    for run in range(runs):
        child = partial(_act_for_ever, bench, random.Random(seed * 1000 + run))
        report.told |= _killed(child, rng.random() * LONGEST)
        _check(bench, report, f"run {run}")
    return report.as_json()


def at_each_step(root: Path) -> dict[str, object]:
    """Kill every kind of act before and after each of its steps."""
    report = Report()
    for number, doing in enumerate(STEPPED):
        for step in range(100):
            bench = Bench(root / f"{number}-{step}").build()
            with bench.curator("writer") as curator:
                verbs.demote(curator, bench.items("port-8417"))
                verbs.pin(curator, bench.items("own-env"))
                verbs.undo(curator)
            told = _killed(partial(_act_once, bench, doing, step), None)
            report.told = told
            _check(bench, report, f"{doing.__name__} at step {step}")
            if told:
                report.steps += step
                break
    return report.as_json()


@dataclass
class Report:
    """What the runs add up to."""

    told: set[str] = field(default_factory=set)
    forward: int = 0
    back: int = 0
    steps: int = 0
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        return {
            "acts": len(self.told),
            "forward": self.forward,
            "back": self.back,
            "steps": self.steps,
            "problems": self.problems,
        }


def _killed(child: Child, delay: float | None) -> set[str]:
    """Fork, and kill the child `delay` seconds after its first act, or let it end (None).

    Returns the acts that it acknowledged.
    """
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(read)
        try:
            child(write)
        finally:
            os._exit(1)
    os.close(write)
    told = os.read(read, 21)
    if delay is not None:
        time.sleep(delay)
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    while part := os.read(read, 65536):
        told += part
    os.close(read)
    return {line.decode() for line in told.split(b"\n") if len(line) == 20}


def _act_for_ever(bench: Bench, rng: random.Random, pipe: int) -> None:
    curator = bench.curator(f"writer-{rng.randrange(2)}")
    while True:
        os.write(pipe, any_act(bench, curator, rng).act.encode() + b"\n")


def _act_once(bench: Bench, doing: Doing, step: int, pipe: int) -> None:
    """One act that dies at its step number `step`; acknowledged when it has fewer."""
    left = [step]

    def dying(do: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            _die_at(left)
            result = do(*args)
            _die_at(left)
            return result

        return run

    curator = bench.curator("writer")
    for owner, name in (
        (Ledger, "intend"),
        (Curator, "write"),
        (Curator, "append_event"),
        (Ledger, "finish"),
    ):
        setattr(owner, name, dying(getattr(owner, name)))
    result = doing(bench, curator, random.Random(3))
    os.write(pipe, result.act.encode() + b"\n")


def _die_at(left: list[int]) -> None:
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1


def _check(bench: Bench, report: Report, where: str) -> None:
    with bench.curator("checker") as curator:
        healed = heal(curator)
        report.forward += len(healed.done)
        report.back += len(healed.undone)
        wrong = wrong_with(bench, curator.ledger, report.told)
        report.problems += [f"{where}: {text}" for text in wrong]
    bench.curators.clear()


def wrong_with(bench: Bench, ledger: Ledger, told: set[str]) -> list[str]:
    """What does not add up: lost acts, unread files, files that no act left so, a wrong index."""
    wrong = [f"unfinished: {act.id}" for act in ledger.unfinished()]
    contents = bench.contents()
    in_events = {str(event.data.get("act")) for event in contents.events}
    in_ledger = {act.id for act in ledger.history(10**9)}
    wrong += [f"lost event of {act}" for act in told - in_events]
    wrong += [f"lost in the ledger: {act}" for act in told - in_ledger]
    wrong += [f"event without act: {act}" for act in in_events - in_ledger]
    wrong += [f"{problem.path}: {problem.message}" for problem in contents.problems]
    for path in ledger.paths():
        if not path.startswith("@"):
            file = bench.bank / path
            now = digest(file.read_bytes() if file.exists() else None)
            if now != ledger.left(path):
                wrong.append(f"{path} is not as the last act left it")
    known = Known(bench.clock(), trust_by_id(contents.events), {}, {})
    states = states_of(contents, known)
    replaced = {
        item for item, found in states.items() if any(s.reason == "superseded" for s in found)
    }
    items = (*contents.cards, *contents.pages)
    live = {
        f"{'pages' if isinstance(item, Page) else 'cards'}/{item.name}.md"
        for item in items
        if item.status is Status.ACTIVE and item.id not in replaced
    }
    listed = [target_of(line) for line in parse_index(bench.index().encode())]
    wrong += [f"listed twice: {path}" for path in set(listed) if listed.count(path) > 1]
    wrong += [f"listed and not live: {path}" for path in set(listed) - live]
    wrong += [f"live and not listed: {path}" for path in live - set(listed)]
    wrong += [f"temporary file: {path}" for path in bench.root.rglob(".memtui-*.tmp")]
    return wrong


if __name__ == "__main__":
    made = (
        at_each_step(Path(sys.argv[2]))
        if sys.argv[1] == "steps"
        else at_random(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    )
    sys.stdout.write(json.dumps(made) + "\n")
