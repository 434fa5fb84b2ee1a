"""What a result has to meet: scope, status and the filters of the query, in the order of the stages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from memtui import reasons
from memtui.recall.corpus import EPOCH, Condition
from memtui.recall.model import Document, SearchScope, Stage
from memtui.recall.query import Filters


def conditions(
    filters: Filters, scope: SearchScope, owners: Sequence[str] | None, now: datetime
) -> list[Condition]:
    """Every condition of a search in one bank. `owners` of None is any project."""
    found = [*_scope(filters, scope, owners), *_status(filters, scope, (now - EPOCH).days)]
    if filters.types:
        found.append(_among("type", "i.type", filters.types))
    if filters.tiers:
        found.append(_among("trust", "i.tier", filters.tiers))
    for tag in sorted(filters.tags):
        sql = f"EXISTS (SELECT 1 FROM {_each('i.tags')} WHERE lower(value) = ?)"
        found.append(Condition(Stage.FILTER, f"it has no tag {tag}", sql, (tag,)))
    if filters.since is not None:
        what = f"it is older than {filters.since:%Y-%m-%d}"
        day = (filters.since - EPOCH).days
        found.append(Condition(Stage.FILTER, what, "i.created_day >= ?", (day,)))
    return found


def reason(document: Document, condition: Condition, now: datetime) -> str:
    """The reason of `memtui.reasons` for falling out at this condition; the stage where none fits."""
    if condition.stage is Stage.SCOPE:
        return reasons.SCOPE
    if condition.stage is Stage.STATUS:
        return document.absent or reasons.EXPIRED
    if condition.what.startswith("its type"):
        return reasons.TYPE
    return condition.stage.value


def own_project(db: sqlite3.Connection) -> str:
    """The bank's own project, as its items name it."""
    row = db.execute("SELECT value FROM meta WHERE key = 'project'").fetchone()
    return str(row[0]) if row else ""


def owners_of(db: sqlite3.Connection) -> tuple[str, list[str], list[str]]:
    """The bank's own project, its aliases, and every project that an item of the bank names."""
    row = db.execute("SELECT value FROM meta WHERE key = 'aliases'").fetchone()
    aliases = db.execute("SELECT value FROM json_each(?)", (row[0] if row else "[]",))
    named = db.execute("SELECT DISTINCT owner FROM item WHERE owner <> ''")
    return own_project(db), [str(name) for (name,) in aliases], [str(name) for (name,) in named]


def called(name: str, identities: Iterable[str]) -> bool:
    """Whether a typed project name means one of these identities: the whole of it, or its last part."""
    wanted = name.rstrip("/").removesuffix(".git").casefold()
    return any(
        wanted in (whole := identity.rstrip("/").removesuffix(".git").casefold(), _last(whole))
        for identity in identities
        if identity
    )


def _last(identity: str) -> str:
    return identity.replace(":", "/").replace("\\", "/").rsplit("/", 1)[-1]


def _scope(
    filters: Filters, scope: SearchScope, owners: Sequence[str] | None
) -> Iterable[Condition]:
    if owners is not None:
        sql = f"i.owner IN ({_marks(owners)})"
        yield Condition(Stage.SCOPE, "it belongs to another project", sql, tuple(owners))
    if scope.branch is not None:
        what = f"it holds on another branch than {scope.branch}"
        yield Condition(Stage.SCOPE, what, "i.branch IN ('', ?)", (scope.branch,))
    if filters.branches:
        names = sorted(filters.branches)
        what = f"it is not of branch {' or '.join(names)}"
        yield Condition(Stage.SCOPE, what, f"i.branch IN ({_marks(names)})", tuple(names))


def _status(filters: Filters, scope: SearchScope, today: int) -> Iterable[Condition]:
    names = sorted(filters.statuses)
    if scope.for_agent or not names:
        sql = "i.live = 1 AND (i.expires_day = 0 OR i.expires_day > ?)"
        yield Condition(Stage.STATUS, "stale means absent", sql, (today,))
    else:
        sql = f"NOT {_has_state(1)}"
        yield Condition(Stage.STATUS, "it was purged", sql, (reasons.TOMBSTONED,))
    if names:
        sql = f"(i.status IN ({_marks(names)}) OR {_has_state(len(names))})"
        what = f"it is not {' or '.join(names)}"
        yield Condition(Stage.FILTER, what, sql, (*names, *names))


def _among(what: str, column: str, values: frozenset[str]) -> Condition:
    names = sorted(values)
    sql = f"{column} IN ({_marks(names)})"
    return Condition(Stage.FILTER, f"its {what} is not {' or '.join(names)}", sql, tuple(names))


def _has_state(count: int) -> str:
    return f"EXISTS (SELECT 1 FROM {_each('i.states')} WHERE value IN ({','.join('?' * count)}))"


def _each(column: str) -> str:
    # An empty list is stored as the empty text, which is no JSON.
    return f"json_each(CASE WHEN {column} = '' THEN '[]' ELSE {column} END)"


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
