"""The one pure function that decides what a session receives: `plan(snapshot, request)`.

Nothing here reads a file, a clock or a database. Items are judged one by one (does the bank, the policy
or the scope hold it back?), ranked, and laid into the block as long as lines, budget and the host's cap
allow. Pinned items are laid first, then checked, then unchecked ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memtui import reasons
from memtui.inject import limits, render
from memtui.inject.model import Candidate, Decision, Line, Plan, PlanPolicy, Request, Snapshot

DAY_RECENCY = 0.995**24
"""What is left of recency after one day without use."""

CONFIRMED = "confirmed"
DISPUTED = "disputed"
EXTERNAL = "external"


class Ranked(NamedTuple):
    """A candidate that nothing but room can hold back, with its score."""

    item: Candidate
    score: float


def plan(snapshot: Snapshot, request: Request) -> Plan:
    """The text for one session and one decision for every candidate.

    Decisions come in this order: shown lines by rank, then what only room held back, best first, then
    the rest by handle.
    """
    held: list[Decision] = []
    ranked: list[Ranked] = []
    for item in snapshot.candidates:
        reason, detail = judge(item, snapshot, request)
        value = score(item, snapshot.policy, request.today)
        if reason:
            held.append(Decision(item.handle, reason, 0, value, 0, detail))
        else:
            ranked.append(Ranked(item, value))
    ranked.sort(key=_ranking(snapshot.policy))
    held.sort()
    layout = _Layout(snapshot, request)
    for entry in ranked:
        layout.place(entry)
    return layout.finish(held)


def judge(item: Candidate, snapshot: Snapshot, request: Request) -> tuple[str, str]:
    """Why an item cannot be shown whatever the room: (reason, detail), both "" when it can."""
    for reason in reasons.ABSENT:
        if reason in item.states:
            return reason, ""
    if item.tier == DISPUTED:
        return reasons.DISPUTED, ""
    if item.expires_day and item.expires_day <= request.today:
        return reasons.EXPIRED, ""
    elsewhere = out_of_scope(item, snapshot, request)
    if elsewhere:
        return reasons.SCOPE, elsewhere
    if item.type not in snapshot.policy.types:
        return reasons.TYPE, item.type
    if is_external(item.origin) and item.tier != CONFIRMED:
        return reasons.EXTERNAL, item.tier
    return "", ""


def is_external(origin: str) -> bool:
    """Whether an origin says that the text came from a tool or the web, however it is written."""
    return origin.strip().casefold().startswith(EXTERNAL)


def out_of_scope(item: Candidate, snapshot: Snapshot, request: Request) -> str:
    """Which other project or branch an item belongs to, "" when it is in scope.

    An item without a project belongs to the bank's; a request without one asks for the bank's.
    """
    asked = own_name(request.project, snapshot)
    owner = own_name(item.project, snapshot)
    if owner and owner != asked:
        return f"project {owner}"
    if item.branch and item.branch != request.branch:
        return f"branch {item.branch}"
    return ""


def own_name(project: str, snapshot: Snapshot) -> str:
    """The name under which a project is compared: the bank's own for none and for its aliases."""
    return snapshot.project if not project or project in snapshot.aliases else project


def countable(item: Candidate, snapshot: Snapshot, request: Request) -> bool:
    """Whether the header counts an item in its total: it holds now and in this scope."""
    if item.tier == DISPUTED or any(reason in item.states for reason in reasons.ABSENT):
        return False
    expired = 0 < item.expires_day <= request.today
    return not expired and not out_of_scope(item, snapshot, request)


def score(item: Candidate, policy: PlanPolicy, today: int) -> float:
    """The rank value without a query: weighted sum of importance, trust and recency, each in 0..1."""
    by_importance, by_trust, by_recency = weights(policy)
    fresh = recency(today - item.used_day)
    return (
        by_importance * _unit(item.importance) + by_trust * _unit(item.score) + by_recency * fresh
    )


def weights(policy: PlanPolicy) -> tuple[float, float, float]:
    """The weights of importance, trust and recency; infinities and what is no number count as 0."""
    given = (policy.importance_weight, policy.trust_weight, policy.recency_weight)
    importance, trust, fresh = (w if abs(w) < float("inf") else 0.0 for w in given)
    return importance, trust, fresh


def recency(days: int) -> float:
    """0.995 to the power of the hours since the last use, from whole days; 1 for today and later."""
    return DAY_RECENCY ** max(0, days)


def _unit(value: float) -> float:
    """`value` kept in 0..1; what is no number counts as 0, so that sorting stays an order."""
    return min(value, 1.0) if value > 0 else 0.0


def _ranking(policy: PlanPolicy) -> Callable[[Ranked], tuple[bool, bool, float, int, str, str]]:
    """Sort key over ranked items: pins, then checked before unchecked, score, type order, handle."""
    order = {name: at for at, name in reversed(tuple(enumerate(policy.types)))}

    def key(entry: Ranked) -> tuple[bool, bool, float, int, str, str]:
        item = entry.item
        unchecked = render.section_of(item) == render.UNCHECKED
        place = order[item.type]
        return not item.pinned, unchecked, -entry.score, place, item.handle, item.name

    return key


class _Layout:
    """The block while it is filled: what is in it, what it costs, and what was decided.

    Lines that the context already holds keep their place, so that a resumed session does not receive
    the next best ones instead; they are only left out of the text.
    """

    def __init__(self, snapshot: Snapshot, request: Request) -> None:
        policy = snapshot.policy
        self.today = request.today
        self.project = snapshot.project
        self.policy = policy
        self.budget = policy.budget if request.budget is None else request.budget
        self.limit = limits.limit_of(request.host)
        self.total = _total(snapshot, request)
        self.seen = {render.ageless(line) for line in request.seen}
        self.seen_handles = {render.handle_in(line) for line in request.seen}
        self.count = {render.CHECKED: 0, render.UNCHECKED: 0}
        around = render.fence_around()
        self.bytes, self.units = _size(around), limits.measure(around, self.limit)
        self.shown: list[tuple[Ranked, Line]] = []
        self.decisions: list[Decision] = []

    def place(self, entry: Ranked) -> None:
        """Show the item, or hold it back and say why."""
        item = entry.item
        known = self._known(item)
        reason, detail = self._crowded(item)
        if reason:
            reason, detail = (reasons.IN_CONTEXT, "") if known else (reason, detail)
            self._hold(entry, reason, detail, 0)
            return
        line = render.line_of(item, self.today)
        reason, detail = self._fit(line)
        if known:
            self._hold(entry, reasons.IN_CONTEXT, "", line.tokens)
        elif reason:
            self._hold(entry, reason, detail, line.tokens)
        else:
            self.shown.append((entry, line))

    def _known(self, item: Candidate) -> bool:
        if render.shown_handle(item.handle) not in self.seen_handles:
            return False
        return render.ageless(render.line_of(item, self.today).text) in self.seen

    def _crowded(self, item: Candidate) -> tuple[str, str]:
        """Whether the line limits leave no place, before its line is even written."""
        if sum(self.count.values()) >= self.policy.max_lines:
            return reasons.OVER_LINES, f"{self.policy.max_lines} lines"
        unchecked = self.count[render.UNCHECKED]
        full = unchecked >= self.policy.unchecked_lines
        if full and render.section_of(item) == render.UNCHECKED:
            return reasons.UNCHECKED, f"{self.policy.unchecked_lines} lines"
        return "", ""

    def _fit(self, line: Line) -> tuple[str, str]:
        """Take the line's room, or say what it lacks. The header is measured at its present count."""
        added = "\n" + line.text
        if not self.count[line.section]:
            added += "\n" + render.SECTION_HEADERS[line.section]
        head = self._header(sum(self.count.values()) + 1)
        size = self.bytes + _size(added)
        if render.tokens(size + _size(head)) > self.budget:
            left = max(0, self.budget - render.tokens(self.bytes + _size(head)))
            return reasons.OVER_BUDGET, f"~{line.tokens} tokens, ~{left} left"
        units = self.units + limits.measure(added, self.limit)
        if units + limits.measure(head, self.limit) > self.limit.size:
            return reasons.OVER_LIMIT, f"{self.limit.host}: {self.limit.size} {self.limit.unit}"
        self.bytes, self.units = size, units
        self.count[line.section] += 1
        return "", ""

    def _header(self, shown: int) -> str:
        return render.header(self.project, self.today, shown, self.total)

    def _hold(self, entry: Ranked, reason: str, detail: str, cost: int) -> None:
        self.decisions.append(Decision(entry.item.handle, reason, 0, entry.score, cost, detail))

    def finish(self, held: list[Decision]) -> Plan:
        """The plan: lines in the order of the text, and their decisions before all others."""
        self.shown.sort(key=lambda pair: pair[1].section == render.UNCHECKED)
        lines = tuple(line for _, line in self.shown)
        shown = [
            Decision(entry.item.handle, reasons.SHOWN, rank, entry.score, line.tokens)
            for rank, (entry, line) in enumerate(self.shown, start=1)
        ]
        text, digest = "", ""
        if lines:
            text, digest = render.fenced(render.body_of(self._header(len(lines)), lines))
        cost = render.tokens(_size(text))
        decisions = (*shown, *self.decisions, *held)
        return Plan(text, lines, decisions, cost, self.budget, self.limit, digest)


def _total(snapshot: Snapshot, request: Request) -> int:
    if snapshot.total is not None:
        return snapshot.total
    return sum(countable(item, snapshot, request) for item in snapshot.candidates)


def _size(text: str) -> int:
    return len(text.encode())
