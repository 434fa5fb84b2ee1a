"""From the index's plain tuples to a snapshot, and the fast way to a plan when a bank is large.

`plan` stays the only authority. A hook cannot afford to build ten thousand candidates, so `plan_best`
plans over those that can be shown at all, best first, and widens the choice until no other item could
change the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memtui import reasons
from memtui.inject import render
from memtui.inject.model import Candidate, Plan, PlanPolicy, Request, Snapshot
from memtui.inject.plan import countable, own_name, plan, recency, weights

FIRST_CHOICE = 48
"""How many items of each rank class are tried first; every further try has eight times as many."""

SATURATED = (reasons.OVER_LINES, reasons.UNCHECKED)


class Rows(Protocol):
    """A bank as `memtui.index.reader.Ingredients` has it: `items` are candidates as plain tuples."""

    @property
    def bank(self) -> str:
        """The bank's id."""

    @property
    def project(self) -> str:
        """The bank's own project."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the project."""

    @property
    def policy(self) -> tuple[Any, ...]:
        """The fields of `PlanPolicy` in their order."""

    @property
    def items(self) -> tuple[tuple[Any, ...], ...]:
        """The fields of `Candidate` in their order."""

    @property
    def total(self) -> int | None:
        """See `Snapshot.total`."""


class Source(Protocol):
    """A bank that is read piece by piece: `memtui.index.reader.Reader`, or one rechecked.

    A scope is (owner, branch, today). `fitting` gives (row id, checked, pinned, importance, trust score,
    used day) of what only room can hold back; `total` counts what holds. `extras` are candidates that
    no row stands for.
    """

    def head(self) -> Rows:
        """Everything but items."""

    def fitting(
        self, scope: tuple[str, str, int]
    ) -> Sequence[tuple[int, int, int, float, float, int]]:
        """See the class."""

    def total(self, scope: tuple[str, str, int]) -> int:
        """See the class."""

    def items(self, seqs: Iterable[int]) -> Mapping[int, tuple[Any, ...]]:
        """Candidates as tuples, by row id."""

    def extras(self) -> Sequence[tuple[Any, ...]]:
        """See the class."""


class Best(NamedTuple):
    """A plan over the best of a bank, with the row ids of its shown lines, in their order.

    Its decisions are those of the whole bank's plan, for the items that were looked at.
    """

    plan: Plan
    seqs: tuple[int, ...]


def build(rows: Rows) -> Snapshot:
    """The snapshot of a whole bank."""
    return Snapshot(
        rows.bank,
        rows.project,
        tuple(map(Candidate._make, rows.items)),
        PlanPolicy._make(rows.policy),
        rows.aliases,
        rows.total,
    )


def plan_best(source: Source, request: Request) -> Best:
    """The plan whose text and lines equal those of `plan` over the whole bank, for a hook's few ms."""
    empty = build(source.head())
    scope = (own_name(request.project, empty), request.branch, request.today)
    extras = tuple(map(Candidate._make, source.extras()))
    total = source.total(scope) + sum(countable(item, empty, request) for item in extras)
    classes = _classes(source.fitting(scope), empty.policy, request.today)
    size = FIRST_CHOICE
    while True:
        chosen = {name: _first(members, size) for name, members in classes.items()}
        seqs = [seq for members in chosen.values() for _, seq in members]
        found = source.items(seqs)
        items = {seq: Candidate._make(found[seq]) for seq in seqs}
        snapshot = empty._replace(candidates=(*items.values(), *extras), total=total)
        result = plan(snapshot, request)
        cut = [
            items[chosen[name][-1][1]] for name in chosen if len(chosen[name]) < len(classes[name])
        ]
        if all(_settled(item, result) for item in cut):
            return Best(result, _shown(result, items))
        size *= 8


def _classes(
    fits: Sequence[tuple[int, int, int, float, float, int]], policy: PlanPolicy, today: int
) -> dict[tuple[int, int], list[tuple[float, int]]]:
    """(-score, row id) of what fits, best first, by rank class: (pinned, checked).

    The sums are those of `plan.score`, written out for the thousands of rows.
    """
    by_importance, by_trust, by_recency = weights(policy)
    fresh: dict[int, float] = {}
    classes: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for seq, checked, pinned, importance, trust, used in fits:
        recent = fresh.get(used)
        if recent is None:
            recent = fresh[used] = by_recency * recency(today - used)
        value = by_importance * importance + by_trust * trust + recent
        classes.setdefault((pinned, checked), []).append((-value, seq))
    for members in classes.values():
        members.sort()
    return classes


def _first(members: list[tuple[float, int]], size: int) -> list[tuple[float, int]]:
    """The first `size` members and those that tie with the last of them."""
    end = size
    while 0 < end < len(members) and members[end][0] == members[end - 1][0]:
        end += 1
    return members[:end]


def _settled(last: Candidate, result: Plan) -> bool:
    """Whether nothing ranked after `last` in its class could be shown either."""
    left = (result.budget - result.tokens + 1) * 4
    repeats = any(d.reason == reasons.IN_CONTEXT for d in result.decisions)
    if left <= render.MIN_LINE_BYTES and not repeats:
        return True
    return any(d.reason in SATURATED for d in result.decisions if d.handle == last.handle)


def _shown(result: Plan, items: Mapping[int, Candidate]) -> tuple[int, ...]:
    """Row ids of everything whose handle is shown."""
    shown = {line.handle for line in result.lines}
    return tuple(seq for seq, item in items.items() if item.handle in shown)
