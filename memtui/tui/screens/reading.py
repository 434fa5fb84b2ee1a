"""What keeps the Browse view up to date: reading the bank, and what follows from the sessions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.timer import Timer

from memtui.tui.docs import empty
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.welcome import welcome_lines
from memtui.tui.jobs import JobDone, JobFailed
from memtui.tui.process import keep
from memtui.tui.screens.lists import ListsPart
from memtui.tui.screens.next_session import PreviewPart
from memtui.tui.screens.timeline import TimelinePart
from memtui.tui.trail import ExcerptSubject, ItemSubject
from memtui.tui.widgets.lines import Lines
from memtui.workspace.model import WAITING, BankView

if TYPE_CHECKING:
    from memtui.curate.external import Noticed
    from memtui.curate.healing import Healed
    from memtui.workspace.curating import Reloaded

_RECHECK = 2.0
"""Seconds after which a grown transcript has the bank's citations checked again."""


@dataclass
class EditedOutside(Message):
    """Edits that no act explains. They are noticed once, so no newer look may drop them."""

    noticed: tuple[Noticed, ...]


class ReadingPart(ListsPart, TimelinePart, PreviewPart):
    """Jobs that read, and what their results change."""

    _recheck: Timer | None = None
    _bank_reading = False
    _arrived = False
    _unread: frozenset[Path] | None = frozenset()
    """Files of the bank that changed and were not read since; None for the whole bank."""

    def begin(self) -> None:
        """Show the sessions that are known; then, when they are painted, read everything."""
        self.show_timeline()
        self.call_after_refresh(self._read_everything)

    def _read_everything(self) -> None:
        self.reload_bank()
        self.listen()
        self.scan_sessions()
        self._heal()

    def reload_bank(self, paths: tuple[Path, ...] = ()) -> None:
        """Read the bank in a worker, or only these files of it."""
        if self.core.bank_root is None:
            self.view = None
            self._welcome()
            return
        known = self._unread
        self._unread = known | set(paths) if paths and known is not None else None
        if not self._bank_reading:
            self._read_bank()

    def _read_bank(self) -> None:
        unread, self._unread = self._unread, frozenset()
        self._bank_reading = True
        paths = tuple(sorted(unread or ()))
        self.jobs.run(
            "bank",
            "reading the bank",
            lambda: self.core.curating.reload(paths, quick=True),
            self._take_bank,
            self._bank_unread,
        )

    def _take_bank(self, reloaded: Reloaded) -> None:
        self._bank_reading = False
        self.take_reloaded(reloaded)
        self._leave_empty_cards()
        self._read_bank_on()

    def take_reloaded(self, reloaded: Reloaded) -> None:
        """Look at the bank that was read; what takes long about it follows."""
        self._take_view(reloaded.view)
        self.follow_hidden()  # marks of sessions are no part of the view
        self.call_after_refresh(self._look_further)

    def _look_further(self) -> None:
        """What was read is painted: now comes what competes with that for the processor."""
        self.memtui.upkeep.look()
        self._settle()

    def change_bank(self, paths: tuple[Path, ...]) -> None:
        """See `ScanningPart.change_bank`."""
        self.reload_bank(paths)

    def _bank_unread(self, error: Exception) -> None:
        self._bank_reading = False
        again, self._unread = self._unread != frozenset(), None
        self.say(f"reading the bank failed: {line_of(str(error))}; R tries again", "error")
        if again:
            self._read_bank()

    def _read_bank_on(self) -> None:
        """One reading is over; what changed during it needs another."""
        if self._unread != frozenset():
            self._read_bank()

    def _settle(self, *, drift: bool = True) -> None:
        """Find out in a worker what takes long; every reading ends in this."""
        self._stop_recheck()
        if self.view is not None and not self._bank_reading:
            work = partial(self._settled, self.view, drift)
            doing = "checking drift and citations"
            self.jobs.run("settle", doing, work, self._take_settled)

    def _settled(self, view: BankView, drift: bool) -> Reloaded:
        """Runs in a worker: everything that may come after a bank was seen, outside edits first."""
        found = self.core.curating.notice(view)
        if found.noticed:
            self.post_message(EditedOutside(found.noticed))
        return replace(found, view=self.core.settle(drift=drift))

    def _take_settled(self, settled: Reloaded) -> None:
        view = settled.view
        self._take_view(view)
        if settled.problem:
            self.say(line_of(settled.problem), "warning")
        # One look checks citations for a second only; those that wait are checked by the next one.
        if any(note.endswith(WAITING) for note in view.notes):
            self._recheck_later()
        self.refresh_bars()

    def _recheck_later(self) -> None:
        if self._recheck is None:
            self._recheck = self.set_timer(_RECHECK, self._look_again)

    def _look_again(self) -> None:
        """Transcripts grew: their citations and their text are looked at, without any haste."""
        self._settle(drift=False)
        self.read_text()

    def _stop_recheck(self) -> None:
        if self._recheck is not None:
            self._recheck.stop()
            self._recheck = None

    @on(EditedOutside)
    def _edited_outside(self, message: EditedOutside) -> None:
        """Say which edits were made outside memtui: undo leaves them alone."""
        noticed = message.noticed
        what = noticed[0].title if len(noticed) == 1 else f"{len(noticed)} items"
        self.say(f"outside {noticed[0].verb} noticed: {line_of(what, 60)}")

    def _take_view(self, view: BankView) -> None:
        """Look at a bank that was read, unless a newer one is there already."""
        if self.view is not None and view.serial < self.view.serial:
            return
        first = self.view is None
        if self.options.branch != self.core.branch:
            # The branch checked out changed, and with it what a hook sends.
            self.options = replace(self.options, branch=self.core.branch)
        self.view = view
        self.call_after_refresh(self.look_at_files)
        self.look_at_context()
        if first:
            keep()
            self.settle_receipts()

    def _heal(self) -> None:
        """What a killed process left half done is finished or taken back before anybody acts."""
        if self.core.bank_root is not None:
            self.jobs.run("heal", "healing the bank", self.core.curating.heal, self._healed)

    def _healed(self, healed: Healed) -> None:
        if healed.done or healed.undone:
            done, undone = len(healed.done), len(healed.undone)
            self.say(f"acts that were cut short: {done} finished, {undone} taken back", "warning")
            self.reload_bank()

    def watch_view(self) -> None:
        """A bank was read: every pane looks at it anew."""
        self.show_items()
        self.replan()
        self.follow_hidden()
        if isinstance(self.subject, ItemSubject | ExcerptSubject):
            self.show_subject(self.subject)
        self.refresh_bars()

    def show_sessions(self) -> None:
        """See `ScanningPart.show_sessions`."""
        self.refresh_timeline()

    def reads_changed(self, paths: tuple[Path, ...]) -> None:
        """See `ScanningPart.reads_changed`."""
        self.memtui.upkeep.changed |= set(paths)

    def take_sessions(self, *, whole: bool, more: bool) -> None:
        """See `ScanningPart.take_sessions`."""
        if whole:
            self.sort_timeline()
        else:
            self.refresh_timeline()
        self.sorted_once = True
        if whole and not more:
            self._settle()
            self.read_text()
        elif not more:
            self._recheck_later()
            self.memtui.upkeep.follow(self.view)
        self.settle_receipts(later=not whole)
        self.sessions_list.say(empty.no_sessions(self.key_of, self.facet, self.core.project))
        if self.view is not None and not self.view.cards:
            self.show_items()  # an empty list says what fills it, which depends on the sessions
        self._leave_empty_cards()
        self._welcome()
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
        if message.group == "scan":
            self.scan_failed()
            self.sessions_list.say([[("the sessions could not be read; R tries again", "error")]])
        self.say(f"{message.doing} failed: {line_of(str(message.error))}; R tries again", "error")

    def action_reload(self) -> None:
        """Read everything again."""
        self.reload_bank()
        self.scan_sessions()
        self.say("reading again")

    def _leave_empty_cards(self) -> None:
        """Once, at the start: with sessions and no card the sessions get the focus and the room."""
        known = self.scanned and (self.view is not None or self.core.bank_root is None)
        if self._arrived or not known:
            return
        self._arrived = True
        if self.subject is None:
            self.detail_pane.show(empty.nothing_shown(), "")
        idle = self.focused is self.cards_list and not len(self.cards_list)
        if idle and not self.cards_query.narrows and len(self.sessions_list):
            self.reveal(self.sessions_pane)
            self.give(self.sessions_list)

    def _welcome(self) -> None:
        """Where there is neither bank nor session: what was looked for, and what to do."""
        rows = self.timeline_rows
        lost = self.core.bank_root is None and (rows is None or not len(rows))
        lost = lost and self.scanned
        self.query_one("#body").display = not lost
        box = self.query_one("#welcome", Lines)
        box.display = lost
        if lost:
            width = max(20, min(96, self.app.size.width - 4))
            elsewhere = self.core.projects.count_elsewhere()
            box.show(welcome_lines(self.core.looked(), width, self.glyphs, self.key_of, elsewhere))
