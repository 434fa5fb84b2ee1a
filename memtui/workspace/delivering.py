"""What hooks sent and what became of it: from the spool to the ledger, and beside the transcripts."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.agents.context import session_key
from memtui.agents.receipts import Delivery, deliveries, drain_spool, settle
from memtui.clock import Clock, parse_time
from memtui.index.reader import IndexMissing, Reader
from memtui.inject.model import Decision, Snapshot
from memtui.inject.snapshot import build
from memtui.ledger.access import LEDGER_NAME, using_ledger
from memtui.ledger.model import InjectionRecord
from memtui.sessions.catalogue import Catalogue
from memtui.workspace.model import PastDecision
from memtui.workspace.told import ended, revision, told

if TYPE_CHECKING:
    from memtui.ledger.store import Ledger

WAITED_FOR = timedelta(days=7)
"""How long a hook's word waits for a transcript: a host may write none, or another folder's."""
BEHIND = timedelta(minutes=1)
"""How far a transcript's last record may lie before a hook's word that it tells all the same."""
END = "session-end"
PAST = 200
"""Injections in which an item's past is looked up: each holds the decisions of a whole bank."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What one look at the spool and the transcripts changed; `rejected` are files that are no records."""

    drained: int = 0
    settled: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Mail:
    """Where one bank's injections lie: the bank's key, its state folder, the spool and the index."""

    key: str
    state: Path
    spool: Path
    index: Path


class Delivering:
    """Reads and settles the deliveries of one bank. Every method blocks; one runs at a time."""

    def __init__(self, mail: Mail, catalogue: Catalogue, clock: Clock) -> None:
        self.mail = mail
        self._catalogue = catalogue
        self._clock = clock
        self._turn = threading.Lock()
        self._seen: dict[str, int] = {}

    def settle(self) -> Settled:
        """Take in what hooks left, then compare what is open with the transcripts.

        Raises OSError, sqlite3.Error, LedgerError.
        """
        if not self._anything():
            return Settled()
        with self._ledger() as ledger:
            with closing(self._catalogue.reader()) as db:
                drained = drain_spool(
                    self.mail.spool, self.mail.key, ledger, self._snapshot, partial(self._told, db)
                )
            if drained.handled:
                self._seen.clear()
            settled = sum(self._judge(ledger, session) for session in ledger.unsettled())
        return Settled(drained.handled, settled, len(drained.rejected))

    def of_session(self, key: str) -> tuple[Delivery, ...]:
        """The deliveries of a session, called as the ledger does (`host:session`), oldest first."""
        if not self._anything():
            return ()
        with self._ledger() as ledger:
            return self._compare(ledger, key)

    def newest(self, limit: int | None = None) -> tuple[Delivery, ...]:
        """The newest deliveries of all sessions, oldest first."""
        if not self._anything():
            return ()
        with self._ledger() as ledger:
            known = ledger.injections(limit=limit)
            wanted = {injection.id for injection in known}
            sessions = dict.fromkeys(injection.session for injection in known)
            found = [one for key in sessions for one in self._compare(ledger, key)]
        kept = (one for one in found if one.injection.id in wanted)
        return tuple(sorted(kept, key=lambda one: (one.injection.at, one.injection.id)))

    def past(self, handle: str) -> tuple[PastDecision, ...]:
        """What hooks decided about an item in the newest sessions, newest first."""
        if not self._anything():
            return ()
        with self._ledger() as ledger:
            known = ledger.injections(limit=PAST)
        return tuple(_past(injection, handle) for injection in reversed(known))

    def heard(self) -> dict[str, datetime]:
        """When the hook of each host last planned for this bank, as far as it is drained."""
        found: dict[str, datetime] = {}
        if (self.mail.state / LEDGER_NAME).exists():
            with self._ledger() as ledger:
                found = ledger.last_injections()
        return found

    def _anything(self) -> bool:
        """Whether there is a ledger or something for one: opening it takes half a second of imports."""
        return (self.mail.state / LEDGER_NAME).exists() or any(self.mail.spool.glob("*.json"))

    @contextmanager
    def _ledger(self) -> Iterator[Ledger]:
        with self._turn, using_ledger(self.mail.state) as ledger:
            yield ledger

    def _judge(self, ledger: Ledger, key: str) -> int:
        """Settle one session, unless its transcript is as it was at the last look."""
        with closing(self._catalogue.reader()) as db:
            now = revision(db, key)
        if self._seen.get(key) == now:
            return 0
        done = settle(ledger, self._compare(ledger, key), self._clock())
        self._seen[key] = now
        return done

    def _compare(self, ledger: Ledger, key: str) -> tuple[Delivery, ...]:
        with closing(self._catalogue.reader()) as db:
            entries = told(db, key)
        return deliveries(ledger.injections(key), entries, ledger.receipts())

    def _told(self, db: sqlite3.Connection, record: Mapping[str, Any]) -> bool:
        """Whether a hook's word of a prompt, a tool or an end tells nothing more: the transcript has it."""
        at = parse_time(record["at"])
        if at < self._clock() - WAITED_FOR:
            return True
        reached = ended(db, session_key(record["host"], record["session"]))
        return reached is not None and (record["event"] == END or at <= reached + BEHIND)

    def _snapshot(self, version: str) -> Snapshot | None:
        """The whole bank, if the index still is in the state that a hook planned from."""
        try:
            with Reader(self.mail.index) as reader:
                same = reader.meta.get("version") == version
                return build(reader.everything()) if same else None
        except (IndexMissing, sqlite3.Error):
            return None


def _past(injection: InjectionRecord, handle: str) -> PastDecision:
    found = next((one for one in injection.decisions if one.get("handle") == handle), None)
    decision = None if found is None else _decision(found)
    return PastDecision(injection.session, injection.at, injection.host, injection.source, decision)


def _decision(value: Mapping[str, Any]) -> Decision:
    known = {name: value[name] for name in Decision._fields if name in value}
    return Decision(**{"handle": "", "reason": "", "rank": 0, "score": 0.0, "tokens": 0, **known})
