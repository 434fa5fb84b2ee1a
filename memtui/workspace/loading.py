"""The bank in memory, brought up to date in two steps: what its files say, then what takes long.

`read` and `reread` answer with what is known at once; `settle` asks git and the transcripts, keeps the
index in step, and says what that changed. So a card that was edited is on screen before git was asked.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.bank.find import current_branch
from memtui.bank.marks import AllMarks, read_marks
from memtui.bank.trust import trust_by_id
from memtui.clock import Clock, fixed_clock
from memtui.index.drift import Drift, find_drift, last_drift
from memtui.index.refresh import refresh
from memtui.index.rows import Facts, KeptRows, day_of
from memtui.index.secrets import find_secrets
from memtui.ledger.usage import last_fetched
from memtui.workspace.model import WAITING, BankView
from memtui.workspace.views import Made, make_view

if TYPE_CHECKING:
    from memtui.bank.load import BankReader
    from memtui.bank.model import BankContents, Event, Trust
    from memtui.index.states import State
    from memtui.workspace.citing import Citing

CHECK_SECONDS = 1.0
"""How long one `settle` may spend on checking citations that are not known yet."""


@dataclass(frozen=True, slots=True)
class _Latest:
    """The bank as last read, what was known about it, and what was made of both."""

    contents: BankContents
    facts: Facts
    made: Made


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of the world around a bank.

    `index` is its `index.db`, `scanned` tells whether transcripts were ever catalogued (before that
    every citation would seem gone), `announce` tells the hooks where the index is.
    """

    project: Path | None
    index: Path
    clock: Clock
    scanned: Callable[[], bool]
    announce: Callable[[], None]


class Loader:
    """One bank, read again piece by piece. Calls may come from several threads."""

    def __init__(self, reader: BankReader, around: Around, citing: Citing) -> None:
        self._reader = reader
        self.around = around
        self._citing = citing
        self._reading = threading.Lock()
        self._settling = threading.Lock()
        self._rows = KeptRows()
        self._latest: _Latest | None = None
        self._events: tuple[tuple[Event, ...], dict[str, Trust]] = ((), {})
        self._notes: tuple[str, ...] = (f"drift and citations are {WAITING}",)
        self._indexed: tuple[BankContents, Facts] | None = None
        self._serial = 0
        self.behind = ""
        """Why the index does not say what the bank says, "" when it does."""
        self.marks = AllMarks()
        """What this person noted about sessions."""

    def read(self) -> BankView:
        """The bank as all its files are now, with what is known about it. Raises BankError."""
        with self._reading:
            return self._take(self._reader.read())

    def reread(self, paths: Iterable[Path]) -> BankView:
        """The bank with these files as they are now. Raises BankError."""
        with self._reading:
            if self._latest is None:
                return self._take(self._reader.read())
            return self._take(self._reader.reread(paths))

    def settle(self, *, drift: bool = True) -> BankView:
        """Find out what takes long: drift (asks git), citations, and the index. Raises BankError.

        The view is the one that `read` gave unless this changed something that it shows.
        """
        with self._settling:
            before = self._latest or self._first()
            found = self._drift(before) if drift else Drift(before.facts.drift)
            evidence, waiting = self._evidence(before.contents)
            notes = [found.note] if found.note else []
            secrets = self._secrets(before.contents, notes)
            if waiting:
                notes.append(f"{waiting} citations are {WAITING}")
            used = self._used(notes)
            with self._reading:
                latest = self._judge(self._latest or before, found.causes, evidence, used, secrets)
            notes += self._refresh_index(latest)
            with self._reading:
                return self._say(self._latest or latest, tuple(notes)).made.view

    def _first(self) -> _Latest:
        with self._reading:
            self._take(self._reader.read())
            assert self._latest is not None
            return self._latest

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be computed, or not yet."""
        unread = self.marks.unread
        return (
            (*self._notes, f"marks of sessions cannot be read: {unread[0]}")
            if unread
            else self._notes
        )

    def _take(self, contents: BankContents) -> BankView:
        self.marks = read_marks(self._reader.state)
        before = self._latest
        if before is None:
            known: Mapping[str, str] = self._last_drift(contents)
            evidence: Mapping[str, tuple[State, ...]] = {}
            used = self._used([])
        else:
            known, evidence = before.facts.drift, before.facts.evidence
            used = before.facts.used
        secrets = {} if before is None else before.facts.secrets
        facts = Facts(self.around.clock(), self._trust(contents), known, evidence, used, secrets)
        if before is not None and contents == before.contents and _same(facts, before.facts):
            return before.made.view
        self._latest = _Latest(contents, facts, self._make(contents, facts))
        return self._latest.made.view

    def _judge(
        self,
        latest: _Latest,
        drift: Mapping[str, str],
        evidence: Mapping[str, tuple[State, ...]],
        used: Mapping[str, int],
        secrets: Mapping[str, str],
    ) -> _Latest:
        """The latest reading under what was found; the very same where that shows nothing new."""
        now = self.around.clock()
        facts = Facts(now, latest.facts.trust, drift, evidence, used, secrets)
        if not _same(facts, latest.facts):
            latest = _Latest(latest.contents, facts, self._make(latest.contents, facts))
        self._latest = latest
        return latest

    def _say(self, latest: _Latest, notes: tuple[str, ...]) -> _Latest:
        self._notes = notes
        if latest.made.view.notes != notes:
            self._serial += 1
            view = replace(latest.made.view, notes=notes, serial=self._serial)
            made = replace(latest.made, view=view)
            latest = replace(latest, made=made)
        self._latest = latest
        return latest

    def _make(self, contents: BankContents, facts: Facts) -> Made:
        self._serial += 1
        return make_view(contents, facts, self._notes, self._rows, serial=self._serial)

    def _trust(self, contents: BankContents) -> dict[str, Trust]:
        if contents.events is not self._events[0]:
            self._events = (contents.events, trust_by_id(contents.events))
        return self._events[1]

    def _last_drift(self, contents: BankContents) -> dict[str, str]:
        try:
            return last_drift(contents, self.around.index)
        except (OSError, sqlite3.Error) as error:
            self._notes = (f"drift is not known yet: {self.around.index}: {error}",)
            return {}

    def _drift(self, latest: _Latest) -> Drift:
        root = self.around.project
        branch = current_branch(root) if root else ""
        return find_drift(latest.contents, root, branch, self.around.index)

    def _evidence(self, contents: BankContents) -> tuple[dict[str, tuple[State, ...]], int]:
        if not self.around.scanned():
            return {}, 0
        return self._citing.states(contents, CHECK_SECONDS)

    def _secrets(self, contents: BankContents, notes: list[str]) -> Mapping[str, str]:
        """Whose line would say a secret, under the redaction rules as they are now."""
        try:
            return find_secrets(contents, self.around.index)
        except (OSError, sqlite3.Error) as error:
            notes.append(f"lines are not audited for secrets: {self.around.index}: {error}")
            return {}

    def _used(self, notes: list[str]) -> Mapping[str, int]:
        """When agents last fetched each item: a part of its recency."""
        if self._reader.state is None:
            return {}
        try:
            return last_fetched(self._reader.state)
        except (sqlite3.Error, ValueError) as error:
            notes.append(f"when agents last used a card is not known: {error}")
            return {}

    def _refresh_index(self, latest: _Latest) -> list[str]:
        """Bring `index.db` in step, so that a hook plans over what the screen shows."""
        if self._indexed == (latest.contents, latest.facts):
            return []
        self.behind = ""
        try:
            refresh(
                self.around.index,
                latest.contents,
                clock=fixed_clock(latest.facts.now),
                drift=latest.facts.drift,
                evidence_states=latest.facts.evidence,
                used=latest.facts.used,
                secrets=latest.facts.secrets,
                events=self._reader.files.events,
                entries=latest.made.entries,
            )
            self.around.announce()
        except (OSError, sqlite3.Error) as error:
            self.behind = f"the index is behind: {self.around.index}: {error}"
            return [self.behind]
        self._indexed = (latest.contents, latest.facts)
        return []


def _same(facts: Facts, before: Facts) -> bool:
    """Whether nothing changed that a view shows; of the time it shows days."""
    return day_of(facts.now) == day_of(before.now) and replace(facts, now=before.now) == before
