"""Reading the sessions, and reading on what changes: the same for Browse and the pane beside an agent."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.reactive import reactive

from memtui.tui.docs.clean import line_of
from memtui.tui.jobs import Jobs, cancelled
from memtui.tui.screens.view import ViewScreen
from memtui.workspace.model import Changed, ScanProgress

if TYPE_CHECKING:
    from memtui.tui.ports import Core

_REFRESH = 0.4
"""Seconds between two looks at the rows while a scan runs."""
_BARS = 0.05
"""Seconds between two words about the progress: small files are read faster than frames are painted."""
_READY = 1.0
"""Seconds that the first scan waits for the watch: what it reads after that is not missed."""


@dataclass
class Progressed(Message):
    """The scan is this far."""

    progress: ScanProgress


class ScanningPart(ViewScreen):
    """Jobs that read the sessions. One reads at a time; while all are read, what changes is read beside."""

    core: Core
    jobs: Jobs
    scanned: bool = False
    progress: reactive[ScanProgress | None] = reactive(None, init=False)
    paused: reactive[bool] = reactive(False, init=False)
    _reading = ""
    """What a job reads: "all" sessions, those that "changed", or "" for none."""
    _beside = False
    _missed: frozenset[Path] = frozenset()
    _later: frozenset[Path] = frozenset()
    """What was read beside a scan: looked at once more after it."""
    _looked = 0.0
    _said = 0.0

    @abstractmethod
    def change_bank(self, paths: tuple[Path, ...]) -> None:
        """These files of the bank changed."""

    @abstractmethod
    def show_sessions(self) -> None:
        """Show what is new, while it is still being read."""

    @abstractmethod
    def take_sessions(self, *, whole: bool, more: bool) -> None:
        """Sessions were read: all of them, or what changed. `more` is being read already."""

    def reads_changed(self, paths: tuple[Path, ...]) -> None:
        """These transcripts changed and are about to be read."""

    def scan_sessions(self) -> None:
        """Read whatever is new in all sessions, the newest first."""

        def work() -> object:
            if self.memtui.watches and not self.scanned:
                self.core.watching.ready.wait(_READY)
            return self.core.scan(self._tell, cancelled, lambda: self.paused)

        self._reading, self.paused = "all", False
        self.jobs.run("scan", "reading the sessions", work, self._scanned)

    def listen(self) -> None:
        """Read again what changes, for as long as the screen lives."""
        if self.memtui.watches:
            self.run_worker(self._watch(), exclusive=True, group="watch", exit_on_error=False)

    def _tell(self, progress: ScanProgress) -> None:
        self.post_message(Progressed(progress))

    @on(Progressed)
    def _progressed(self, message: Progressed) -> None:
        """The scan goes on: say so, and show what it found so far."""
        if self._reading != "all":
            return
        self.progress = message.progress
        now = time.monotonic()
        if now - self._looked > _REFRESH:
            self._looked = now
            self.show_sessions()

    def watch_progress(self) -> None:
        """The status bar says how far the scan is."""
        now = time.monotonic()
        if self.progress is None or now - self._said > _BARS:
            self._said = now
            self.refresh_bars()

    def watch_paused(self) -> None:
        """The status bar says that the scan rests."""
        self.refresh_bars()

    def action_pause(self) -> None:
        """Let the reading of the sessions rest, or go on."""
        if self.progress is None:
            self.say("no sessions are being read")
        else:
            self.paused = not self.paused

    def stop_scan(self) -> None:
        """End the scan; the next one goes on where this one stopped."""
        self.progress, self.paused = None, False
        self.jobs.cancel("scan")
        self.say(f"the scan was stopped; {self.key_of('reload')} goes on with it")

    async def _watch(self) -> None:
        try:
            async for change in self.core.watching.changes():
                self._changed(change)
        except OSError as error:
            self.core.watching.fail(f"changes are not noticed: {error}")
            self.say(f"changes are no longer noticed: {error}; R reads everything again", "warning")

    def _changed(self, change: Changed) -> None:
        if change.kind == "bank":
            self.change_bank(change.paths)
            return
        self._missed |= set(change.paths)
        self.reads_changed(change.paths)
        self._read_on()

    def _read_on(self) -> None:
        """Read what changed, unless it is being read: then what is left is read after that."""
        if not self._missed:
            return
        if not self._reading:
            self._reading = "changed"
            work = partial(self.core.update, self._take_missed())
            self.jobs.run("scan", "reading the sessions", work, self._scanned)
        elif self._reading == "all" and not self._beside:
            self._beside = True
            self._later |= self._missed
            work = partial(self.core.update, self._take_missed(), whole=False)
            failed = self._follow_failed
            self.jobs.run("follow", "reading the sessions", work, self._followed, failed)

    def _take_missed(self) -> tuple[Path, ...]:
        missed, self._missed = tuple(sorted(self._missed)), frozenset()
        return missed

    def _followed(self, _: object) -> None:
        """What changed beside the scan was read."""
        self._beside = False
        self.show_sessions()
        self._read_on()

    def _follow_failed(self, error: Exception) -> None:
        self._beside = False
        self.say(
            f"reading what changed failed: {line_of(str(error))}; it is tried again", "warning"
        )

    def _scanned(self, _: object) -> None:
        whole, self._reading = self._reading == "all", ""
        self.progress = None
        self._missed |= self._later
        self._later = frozenset()
        self.scanned = True
        more = bool(self._missed)
        self._read_on()
        self.take_sessions(whole=whole, more=more)

    def scan_failed(self) -> None:
        """The sessions could not be read; R tries again."""
        self.progress, self._reading, self.scanned = None, "", True
