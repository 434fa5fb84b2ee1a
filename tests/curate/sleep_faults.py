"""Kills a process that sleeps, again and again, and checks bank and ledger after each. Prints JSON.

python -m tests.curate.sleep_faults ROOT RUNS SEED
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

from memtui.bank.model import Status
from memtui.curate import verbs
from memtui.curate.decide import waiting
from memtui.curate.healing import heal
from tests.curate.faults import wrong_with
from tests.curate.nights import Night, counts

SESSIONS = 12
TRIES = 5
"""At most so many sleeps are begun for each one that is killed at work; the others were too quick."""


def main(root: Path, runs: int, seed: int) -> dict[str, object]:
    """Kill `runs` sleeps at work, each over a bank of its own, at random instants of the time it takes."""
    rng = random.Random(seed)
    problems: list[str] = []
    killed = begun = 0
    night = _bank(root / "whole")
    begin = time.monotonic()
    _killed(night, None)
    lasts = time.monotonic() - begin
    while killed < runs and begun < TRIES * runs:
        night = _bank(root / str(begun))
        killed += _killed(night, rng.random() * lasts)
        problems += [f"run {begun}: {text}" for text in _wrong(night)]
        begun += 1
    return {"killed": killed, "begun": begun, "problems": problems}


def _bank(root: Path) -> Night:
    root.mkdir()
    night = Night.at(root)
    with night.curator() as curator:
        card = next(card for card in night.contents().cards if card.id == "ddddd2")
        verbs.demote(curator, [card])
        card = next(card for card in night.contents().cards if card.id == "ddddd2")
        assert card.status is Status.STALE
        verbs.demote(curator, [card])
    night.write(*(night.pitfall(number) for number in range(SESSIONS)))
    night.now += timedelta(days=29)
    return night


def _killed(night: Night, delay: float | None) -> bool:
    """Fork, let the child sleep over the bank, and kill it; whether it was still at work. Without a delay
    it is waited for.
    """
    process = os.fork()
    if process == 0:
        try:
            with night.curator() as curator:
                night.sleep(curator)
        finally:
            os._exit(0)
    if delay is None:
        os.waitpid(process, 0)
        return False
    time.sleep(delay)
    done, _ = os.waitpid(process, os.WNOHANG)
    if not done:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    return not done


def _wrong(night: Night) -> list[str]:
    """What does not add up after the kill, and after a sleep that finishes the work."""
    with night.curator() as curator:
        heal(curator)
        wrong = wrong_with(night.bench, curator.ledger, set())
        made = {record.session for record in curator.ledger.captured().values() if record.proposed}
        held = {proposal.session for proposal in waiting(curator) if proposal.draft}
        wrong += [f"a step in halves: {made ^ held}"] if made != held else []
        night.sleep(curator)
        again = counts(night.sleep(curator))
        wrong += [f"not idempotent: {again}"] if again else []
        found = [proposal for proposal in waiting(curator) if proposal.draft]
        seen = curator.ledger.sightings(found[0].subject)[found[0].subject] if found else []
        wrong += [] if len(found) == 1 and len(seen) == SESSIONS else ["a pitfall was lost"]
        packed = night.bench.bank / "archive" / "pool-hangs.md.zst"
        plain = night.bench.bank / "cards" / "pool-hangs.md"
        wrong += [] if packed.exists() and not plain.exists() else ["the archive is in halves"]
        wrong += wrong_with(night.bench, curator.ledger, set())
    return wrong


if __name__ == "__main__":
    made = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(made) + "\n")
