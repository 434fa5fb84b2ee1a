"""From a bank's index to the plan of one injection, by the one pure function."""

from __future__ import annotations

from typing import NamedTuple

from memtui.agents.own_patterns import use_own_patterns
from memtui.agents.today import today
from memtui.agents.whereabouts import checkout
from memtui.index.reader import Reader
from memtui.index.recheck import Rechecked
from memtui.inject.model import Plan, Request
from memtui.inject.snapshot import plan_fresh

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
    """Plan from the index, corrected by the files as they are.

    Raises IndexMissing, sqlite3.Error, OSError, or ValueError for a bad `MEMTUI_NOW` or pattern.
    """
    request = request_of(wanted, environ)
    patterns = use_own_patterns(environ)
    with Reader(bank.index) as reader:
        source = Rechecked(reader, request.today, patterns)
        best = plan_fresh(source, request)
        version = reader.meta.get("version", "")
        return Planned(best.plan, request, best.whole, version, tuple(source.notes))
