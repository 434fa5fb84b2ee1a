"""From the index's plain tuples to a snapshot, and the fast way to a plan when a bank is large.

`plan` stays the only authority. A hook cannot afford to build ten thousand candidates, so `plan_best`
has the index rank them, looks at the best of each class until no other can have a place, and plans over
those that it looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from memtui.inject import render
from memtui.inject.layout import Layout
from memtui.inject.model import Candidate, Plan, PlanPolicy, Request, Snapshot
from memtui.inject.plan import (
    DAY_RECENCY,
    Ranked,
    countable,
    judge,
    own_name,
    plan,
    ranking,
    weighed,
    weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtui.inject.sources import Checked, Rows, Source

CHUNK = 32
"""How many rows of one rank class are looked at first."""

WHOLE = 400
"""A bank of so many items is planned over as a whole, so that every item gets its decision."""

ROUNDS = 12
"""How often a plan is made again because a file of it had changed."""

NEAR = 1e-9
"""Sums of SQLite and of Python may differ by less than this: such ranks count as equal."""

CLASSES = ((1, 1), (1, 0), (0, 1), (0, 0))
"""Rank classes (pinned, checked) in the order in which they are laid."""


class Best(NamedTuple):
    """A plan over the best of a bank, with the row ids of its shown items (-1, -2 ... for extras).

    Text and lines are those of the whole bank's plan. Decisions are there for the items looked at;
    `whole` tells that these are all.
    """

    plan: Plan
    rows: tuple[int, ...]
    whole: bool = False


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


def plan_fresh(source: Checked, request: Request) -> Best:
    """The plan of a bank whose files are checked: small banks whole, large ones line by line shown.

    Where the files change faster than they can be read, only what was verified is planned over.
    """
    if source.size() <= WHOLE:
        return Best(plan(build(source.everything()), request), (), True)
    for _ in range(ROUNDS):
        best = plan_best(source, request)
        if not source.recheck(best.rows):
            return best
    source.only_verified = True
    return plan_best(source, request)


def plan_best(source: Source, request: Request) -> Best:
    """The plan whose text and lines equal those of `plan` over the whole bank, for a hook's few ms."""
    search = _Search(source, request)
    for pinned, checked in CLASSES:
        search.look_through(pinned, checked)
    return search.result()


class _Search:
    """Looks at a bank's rows, best first, and notes which ones can matter."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.empty = build(source.head())
        self.scope = (own_name(request.project, self.empty), request.branch, request.today)
        self.weights = weights(self.empty.policy)
        self.key = ranking(self.empty.policy)
        self.looked: dict[int, Candidate] = {}
        extras = enumerate(map(Candidate._make, source.extras()), start=1)
        self.extras = {-at: item for at, item in extras}
        self.total = source.total(self.scope) + sum(
            countable(item, self.empty, request) for item in self.extras.values()
        )
        self.layout = Layout(self.empty.policy, request, self.empty.project, self.total)

    def look_through(self, pinned: int, checked: int) -> None:
        """Lay what has a place of one class, fetching rows as long as another one could have one."""
        section = render.CHECKED if checked else render.UNCHECKED
        extras = self._ranked_extras(pinned, section)
        highest, size = float("inf"), CHUNK
        last = False
        while not last and not self.layout.full(section) and self._any_room():
            wanted = (pinned, checked, highest, self.layout.room(), size)
            rows = self.source.best(self.scope, (*self.weights, DAY_RECENCY), wanted)
            last = len(rows) < size
            end = len(rows) if last else _gap(rows)
            size *= 2 if end else 16
            if not end and not last:
                continue
            highest = -float("inf") if last else rows[end][1]
            now = [entry for entry in extras if entry[1] > highest + NEAR]
            extras = [entry for entry in extras if entry[1] <= highest + NEAR]
            for item, value in sorted([*self._ranked(rows[:end]), *now], key=self.key):
                self.layout.place(item, value)

    def _any_room(self) -> bool:
        return self.layout.room() >= render.MIN_LINE_BYTES

    def _ranked(self, rows: Sequence[tuple[int, float]]) -> list[Ranked]:
        found = self.source.items([seq for seq, _ in rows])
        items = {seq: Candidate._make(found[seq]) for seq, _ in rows if seq in found}
        self.looked |= items
        return self._with_ranks(items.values())

    def _ranked_extras(self, pinned: int, section: str) -> list[Ranked]:
        members = (item for item in self.extras.values() if item.pinned == bool(pinned))
        return self._with_ranks(item for item in members if render.section_of(item) == section)

    def _with_ranks(self, items: Iterable[Candidate]) -> list[Ranked]:
        """Those that may be shown; what was read again may turn out not to be."""
        request = self.request
        allowed = (item for item in items if not judge(item, self.empty, request)[0])
        return [(item, weighed(item, self.weights, request.today)) for item in allowed]

    def result(self) -> Best:
        """The plan over everything that was looked at."""
        both = {**self.looked, **self.extras}
        snapshot = self.empty._replace(candidates=tuple(both.values()), total=self.total)
        made = plan(snapshot, self.request)
        shown = {line.handle for line in made.lines}
        return Best(made, tuple(seq for seq, item in both.items() if item.handle in shown))


def _gap(rows: Sequence[tuple[int, float]]) -> int:
    """Where to part rows so that no rounding can make the two sides change their order; 0 for nowhere."""
    for at in range(len(rows) - 1, 0, -1):
        if rows[at - 1][1] - rows[at][1] > 2 * NEAR:
            return at
    return 0
