"""Failures and the successes that answered them: the same command or test, first red, then green."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.capture.commands import Run, failed, refused, runs
from memtui.capture.turns import Turn

MAX_DISTANCE = 400
"""Turns after which a success is no longer taken as the answer to a failure."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Positions in the session's turns: `failure` is the last red run before `success`, the green one.

    `first` is the first red run of the same thing; `key` says what was run.
    """

    failure: int
    success: int
    first: int
    key: str


@dataclass(frozen=True, slots=True)
class _Open:
    run: Run
    first: int
    last: int


def pairs(turns: Sequence[Turn]) -> list[Pair]:
    """All pairs of a session, in the order of their successes. A failure is in one pair at most."""
    found: list[Pair] = []
    waiting: list[_Open] = []
    for place, turn in enumerate(turns):
        if not turn.command:
            continue
        own = runs(turn.command)
        if refused(turn):
            continue
        if failed(turn):
            waiting = _add_failure(waiting, own, place)
            continue
        if turn.exit_code is None and not turn.output:
            continue
        done = [entry for entry in waiting if _answers(own, entry, place)]
        waiting = [entry for entry in waiting if entry not in done]
        found.extend(_pairs(done, place))
    return found


def _pairs(done: Sequence[_Open], place: int) -> list[Pair]:
    by_failure = {entry.last: entry for entry in reversed(done)}
    ordered = sorted(by_failure.values(), key=lambda entry: entry.last)
    return [Pair(entry.last, place, entry.first, entry.run.key) for entry in ordered]


def _add_failure(waiting: Sequence[_Open], own: Sequence[Run], place: int) -> list[_Open]:
    kept = list(waiting)
    for run in own:
        same = next((entry for entry in kept if entry.run.key == run.key), None)
        if same is not None:
            kept.remove(same)
        kept.append(_Open(run, same.first if same else place, place))
    return kept


def _answers(own: Sequence[Run], entry: _Open, place: int) -> bool:
    near = place - entry.last <= MAX_DISTANCE
    return near and any(run.covers(entry.run) for run in own)


def partner(turns: Sequence[Turn], place: int) -> int | None:
    """From a failure to its success, or back; None where there is no pair."""
    for pair in pairs(turns):
        if place in (pair.failure, pair.first):
            return pair.success
        if place == pair.success:
            return pair.failure
    return None
