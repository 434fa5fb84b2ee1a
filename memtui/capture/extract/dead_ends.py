"""Dead ends: what was tried and given up, so that nobody tries it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memtui.capture import phrases
from memtui.capture.commands import failed, runs
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn
from memtui.hosts.model import Kind

TRIES = 3
"""Failures of one command, and never a success: from here on it counts as given up."""
_REFUSED = "doesn't want to proceed with this tool use"


def dead_ends(turns: Sequence[Turn]) -> Iterator[Finding]:
    """What was said to lead nowhere, calls that the user refused, commands that never worked."""
    for place, turn in enumerate(turns):
        if turn.kind is Kind.ANSWER:
            sentence = phrases.dead_end(turn.text)
            if sentence:
                yield Finding(What.DEAD_END, (place,), sentence, same(sentence))
        elif turn.is_error and _REFUSED in turn.output:
            done = turn.command or ", ".join(turn.paths) or "a call"
            sentence = f"the user refused: {' '.join(done.split())[:120]}"
            yield Finding(What.DEAD_END, (place,), sentence, same(sentence))
    yield from _never(turns)


def _never(turns: Sequence[Turn]) -> Iterator[Finding]:
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for place, turn in enumerate(turns):
        for run in runs(turn.command):
            if failed(turn):
                counts[run.key] += 1
                last[run.key] = place
            else:
                counts[run.key] = 0
    for key, number in counts.items():
        if number >= TRIES:
            error = phrases.error_line(turns[last[key]].output)
            sentence = f"`{' '.join(key.split())[:80]}` never worked in {number} tries: {error}"
            yield Finding(What.DEAD_END, (last[key],), sentence, same(f"{key}: {error}"))
