"""From a bank's index to the plan of one injection, by the one pure function."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from memtui import reasons
from memtui.agents.today import today
from memtui.agents.whereabouts import checkout
from memtui.index.reader import Reader
from memtui.inject.model import Candidate, Plan, Request
from memtui.inject.plan import DAY_RECENCY, own_name, plan, weights
from memtui.inject.snapshot import build, plan_best

WHOLE = 400
"""Up to so many items the plan is made over the whole bank, so that every item gets its decision."""
FIRST = 160
"""So many items are looked at first in a larger bank."""
NEAR = 1e-9
"""Ranks that differ by less count as equal."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memtui.agents.bankmap import Known


class Wanted(NamedTuple):
    """For whom: host, source, working folder, session, and the lines already in its context."""

    host: str
    source: str
    cwd: str
    session: str
    seen: frozenset[str] = frozenset()


class Planned(NamedTuple):
    """A plan with its request. `whole`: its decisions cover the whole bank. `version` names its state.

    `faults` are what could not be done as it should.
    """

    plan: Plan
    request: Request
    whole: bool
    version: str
    faults: tuple[str, ...] = ()


def request_of(wanted: Wanted, environ: Mapping[str, str]) -> Request:
    """The request of one injection. Raises ValueError when `MEMTUI_NOW` is no time."""
    return Request(
        host=wanted.host,
        source=wanted.source,
        project="",
        branch=checkout(wanted.cwd, environ).branch,
        today=today(environ),
        session=wanted.session,
        seen=wanted.seen,
    )


def plan_now(bank: Known, wanted: Wanted, environ: Mapping[str, str]) -> Planned:
    """Plan from the index. Raises IndexMissing, sqlite3.Error, or ValueError for a bad `MEMTUI_NOW`."""
    request = request_of(wanted, environ)
    with Reader(bank.index) as reader:
        version = reader.meta.get("version", "")
        if _size(reader) <= WHOLE:
            return Planned(plan(build(reader.everything()), request), request, True, version)
        made = _plan_first(reader, request) or plan_best(reader, request).plan
        return Planned(made, request, False, version)


def _plan_first(reader: Reader, request: Request) -> Plan | None:
    """The plan over the first items in the plan's own order, if no other item could change its text.

    SQLite ranks them, because thousands of rows take too long in Python. Items that tie with the last
    one are left out: which of them came is chance. None when these are not enough to be sure.
    """
    empty = build(reader.head())
    scope = (own_name(request.project, empty), request.branch, request.today)
    by_importance, by_trust, by_recency = weights(empty.policy)
    values = (by_importance, by_trust, by_recency, DAY_RECENCY, request.today, *scope, FIRST)
    try:
        rows = reader.connection.execute(_RANKED, values).fetchall()
    except sqlite3.OperationalError:  # this SQLite was built without pow()
        return None
    *_, pinned, checked, lowest = rows[-1] if rows else (0, 0, 0, 0.0)
    sure = [seq for seq, *rank in rows if rank[:2] != [pinned, checked] or rank[2] > lowest + NEAR]
    found = reader.items(sure)
    items = tuple(Candidate._make(found[seq]) for seq in sure)
    made = plan(empty._replace(candidates=items, total=reader.total(scope)), request)
    full = any(decision.reason == reasons.OVER_LINES for decision in made.decisions)
    return made if full else None


_RANKED = """
SELECT seq, pinned, checked, ? * importance + ? * score + ? * pow(?, max(0, ? - used_day)) AS rank
FROM item
WHERE fit = 1 AND owner IN ('', ?) AND branch IN ('', ?) AND (expires_day = 0 OR expires_day > ?)
ORDER BY pinned DESC, checked DESC, rank DESC LIMIT ?
"""


def _size(reader: Reader) -> int:
    return int(reader.connection.execute("SELECT count(*) FROM item").fetchone()[0])
