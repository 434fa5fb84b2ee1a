"""The values that the injection plan reads and returns.

Tuples and no dataclasses, because the session-start hook pays for every import.
"""

from __future__ import annotations

from typing import NamedTuple


class Candidate(NamedTuple):
    """A card or page as the index knows it.

    `states` are the reasons computed for it (see `memtui.reasons`), strongest first. Days are whole
    days since 1970-01-01 UTC; `used_day` is when it was last fetched, used or confirmed, else created.
    `expires_day` is the first day on which it does not hold any more, 0 for never.
    """

    handle: str
    name: str
    title: str
    layer: str
    type: str
    tags: tuple[str, ...]
    tier: str
    score: float
    importance: float
    created_day: int
    used_day: int
    pinned: bool
    project: str
    branch: str
    origin: str
    states: tuple[str, ...]
    expires_day: int = 0


class PlanPolicy(NamedTuple):
    """The bank's policy as the plan needs it."""

    types: tuple[str, ...]
    max_lines: int = 12
    budget: int = 600
    unchecked_lines: int = 2
    importance_weight: float = 1.0
    trust_weight: float = 1.0
    recency_weight: float = 1.0


class HostLimit(NamedTuple):
    """The host's own cap on one injected text: `size` counted in `unit`.

    `unit` is "utf16" (UTF-16 code units), "utf8" (bytes) or "chars". `escape` names what the host
    does to the text on the way ("" or "html": `<` and `>` become entities).
    """

    host: str
    unit: str
    size: int
    escape: str = ""


class Snapshot(NamedTuple):
    """Everything of a bank that an injection may depend on.

    `aliases` are other names of `project`. `total` is None when `candidates` is the whole bank; a
    snapshot reduced to the best candidates carries there what `plan.countable` gives for the whole.
    """

    bank: str
    project: str
    candidates: tuple[Candidate, ...]
    policy: PlanPolicy
    aliases: tuple[str, ...] = ()
    total: int | None = None


class Request(NamedTuple):
    """Everything that varies from one injection to the next. `today` is a day number in UTC.

    `seen` holds the lines already in this context, exactly as they were sent. `budget` of None means
    the policy's own.
    """

    host: str
    source: str
    project: str
    branch: str
    today: int
    session: str = ""
    seen: frozenset[str] = frozenset()
    budget: int | None = None


class Line(NamedTuple):
    """One line of the injected block. `section` is "checked" or "unchecked"."""

    handle: str
    text: str
    tokens: int
    section: str


class Decision(NamedTuple):
    """What became of one card or page: `rank` from 1 when shown, else 0. `reason` from `memtui.reasons`.

    `tokens` is what its line costs, 0 where the decision fell before the line was written. `detail`
    says more in words ("" where the reason says it all).
    """

    handle: str
    reason: str
    rank: int
    score: float
    tokens: int
    detail: str = ""


class Plan(NamedTuple):
    """The text that a session receives, its lines, and one decision for every candidate.

    An empty bank gives the empty text. `tokens` counts the whole text, fence included.
    """

    text: str
    lines: tuple[Line, ...]
    decisions: tuple[Decision, ...]
    tokens: int
    budget: int
    limit: HostLimit
    digest: str
