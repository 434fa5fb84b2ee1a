"""The writing side of an open bank: what keys and commands share when they act, and its housekeeping."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memtui.curate.curator import Curator
from memtui.ledger.access import LEDGER_NAME, LedgerError, ledger_faults

if TYPE_CHECKING:
    from memtui.bank.load import BankReader
    from memtui.bank.model import BankContents
    from memtui.curate.act import ActResult
    from memtui.curate.external import Noticed
    from memtui.curate.healing import Healed
    from memtui.curate.purge import PurgePlan, Receipt
    from memtui.curate.purging.progress import Tell
    from memtui.workspace.model import BankView
    from memtui.workspace.setting import Setting

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The bank as it is now, and the outside edits that were found on the way.

    `problem` says why edits could not be recorded; the next reading tries again.
    """

    view: BankView
    noticed: tuple[Noticed, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What a verb did, and the bank after it."""

    result: ActResult
    after: Reloaded


class Curating:
    """Acts on one open bank, one at a time, from any thread. Close it when done; it opens again.

    Everything blocks. `read` reads the bank or some of its files, `settle` what takes long about it.
    """

    def __init__(
        self,
        reader: BankReader,
        setting: Setting,
        read: Callable[[tuple[Path, ...]], BankView],
        settle: Callable[[], BankView],
        release: Callable[[], None] = lambda: None,
    ) -> None:
        """`release` gives back what this process holds open of the derived stores, before a purge."""
        self._release = release
        self._lock = threading.RLock()
        self._read = read
        self._settle = settle
        self._curator = Curator(
            reader.root,
            reader.layout,
            reader.config,
            setting.places,
            setting.writer,
            setting.clock,
        )
        self._known: BankContents | None = None

    @property
    def writer(self) -> str:
        """Who acts here: one person on one machine."""
        return self._curator.writer

    def act(
        self, verb: Callable[[Curator], ActResult], by: str = "human", *, quick: bool = False
    ) -> Done:
        """Do one act and read the bank after it. `by` is human, agent or job; `quick` as in `reload`.

        Raises CurateError, ConflictError, LedgerError or OSError: nothing was changed then.
        """
        with self.curator(by) as curator, ledger_faults(curator.state):
            result = verb(curator)
        return Done(result, self.reload(quick=quick))

    def ask(self, question: Callable[[Curator], Answer]) -> Answer:
        """Ask what changes nothing. Raises CurateError, LedgerError, OSError."""
        with self.curator() as curator, ledger_faults(curator.state):
            return question(curator)

    def purge(self, planned: PurgePlan, tell: Tell | None = None) -> Receipt:
        """Erase what was planned for good, and build what is derived anew; `tell` as in `curate.purge`.

        Raises what `tell` raises, LedgerError, LockedError (another act takes very long),
        OSError: purge again then.
        """

        def rebuild() -> None:
            self._read(())
            self._settle()

        from memtui.curate.purge import purge
        from memtui.curate.purging.progress import untold

        self._release()
        with self.curator() as curator, ledger_faults(curator.state):
            return purge(curator, planned, rebuild, tell=tell or untold)

    @contextmanager
    def curator(self, by: str = "human") -> Iterator[Curator]:
        """The curator, for as long as the `with` lasts."""
        with self._lock:
            self._curator.by = by
            yield self._curator

    def heal(self) -> Healed:
        """Finish or take back what a killed process left half done. Raises LedgerError, OSError.

        Without a ledger nothing can be half done, and its import (400 ms) is spared.
        """
        from memtui.curate.healing import Healed, heal

        if not (self._curator.state / LEDGER_NAME).exists():
            return Healed()
        return self.ask(heal)

    def unfinished(self) -> int:
        """How many acts `heal` would finish or take back. Raises LedgerError, OSError."""
        if not (self._curator.state / LEDGER_NAME).exists():
            return 0
        return self.ask(lambda curator: len(curator.ledger.unfinished()))

    def reload(self, paths: tuple[Path, ...] = (), *, quick: bool = False) -> Reloaded:
        """Read the bank, or only these files of it; outside edits since the last call become events.

        A `quick` caller sees the bank first, and then calls `notice` and `Workspace.settle` itself.
        Raises BankError.
        """
        view = self._read(paths)
        if quick:
            return Reloaded(view)
        found = self.notice(view)
        return replace(found, view=self._settle())

    def notice(self, view: BankView) -> Reloaded:
        """Make events of the edits outside memtui that this view shows, and read those. Raises BankError.

        Takes long where there are any: the ledger is opened, files are locked and written.
        """
        try:
            noticed = self._meet(view.contents)
        except (OSError, LedgerError) as error:
            return Reloaded(view, problem=f"an outside edit is not recorded yet: {error}")
        events = self._curator.files.events / "any.jsonl"
        return Reloaded(self._read((events,)) if noticed else view, noticed)

    def _meet(self, contents: BankContents) -> tuple[Noticed, ...]:
        """The edits that no act explains, each now an event of writer `external`.

        The first contents are compared with what the last acts left, later ones with those before them.
        """
        with self._lock:
            known = self._known
            noticed: tuple[Noticed, ...] = ()
            if known is None and (self._curator.state / LEDGER_NAME).exists():
                from memtui.curate.external import notice_missed

                noticed = self.ask(lambda curator: notice_missed(curator, contents))
            elif known is not None and (known.cards, known.pages) != (
                contents.cards,
                contents.pages,
            ):
                from memtui.curate.external import notice_external

                noticed = self.ask(lambda curator: notice_external(curator, known, contents))
            self._known = contents
            return noticed

    def close(self) -> None:
        """Close the ledger."""
        with self._lock:
            self._curator.close()
