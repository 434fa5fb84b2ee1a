"""Tells hooks of a bank: called by the app and the commands after they opened or refreshed one."""

from __future__ import annotations

from pathlib import Path

from memtui.agents.bankmap import Known, remember
from memtui.paths import Places, bank_key

INDEX_NAME = "index.db"


def announce(places: Places, bank_id: str, root: Path, project: Path | None) -> Known:
    """Let hooks find the bank at `root`, by its own folder and by its project's root.

    Call it once `index.db` has been refreshed. Raises OSError.
    """
    known = Known(
        bank=str(root),
        key=bank_key(bank_id, root),
        index=str(places.bank_cache(bank_id, root) / INDEX_NAME),
        state=str(places.bank_state(bank_id, root)),
    )
    remember(str(places.cache), known, str(project) if project else "")
    return known
