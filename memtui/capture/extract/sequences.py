"""Procedures: the same run of commands in several sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui.capture.commands import failed, runs
from memtui.capture.turns import Turn

LEAST = 3
"""Commands of a sequence, and sessions in which it stands."""
LONGEST = 6


@dataclass(frozen=True, slots=True)
class Shared:
    """Commands that were run in this order in `sessions`, each with the place of its first one."""

    commands: tuple[str, ...]
    sessions: tuple[tuple[str, int], ...]


def steps(turns: Sequence[Turn]) -> list[tuple[str, int]]:
    """What a session ran and saw succeed, in order, as (command without arguments that vary, place)."""
    found: list[tuple[str, int]] = []
    for place, turn in enumerate(turns):
        if failed(turn):
            continue
        for run in runs(turn.command):
            if not found or found[-1][0] != run.key:
                found.append((run.key, place))
    return found


def sequences(sessions: Mapping[str, Sequence[tuple[str, int]]]) -> Iterator[Shared]:
    """Sequences that at least three sessions share, the longest first; a part of one is left out."""
    found: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for name, own in sessions.items():
        for size in range(LEAST, LONGEST + 1):
            for start in range(len(own) - size + 1):
                window = own[start : start + size]
                words = tuple(key for key, _ in window)
                if len(set(words)) == size:
                    found[words].setdefault(name, window[0][1])
    shared = [(words, own) for words, own in found.items() if len(own) >= LEAST]
    shared.sort(key=lambda entry: (-len(entry[0]), -len(entry[1]), entry[0]))
    told: list[tuple[str, ...]] = []
    for words, holders in shared:
        if not any(_within(words, longer) for longer in told):
            told.append(words)
            yield Shared(words, tuple(sorted(holders.items())))


def _within(words: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    size = len(words)
    return any(longer[at : at + size] == words for at in range(len(longer) - size + 1))
