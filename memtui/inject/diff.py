"""What changed between two plans: for the preview after an edit, another budget or another host."""

from __future__ import annotations

from typing import NamedTuple

from memtui.inject.model import Line, Plan


class Move(NamedTuple):
    """A line that changed its place among the others. Ranks count from 1."""

    handle: str
    before: int
    after: int


class PlanDiff(NamedTuple):
    """Lines of two plans compared by handle. `changed` holds (before, after) of one handle."""

    vanished: tuple[Line, ...]
    appeared: tuple[Line, ...]
    changed: tuple[tuple[Line, Line], ...]
    moved: tuple[Move, ...]
    tokens: int

    @property
    def empty(self) -> bool:
        """Whether both plans send the same lines in the same order."""
        return not (self.vanished or self.appeared or self.changed or self.moved)


def compare(before: Plan, after: Plan) -> PlanDiff:
    """What `after` sends otherwise than `before`; `tokens` is the change of the whole text's cost.

    Lines that only shift because others came or went are not moved: the fewest possible are.
    """
    old = {line.handle: line for line in before.lines}
    new = {line.handle: line for line in after.lines}
    return PlanDiff(
        tuple(line for line in before.lines if line.handle not in new),
        tuple(line for line in after.lines if line.handle not in old),
        tuple((old[key], line) for key, line in new.items() if key in old and line != old[key]),
        _moves(list(old), list(new)),
        after.tokens - before.tokens,
    )


def _moves(old: list[str], new: list[str]) -> tuple[Move, ...]:
    rank = {handle: at for at, handle in enumerate(old, start=1)}
    common = [handle for handle in new if handle in rank]
    steady = _longest_rising([rank[handle] for handle in common])
    return tuple(
        Move(handle, rank[handle], new.index(handle) + 1)
        for handle in common
        if rank[handle] not in steady
    )


def _longest_rising(values: list[int]) -> set[int]:
    """The members of a longest rising subsequence of distinct values."""
    best: list[list[int]] = []
    for value in values:
        before: list[int] = max((run for run in best if run[-1] < value), key=len, default=[])
        best.append([*before, value])
    longest: list[int] = max(best, key=len, default=[])
    return set(longest)
