"""How many proposals wait, for banks that are not open: read with SQLite alone, and read only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from memtui.ledger.access import LEDGER_NAME
from memtui.ledger.model import PROPOSAL, ActState

_WAITING = """
WITH decided(item) AS (
  SELECT j.value FROM acts a, json_each(a.items) j
  WHERE a.items LIKE '%' || ?1 || '%' AND a.state = ?2 AND a.undoes IS NULL AND a.undone_by IS NULL
)
SELECT count(*) FROM proposals WHERE status <> 'expired' AND ?1 || id NOT IN (SELECT item FROM decided)
"""


def waiting_count(state: Path) -> int:
    """Proposals in the inbox of the bank whose state folder this is; 0 without a ledger.

    Raises sqlite3.Error when it is there and cannot be read.
    """
    path = state / LEDGER_NAME
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=2)) as db:
        found = db.execute(_WAITING, (PROPOSAL, ActState.DONE.value)).fetchone()
    return int(found[0])
