"""The app's part in upkeep: how much waits in the inbox, and sleep as a background job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.curate.sleep.model import Progress
from memtui.tui.actions import BY_ID
from memtui.tui.docs.clean import line_of
from memtui.tui.jobs import JobDone, JobFailed, Jobs, cancelled
from memtui.tui.screens.view import ViewScreen
from memtui.workspace.inbox import InboxView

if TYPE_CHECKING:
    from memtui.curate.sleep.model import Report
    from memtui.tui.app import MemtuiApp
    from memtui.workspace.curating import Reloaded
    from memtui.workspace.model import BankView

TELL = 0.25
"""Seconds between two steps of a sleep that are shown: each is painted beside the keys."""


@dataclass
class SleepTold(Message):
    """Sleep is this far."""

    progress: Progress


class UpkeepJobs:
    """Looks at the inbox and sleeps, in workers of the app, for all its screens."""

    def __init__(self, app: MemtuiApp) -> None:
        self._app = app
        self.jobs = Jobs(app, app.run_worker)
        self.inbox = InboxView()
        self.progress: Progress | None = None
        self.changed: set[Path] = set()
        """Transcripts that went on and were not looked at for proposals yet."""

    def reset(self) -> None:
        """Another project is opened: what runs for the old one ends, and its answers are dropped."""
        for group in ("inbox", "flow", "sleep"):
            self.jobs.cancel(group)
            self.jobs.drop(group)
        self.inbox, self.progress, self.changed = InboxView(), None, set()

    @property
    def sleeping(self) -> bool:
        """Whether a sleep runs."""
        return self.progress is not None

    def look(self) -> None:
        """Count what waits, in a worker."""
        core = self._app.core
        if core.bank_root is not None:
            self.jobs.run("inbox", "reading the inbox", lambda: core.upkeep.inbox(), self._looked)

    def _looked(self, found: InboxView) -> None:
        if found != self.inbox:
            self.inbox = found
            self._tell_screens()

    def follow(self, view: BankView | None) -> None:
        """Propose what the transcripts that went on show; one look at a time, the rest waits for it."""
        app = self._app
        if view is None or app.core.bank_root is None or not self.changed or self.sleeping:
            return
        if self.jobs.running("flow"):
            return
        paths, self.changed = frozenset(self.changed), set()

        def followed(made: int) -> None:
            if made:
                self.look()
            self.follow(view)

        self.jobs.run("flow", "capture", lambda: app.core.upkeep.follow(view, paths), followed)

    def start(self) -> None:
        """Sleep in the background: read what is new, propose, put away."""
        app = self._app
        if app.core.bank_root is None:
            key = app.keymap.shown(BY_ID["begin-bank"], app.ascii_only)
            app.tell(f"no bank for this project yet: {key} in Browse begins one", "warning")
            return
        if self.sleeping:
            app.tell("sleep is at work already; esc stops it")
            return
        self.progress = Progress(0, 0, "")

        def work() -> tuple[Report, Reloaded]:
            last = 0.0

            def told(progress: Progress) -> None:
                nonlocal last
                now = monotonic()
                if now - last >= TELL or progress.done == progress.total:
                    last = now
                    app.post_message(SleepTold(progress))

            report = app.core.upkeep.sleep_apart(told, cancelled)
            return report, app.core.curating.reload()

        self.jobs.run("sleep", "sleep", work, self._slept, self._failed)
        self._refresh_bars()

    def cancel(self) -> None:
        """Stop a running sleep after the session at hand: what is done stays whole."""
        self.jobs.cancel("sleep")

    def take_progress(self, progress: Progress) -> None:
        """Show how far it is."""
        if self.sleeping:
            self.progress = progress
            self._refresh_bars()

    def _slept(self, done: tuple[Report, Reloaded]) -> None:
        report, reloaded = done
        self.progress = None
        self._app.browse.take_reloaded(reloaded)
        self.look()
        if report.cancelled:
            # The child was stopped before it could say what it had proposed: the inbox does.
            read = f"{report.read} session{'' if report.read == 1 else 's'} read"
            self._app.speak(f"sleep was stopped: {read}; what it proposed waits in the inbox")
            return
        failed = f", {len(report.failed)} failed" if report.failed else ""
        what = f"{report.read} sessions read{failed}, {report.proposed} proposed"
        if report.drafted is not None and report.drafted.fell_back:
            _, why = report.drafted.fell_back[0]
            count = len(report.drafted.fell_back)
            what += f"; the drafter failed for {count} ({why}): the rules drafted instead"
        self._app.speak(f"slept: {what}")

    def _failed(self, error: Exception) -> None:
        self.progress = None
        self._app.speak(f"sleep failed: {line_of(str(error))}; z tries again", "error")

    def _tell_screens(self) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, ViewScreen):
                screen.take_inbox(self.inbox)

    def _refresh_bars(self) -> None:
        if isinstance(self._app.screen, ViewScreen):
            self._app.screen.refresh_bars()

    def take_done(self, message: JobDone) -> None:
        """A job of the app is done."""
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    def take_failed(self, message: JobFailed) -> None:
        """A job of the app failed."""
        if not self.jobs.is_current(message.group, message.generation):
            return
        if message.use is not None:
            message.use(message.error)
        else:
            self._app.speak(f"{message.doing} failed: {line_of(str(message.error))}", "error")
