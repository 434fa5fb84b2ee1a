"""The check that passed after the fact: what a validation may cite."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memtui.capture.commands import Run, failed, refused, runs
from memtui.capture.concern import concerns
from memtui.capture.extract.runs import is_check
from memtui.capture.turns import Turn

_HIDES = re.compile(r"[|;&\n]")
_STARTED = re.compile(r"\brunning in (?:the )?background\b", re.IGNORECASE)
_GREEN = re.compile(
    r"^(?:.*\b[1-9]\d* (?:pass|passed|passing)\b.*|OK\b.*|ok\s.*|test result: ok\b.*|0 issues\b.*|"
    r"Success: no issues.*|All checks passed.*)$",
    re.MULTILINE,
)
_RED = re.compile(
    r"\b[1-9]\d* (?:fail|failed|failing|failures?|errors?)\b|^(?:FAIL|FAILED|ERROR)\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Passed:
    """A test, build or other check that passed: the record that shows it, and what was run."""

    ref: str
    check: str


def passed_after(turns: Sequence[Turn], refs: Collection[str], about: str = "") -> Passed | None:
    """The first check of a session that passed after every turn in `refs`.

    Where a cited turn failed it has to be the same command, or a wider run of the same tests. Else it
    has to name something that the fact `about` names; without `about` any will do.
    """
    places = [place for place, turn in enumerate(turns) if turn.ref in refs or turn.cited in refs]
    if not places:
        return None
    cited = [turns[place] for place in places]
    red = [
        run for turn in cited if failed(turn) and not refused(turn) for run in runs(turn.command)
    ]
    latest = max((turn.at for turn in cited if turn.at is not None), default=None)
    for turn in turns[places[-1] + 1 :]:
        # A sub-agent's turns stand after those of its session, whenever they were.
        earlier = latest is not None and turn.at is not None and turn.at < latest
        run = None if earlier else _check(turn, red)
        if run is not None and not red and about and not concerns(turn, about):
            continue
        if run is not None and _green(turn):
            return Passed(turn.cited, run.key)
    return None


def _check(turn: Turn, red: Sequence[Run]) -> Run | None:
    """The check that a turn runs and that is meant."""
    for run in runs(turn.command) if turn.command else ():
        if is_check(run) and (not red or any(run.covers(other) for other in red)):
            return run
    return None


def _ended(turn: Turn) -> bool:
    """Whether it ran to its end, by its exit code or by its result where the host keeps no code of 0."""
    if turn.exit_code is not None:
        return True
    return bool(turn.result_ref or turn.output) and not _STARTED.search(turn.output[:400])


def _green(turn: Turn) -> bool:
    """Whether it passed beyond doubt: behind a pipe, `;` or `&` only the report tells, not the exit code."""
    if failed(turn) or refused(turn):
        return False
    plain = turn.command.replace("2>&1", "").replace("&&", "")
    if not _HIDES.search(plain) and _ended(turn):
        return True
    return bool(_GREEN.search(turn.output)) and not _RED.search(turn.output)
