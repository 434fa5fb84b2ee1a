"""The open bank that verbs work on: where its files lie, who writes, and the lock for one act."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.bank import events as bank_events
from memtui.bank.layout import BankFiles
from memtui.bank.model import BankConfig, BankContents, Event, Layout
from memtui.bank.write import atomic_write
from memtui.clock import Clock, system_clock
from memtui.curate.act import STATE
from memtui.ledger.access import open_ledger
from memtui.paths import Places
from memtui.safety.locks import bank_lock
from memtui.safety.private import private_folder

if TYPE_CHECKING:
    from memtui.ledger.store import Ledger

EXTERNAL = "external"
"""Writer of events about edits that were made outside memtui."""


_last_id = 0


def new_id() -> str:
    """An id for an act or event: 20 characters that sort in the order in which they were made.

    Times in events count whole seconds, and the clock may be pinned: the id keeps the order.
    """
    global _last_id
    _last_id = max(_last_id + 1, time.time_ns())
    return f"{_last_id:016x}{secrets.token_hex(2)}"


class Curator:
    """Everything a verb needs of one bank. Close it when done.

    `writer` is one person on one machine; `by` is human, agent or job and says who is at work.
    `deciding` names the proposals (`proposal:<id>`) that the next acts decide: the ledger keeps them
    with the act, so that a proposal is decided exactly when its act is done.
    The ledger is opened at the first act, because that costs an import of 400 ms.
    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        config: BankConfig,
        places: Places,
        writer: str,
        clock: Clock = system_clock,
        by: str = "human",
    ) -> None:
        self.root = root
        self.layout = layout
        self.config = config
        self.places = places
        self.state = places.bank_state(config.id, root)
        self.cache = places.bank_cache(config.id, root)
        self.files = BankFiles(root, layout, self.state)
        self.writer = writer
        self.clock = clock
        self.by = by
        self.deciding: tuple[str, ...] = ()
        self._ledger: Ledger | None = None

    @classmethod
    def of(
        cls,
        contents: BankContents,
        places: Places,
        writer: str,
        clock: Clock = system_clock,
        by: str = "human",
    ) -> Curator:
        """A curator of the bank that was loaded into `contents`."""
        return cls(contents.root, contents.layout, contents.config, places, writer, clock, by)

    @property
    def ledger(self) -> Ledger:
        """The bank's ledger."""
        if self._ledger is None:
            self._ledger = open_ledger(self.state)
        return self._ledger

    def close(self) -> None:
        """Close the ledger, if it was opened."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def __enter__(self) -> Curator:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the bank's `write` lock."""
        private_folder(self.state)
        with bank_lock(self.state, "write"):
            yield

    def place(self, path: str) -> Path:
        """The file that a change names. Raises ValueError when it would lie outside the bank."""
        base, rest = (
            (self.state, path[len(STATE) :]) if path.startswith(STATE) else (self.root, path)
        )
        if ".." in Path(rest).parts or Path(rest).is_absolute():
            raise ValueError(f"outside the bank: {path}")
        return base / rest

    def relative(self, file: Path) -> str:
        """The inverse of `place`. Raises ValueError for a file of neither folder."""
        if file.is_relative_to(self.root):
            return file.relative_to(self.root).as_posix()
        return STATE + file.relative_to(self.state).as_posix()

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the bank, None where there is none. Raises OSError."""
        try:
            return self.place(path).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, path: str, data: bytes | None) -> None:
        """Write or remove a file so that a crash leaves the old or the new one. Raises OSError."""
        file = self.place(path)
        if data is None:
            file.unlink(missing_ok=True)
            return
        atomic_write(file, data)

    def event(
        self,
        kind: str,
        verb: str,
        item: str,
        *,
        name: str = "",
        title: str = "",
        reason: str = "",
        data: Mapping[str, Any] | None = None,
        writer: str = "",
    ) -> Event:
        """A new event of this writer at this moment."""
        return Event(
            id=new_id(),
            at=self.clock(),
            writer=writer or self.writer,
            kind=kind,
            verb=verb,
            item=item,
            name=name,
            title=title,
            reason=reason,
            by=self.by,
            data=dict(data or {}),
        )

    def append_event(self, event: Event) -> None:
        """Add one event to its writer's file. Raises OSError."""
        bank_events.append(self.files.events, event)
