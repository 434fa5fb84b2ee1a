"""What the pane beside an agent reads: bank, sessions, the session it follows, and what could be kept."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from textual import getters, on
from textual.timer import Timer

from memtui.curate.candidates import Candidate
from memtui.tui.docs.clean import line_of
from memtui.tui.jobs import JobDone, JobFailed, Jobs
from memtui.tui.ports import Core
from memtui.tui.screens.menu import MenuScreen
from memtui.tui.screens.scanning import ScanningPart
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.live import LiveSession, LiveView, Receipt
from memtui.workspace.model import BankView

RESTS = 2.0
"""Seconds without a new record after which the session is read as a whole, for what could be kept."""
_SOON = 0.05
_LOOKS = 0.4
"""Seconds between two looks at what is above the tail, while records come faster than that."""
_SHARE = 20
"""Reading it as a whole may take this part of the time at most."""


class WatchReading(ScanningPart):
    """Jobs that read, and what their results change."""

    VIEW = "watch"

    notes_list = getters.query_one("#notes", LineList)
    tail = getters.query_one("#tail", LineList)

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.jobs = Jobs(self, self.run_worker)
        self.following = True
        self.unseen = 0
        self.settled = False
        self.chosen = False
        self._looking = False
        self._look: Timer | None = None
        self._last_look = 0.0
        self._stays = False
        self._asked = False
        self.view: BankView | None = None
        self.session: LiveSession | None = None
        self.live: LiveView | None = None
        self.known: tuple[LiveSession, ...] = ()
        self.found: tuple[Candidate, ...] = ()
        self.receipt = Receipt()
        self._dirty = False
        self._rest: Timer | None = None
        self._costs = 0.0
        self.told = -1

    def open_tail(self) -> None:
        """Show the rows of the session."""
        raise NotImplementedError

    def show_new(self) -> None:
        """Show rows that came in."""
        raise NotImplementedError

    def show_notes(self) -> None:
        """Show errors and candidates."""
        raise NotImplementedError

    def action_other_session(self) -> None:
        """Ask which session to follow."""
        raise NotImplementedError

    def begin(self) -> None:
        """Read bank and sessions for the first time, and listen."""
        self.read_bank()
        self.listen()
        self.scan_sessions()

    def change_bank(self, paths: tuple[Path, ...]) -> None:
        """See `ScanningPart.change_bank`."""
        self.read_bank()

    def read_bank(self) -> None:
        """Read the bank in a worker."""
        if self.core.bank_root is not None:
            work = partial(self.core.curating.reload, quick=True)
            self.jobs.run("bank", "reading the bank", work, lambda done: self.take_view(done.view))

    def take_view(self, view: BankView) -> None:
        """A bank was read."""
        self.view = view
        self.look()
        self.jobs.run("settle", "checking the bank", self.core.settle, self._settled_view)

    def _settled_view(self, view: BankView) -> None:
        if self.view is None or view.serial >= self.view.serial:
            self.view = view
            self.look()

    def show_sessions(self) -> None:
        """See `ScanningPart.show_sessions`."""
        self.show_new()
        self._look_soon()

    def take_sessions(self, *, whole: bool, more: bool) -> None:
        """See `ScanningPart.take_sessions`."""
        self.show_sessions()

    def _look_soon(self) -> None:
        """Look now, or when the last look is a while ago: records may come ten and more a second."""
        left = self._last_look + _LOOKS - time.monotonic()
        if left <= 0:
            self.look()
        elif self._look is None:
            self._look = self.set_timer(left, self.look)

    def look(self) -> None:
        """Look at the session again; one look at a time."""
        if self._look is not None:
            self._look.stop()
            self._look = None
        if self._looking:
            self._dirty = True
            return
        self._last_look = time.monotonic()
        self._looking, self._dirty = True, False
        wanted, view = self.session if self.chosen or self._stays else None, self.view
        self._stays = self.scanned

        def work() -> tuple[tuple[LiveSession, ...], LiveView | None]:
            known = self.core.live.sessions()
            chosen = self._wanted(known, wanted)
            return known, self.core.live.look(chosen, view) if chosen else None

        self.jobs.run("live", "reading the session", work, self._take_live)

    def _wanted(
        self, known: tuple[LiveSession, ...], wanted: LiveSession | None
    ) -> LiveSession | None:
        """The session to follow: a quiet one that nobody chose gives way to one that runs.

        Until the first scan is through, each look takes the newest of those that are known.
        """
        now = self.core.clock()
        same = next((one for one in known if wanted and one.session == wanted.session), None)
        first = next(iter(known), None)
        if same is None or (
            not self.chosen and first and not same.is_live(now) and first.is_live(now)
        ):
            return first
        return same

    def _take_live(self, told: tuple[tuple[LiveSession, ...], LiveView | None]) -> None:
        self._looking = False  # the worker itself ends a moment later
        self._show_live(told)
        if self._dirty:
            self.look()

    def _show_live(self, told: tuple[tuple[LiveSession, ...], LiveView | None]) -> None:
        before, (self.known, live) = self.known, told
        self.settled = True
        if self._asked and live is not None:
            self._tell_begun(before, live.session)
        if live is None:
            self.tail.say([[("no session of this project yet: start your agent here", "muted")]])
            self.refresh_bars()
            return
        wanted = self.session
        if self.chosen and wanted is not None and wanted.session != live.session.session:
            self._dirty = True  # another one was chosen meanwhile
            return
        fresh = self.session is None or self.session.session != live.session.session
        self.session, self.live = live.session, live
        if fresh:
            self.found, self.receipt, self.told = (), Receipt(), -1
            self.open_tail()
        if self._stays and not self._asked:
            self._asked = True
            self._ask_which()
        self._ask_receipt(live)
        self.rest_then_read(0.0 if fresh else RESTS)
        self.show_notes()
        self.refresh_bars()

    def _ask_which(self) -> None:
        """Several sessions run when the pane opens: which one to follow?"""
        live = [one for one in self.known if one.is_live(self.core.clock())]
        if len(live) > 1 and not isinstance(self.app.screen, MenuScreen):
            self.action_other_session()

    def _tell_begun(self, before: tuple[LiveSession, ...], followed: LiveSession) -> None:
        """Another session began to run here, which nobody would see in a pane that follows one."""
        now = self.core.clock()
        ran = {one.session for one in before if one.is_live(now)} | {followed.session}
        begun = next(
            (one for one in self.known if one.is_live(now) and one.session not in ran), None
        )
        if begun is not None:
            self.say(
                f"another session runs here, {begun.host}: {self.key_of('other-session')} follows it"
            )

    def _ask_receipt(self, live: LiveView) -> None:
        """What became of what was sent: asked again whenever something more was received."""
        count = len(live.received)
        if self.core.bank_root is not None and (
            count != self.told or self.receipt.outcome == "waiting"
        ):
            self.told = count
            work = partial(self.core.live.receipt, live.session)
            self.jobs.run("receipt", "reading the receipt", work, self._take_receipt)

    def _take_receipt(self, receipt: Receipt) -> None:
        self.receipt = receipt
        self.show_notes()
        self.refresh_bars()

    def rest_then_read(self, seconds: float) -> None:
        """Look for what could be kept once nothing new comes for a while."""
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(max(_SOON, seconds, self._costs * _SHARE), self._find)

    @property
    def waiting(self) -> bool:
        """Whether a look for candidates is still to come."""
        return self._rest is not None

    def _find(self) -> None:
        """Read the session as a whole for what could become a card."""
        self._rest = None
        session, view = self.session, self.view
        if session is None or self.core.bank_root is None:
            return

        def work() -> tuple[float, tuple[Candidate, ...]]:
            begun = time.thread_time()
            found = self.core.live.candidates(session, view)
            return time.thread_time() - begun, found

        self.jobs.run("find", "looking for what to keep", work, self._take_found)

    def _take_found(self, told: tuple[float, tuple[Candidate, ...]]) -> None:
        self._costs, found = told
        if found != self.found:
            self.found = found
            self.show_notes()
            self.refresh_bars()

    @on(JobDone)
    def _job_done(self, message: JobDone) -> None:
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    @on(JobFailed)
    def _job_failed(self, message: JobFailed) -> None:
        if not self.jobs.is_current(message.group, message.generation):
            return
        if message.use is not None:
            message.use(message.error)
            return
        self._looking = self._looking and message.group != "live"
        if message.group == "scan":
            self.scan_failed()
        self.settled = True
        self.say(f"{message.doing} failed: {line_of(str(message.error))}; R tries again", "error")
