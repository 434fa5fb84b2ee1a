"""The one pure function that decides what a session receives: `plan(snapshot, request)`.

Nothing here reads a file, a clock or a database. Items are judged one by one (does the bank, the policy
or the scope hold it back?), ranked, and laid into the block as long as lines, budget and the host's cap
allow. Pinned items are laid first, then checked, then unchecked ones.
"""

from __future__ import annotations

from collections.abc import Callable

from memtui import reasons
from memtui.inject import render
from memtui.inject.layout import Layout
from memtui.inject.model import Candidate, Decision, Plan, PlanPolicy, Request, Snapshot

DAY_RECENCY = 0.995**24
"""What is left of recency after one day without use."""

CONFIRMED = "confirmed"
DISPUTED = "disputed"
EXTERNAL = "external"

COUNTED = ("", reasons.TYPE, reasons.EXTERNAL)
"""Reasons of `judge` under which an item holds all the same, so that the header counts it."""

Ranked = tuple[Candidate, float]
"""A candidate that nothing but room can hold back, with its score."""


def plan(snapshot: Snapshot, request: Request) -> Plan:
    """The text for one session and one decision for every candidate.

    Decisions come in this order: shown lines by rank, then what only room held back, best first, then
    the rest by handle.
    """
    held: list[Decision] = []
    ranked: list[Ranked] = []
    given = weights(snapshot.policy)
    total = 0
    for item in snapshot.candidates:
        reason, detail = judge(item, snapshot, request)
        value = weighed(item, given, request.today)
        total += reason in COUNTED
        if reason:
            held.append(Decision(item.handle, reason, 0, value, 0, detail))
        else:
            ranked.append((item, value))
    ranked.sort(key=ranking(snapshot.policy))
    held.sort()
    total = total if snapshot.total is None else snapshot.total
    layout = Layout(snapshot.policy, request, snapshot.project, total)
    for item, value in ranked:
        layout.place(item, value)
    return layout.finish(held)


def judge(item: Candidate, snapshot: Snapshot, request: Request) -> tuple[str, str]:
    """Why an item cannot be shown whatever the room: (reason, detail), both "" when it can."""
    if item.states:
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
    return bool(origin) and origin.strip().casefold().startswith(EXTERNAL)


def out_of_scope(item: Candidate, snapshot: Snapshot, request: Request) -> str:
    """Which other project or branch an item belongs to, "" when it is in scope.

    An item without a project belongs to the bank's; a request without one asks for the bank's.
    """
    if item.project != request.project:
        owner = own_name(item.project, snapshot)
        if owner and owner != own_name(request.project, snapshot):
            return f"project {owner}"
    if item.branch and item.branch != request.branch:
        return f"branch {item.branch}"
    return ""


def own_name(project: str, snapshot: Snapshot) -> str:
    """The name under which a project is compared: the bank's own for none and for its aliases."""
    return snapshot.project if not project or project in snapshot.aliases else project


def countable(item: Candidate, snapshot: Snapshot, request: Request) -> bool:
    """Whether the header counts an item in its total: it holds now and in this scope."""
    return judge(item, snapshot, request)[0] in COUNTED


def score(item: Candidate, policy: PlanPolicy, today: int) -> float:
    """The rank value without a query: weighted sum of importance, trust and recency, each in 0..1."""
    return weighed(item, weights(policy), today)


def weighed(item: Candidate, given: tuple[float, float, float], today: int) -> float:
    """The score under the weights of importance, trust and recency."""
    importance, trust, fresh = given
    settled = importance * _unit(item.importance) + trust * _unit(item.score)
    return settled + fresh * recency(today - item.used_day)


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


def ranking(policy: PlanPolicy) -> Callable[[Ranked], tuple[bool, bool, float, int, str, str]]:
    """Sort key over ranked items: pins, then checked before unchecked, score, type order, handle."""
    order = {name: at for at, name in reversed(tuple(enumerate(policy.types)))}

    def key(entry: Ranked) -> tuple[bool, bool, float, int, str, str]:
        item, value = entry
        unchecked = render.section_of(item) == render.UNCHECKED
        place = order[item.type]
        return not item.pinned, unchecked, -value, place, item.handle, item.name

    return key
