"""The door to the ledger. SQLModel takes 400 ms to import, so it is imported at the first use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.safety.private import private_file, private_folder

if TYPE_CHECKING:
    from memtui.ledger.store import Ledger

LEDGER_NAME = "ledger.db"


class LedgerError(Exception):
    """The ledger cannot be read or written: the text says which file, and why."""


def open_ledger(state: Path) -> Ledger:
    """Open `ledger.db` in a bank's state folder, made where missing. The caller closes it.

    Raises OSError, or `migrations.LedgerTooNewError`.
    """
    from memtui.ledger.store import Ledger

    private_folder(state)
    private_file(state / LEDGER_NAME)
    return Ledger(state / LEDGER_NAME)


@contextmanager
def using_ledger(state: Path) -> Iterator[Ledger]:
    """The ledger for the length of a block. Raises OSError, or LedgerError for whatever its store says."""
    with ledger_faults(state), closing(open_ledger(state)) as ledger:
        yield ledger


@contextmanager
def ledger_faults(state: Path) -> Iterator[None]:
    """Within the block, what the store of the ledger in `state` raises is a LedgerError."""
    from sqlalchemy.exc import SQLAlchemyError

    from memtui.ledger.migrations import LedgerTooNewError

    try:
        yield
    except (SQLAlchemyError, LedgerTooNewError) as error:
        cause = getattr(error, "orig", None) or error
        raise LedgerError(f"{state / LEDGER_NAME}: {cause}") from error
