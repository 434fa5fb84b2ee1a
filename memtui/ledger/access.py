"""The door to the ledger. SQLModel takes 400 ms to import, so it is imported at the first use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.ledger.store import Ledger

LEDGER_NAME = "ledger.db"


def open_ledger(state: Path) -> Ledger:
    """Open `ledger.db` in a bank's state folder, made where missing. The caller closes it.

    Raises OSError, or `migrations.LedgerTooNewError`.
    """
    from memtui.ledger.store import Ledger

    state.mkdir(parents=True, exist_ok=True)
    return Ledger(state / LEDGER_NAME)
