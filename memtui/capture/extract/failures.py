"""A failure and the success that answered it: symptom and fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui.capture import phrases
from memtui.capture.extract.finding import Finding, same
from memtui.capture.observation import What
from memtui.capture.pairs import pairs
from memtui.capture.turns import Turn


def failures(turns: Sequence[Turn]) -> Iterator[Finding]:
    """One finding for each pair; its places are the failure and the success."""
    for pair in pairs(turns):
        error = phrases.error_line(turns[pair.failure].output) or "it fails"
        sentence = f"`{' '.join(pair.key.split())[:80]}` fails with: {error}"
        yield Finding(
            What.PAIR,
            (pair.failure, pair.success),
            sentence,
            same(f"{pair.key}: {error}"),
            turns[pair.failure].output,
        )
