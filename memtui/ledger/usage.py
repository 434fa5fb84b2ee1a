"""When agents last fetched an item: read with SQLite alone, because SQLModel takes 400 ms to import."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from memtui.clock import parse_time
from memtui.ledger.access import LEDGER_NAME

FETCHES = ("memory_get", "memory_evidence")
"""Tools that an agent calls for one item. To be listed by a search is to be shown, not used."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def last_fetched(state: Path) -> dict[str, int]:
    """The day number of the last fetch by handle. Empty without a ledger.

    Raises sqlite3.Error when it is there and cannot be read.
    """
    path = state / LEDGER_NAME
    if not path.exists():
        return {}
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=2)) as db:
        marks = ",".join("?" * len(FETCHES))
        rows = db.execute(
            f"SELECT shown, max(at) FROM retrievals WHERE mode IN ({marks}) GROUP BY shown", FETCHES
        ).fetchall()
    found: dict[str, int] = {}
    for shown, at in rows:
        for handle in _handles(shown):
            found[handle] = max(found.get(handle, 0), (parse_time(at) - _EPOCH).days)
    return found


def _handles(shown: str) -> Iterable[str]:
    try:
        values = json.loads(shown)
    except ValueError:
        return ()
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else ()
