"""The Inbox view: proposals as one-key triage, what would become beside what is there."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget

from memtui.curate.proposals import Proposal
from memtui.curate.sleep.upkeep import weekly
from memtui.tui.actions import BY_ID, bindings
from memtui.tui.docs.bars import inbox_parts
from memtui.tui.docs.document import Document
from memtui.tui.docs.inbox_docs import (
    ProposalRows,
    beside_document,
    beside_rows,
    failed_document,
    proposed_document,
)
from memtui.tui.docs.item_rows import check_span, letter
from memtui.tui.docs.spans import Line
from memtui.tui.jobs import JobFailed
from memtui.tui.rows import FixedRows
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.screens.triage import TriagePart
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.inbox_panes import BesidePane
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.pane import count_text
from memtui.tui.widgets.side_pane import ListPane, TextPane
from memtui.workspace.inbox import Entry, InboxView
from memtui.workspace.model import EvidenceView

_BOTH = 100
"""Columns from which both documents have room beside each other."""
_NOTHING = Document("", "")


class InboxScreen(TriagePart):
    """Triage, and the way down from a proposal to what it rests on."""

    VIEW = "inbox"
    CSS_PATH = ["browse.tcss", "panel.tcss", "inbox.tcss"]
    BINDINGS = bindings("inbox")
    LIST_NAME = "Inbox"
    TEXT_NAME = "Proposed"

    week = (0, 0)
    _undoing = False
    """Whether something is being taken back that may wait again then."""
    support: tuple[EvidenceView, ...] = ()
    _supported = ""
    """The proposal that `support` is about."""
    _looking = ""
    """The proposal whose records are being looked for."""
    _awaited: tuple[str, int] | None = None
    """The proposal and the record of it that is opened as soon as it was looked for."""

    def compose(self) -> ComposeResult:
        """The list above, both sides below."""
        yield Lines(id="header")
        with Vertical(id="inbox-body"):
            yield ListPane(self.LIST_NAME, id="panel-list-pane")
            with Container(id="both"):
                yield TextPane(self.TEXT_NAME, id="panel-text-pane")
                yield BesidePane("Nearest and evidence", id="beside-pane")
        yield InputLine(id="input")
        yield Lines(id="status")
        yield Lines(id="footer")

    @property
    def beside_pane(self) -> BesidePane:
        """What is there, and what the proposal rests on."""
        return self.query_one(BesidePane)

    @property
    def beside(self) -> DocView:
        """That as a text."""
        return self.beside_pane.text

    def on_screen_resume(self) -> None:
        """Shown, for the first time or again: as it was left, with what became of it since."""
        self.take_inbox(self.memtui.upkeep.inbox)
        self.look()
        self.memtui.upkeep.look()

    def look(self) -> None:
        """The bank was read; below another view it is looked at when this one is shown again."""
        if not self.is_current:
            return
        if self.view is not None:
            self.week = weekly(self.view.contents, self.core.clock())
        self.follow()

    def take_inbox(self, found: InboxView) -> None:
        """Another inbox than before; the cursor goes to what an undo brought back."""
        before = {entry.proposal.id for entry in self.inbox.waiting}
        self.inbox = found
        self.show_rows()
        if self._undoing:
            back = [e.proposal.id for e in found.waiting if e.proposal.id not in before]
            self._undoing = not back
            if back:
                self.rows.go_key(back[0])

    def action_undo(self) -> None:
        """Take back your last act."""
        self._undoing = True
        super().action_undo()

    def show_rows(self) -> None:
        """What waits, or what has expired."""
        if self.old and not self.inbox.expired:
            self.old = False
        shown = self.listed()
        self.rows.say(self._nothing_waits())
        self.rows.show(
            ProposalRows(shown, self.glyphs, self.core.clock()) if shown else FixedRows()
        )
        self.list_pane.entitle("expired" if self.old else "", name=self.LIST_NAME)
        if not shown and self.focused is not self.rows:
            self.give(self.rows)
        self.lay_out()
        self.follow()
        self.count()
        self.refresh_bars()

    def _nothing_waits(self) -> list[Line]:
        if self.core.bank_root is None:
            return [
                [("No bank for this project yet, so nothing is proposed.", "title")],
                [(self.key_of("begin-bank"), "key"), (" in Browse begins one.", "muted")],
            ]
        found, key = self.inbox, self.memtui.keymap.shown(BY_ID["sleep"])
        decided = f"{found.accepted} accepted, {found.rejected} rejected"
        return [
            [("Nothing waits.", "title")],
            [],
            [(f"{found.read} sessions read, {len(found.failed)} failed", "muted")],
            [(f"{decided}, {len(found.expired)} expired", "muted")],
            [],
            [(key, "key"), (" reads finished sessions", "text")],
            [("and proposes what to remember.", "text")],
        ]

    # Layout

    def lay_out(self) -> None:
        """The list and both sides, or the side with the focus where there is no room for two."""
        width, height = self.app.size
        single = self.zoomed or width < 40 or height < 12
        self.set_class(single, "-single")
        empty = not len(self.rows)
        at_beside = self.focused in (self.beside, self.beside_pane.listed)
        in_text = self.focused is self.text or at_beside
        self.list_pane.display = empty or not single or not in_text
        self.query_one("#both").display = not empty and (not single or in_text)
        roomy = width >= _BOTH and not single
        self.text_pane.display = roomy or not at_beside
        self.beside_pane.display = roomy or at_beside

    def action_cycle(self, step: int) -> None:
        """List, proposed, nearest and evidence."""
        if not len(self.rows):
            return
        stops: list[Widget] = [self.rows, self.text, self.beside]
        listed = self.beside_pane.listed
        here = self.beside if self.focused is listed else self.focused
        place = stops.index(here) if here in stops else 0
        self._go(stops[(place + step) % len(stops)])

    def _go(self, target: Widget) -> None:
        """Give the focus to what may not be shown now."""
        for pane in (self.list_pane, self.query_one("#both"), *self.query_one("#both").children):
            pane.display = True
        self.give(target)
        self.lay_out()

    def action_back(self) -> None:
        """One step back: zoom, text, running sleep, what has expired, view."""
        if self.focused in (self.beside, self.beside_pane.listed) and not self.zoomed:
            self._go(self.rows)
        else:
            super().action_back()

    def step_back(self) -> bool:
        """Stop a running sleep, go from what has expired to what waits."""
        if self.memtui.upkeep.sleeping:
            self.memtui.upkeep.cancel()
            return True
        if self.old:
            self._show_old(False)
            return True
        return False

    # What is under the cursor

    def count(self) -> None:
        """Where the cursor is, and how many are marked."""
        self.list_pane.count(count_text(self.rows))

    def follow(self) -> None:
        """Show both sides of the proposal under the cursor, and look for its records."""
        entry = self.entry()
        if entry is None:
            self.show_text(_NOTHING)
            self.beside_pane.show(_NOTHING, [], [])
            return
        proposal = entry.proposal
        self.show_text(proposed_document(entry, self.core.clock(), self._group(entry)))
        if self._supported != proposal.id:
            self._supported, self.support = proposal.id, ()
        self._show_beside(entry)
        looking = self._looking == proposal.id and self.jobs.running("support")
        if proposal.records and not self.support and not looking:
            self._looking = proposal.id
            work = partial(self.core.upkeep.evidence, proposal)
            take = partial(self._take_support, proposal)
            self.jobs.run("support", "looking for the records", work, take)

    def _group(self, entry: Entry) -> str:
        count = len(self.alike(entry))
        if count < 2:
            return ""
        key = self.key_of("accept-group")
        same = "session" if entry.proposal.group == entry.proposal.session else "check"
        return f"{count} wait from the same {same}; {key} accepts them"

    def _take_support(self, proposal: Proposal, found: tuple[EvidenceView, ...]) -> None:
        entry = self.entry()
        if entry is None or entry.proposal.id != proposal.id:
            return
        self.support = found
        self._show_beside(entry)
        if self._awaited is not None and self._awaited[0] == proposal.id:
            self._open_record(entry, self._awaited[1])

    def _show_beside(self, entry: Entry) -> None:
        head: Line = [("goes down to", "muted")]
        shown = beside_document(entry, self.view, self.glyphs)
        rows = beside_rows(entry, self.view, self.support, self.glyphs)
        self.beside_pane.show(shown, [(self.key_of("open"), "key"), (" ", ""), *head], rows)

    # Down

    def action_open(self) -> None:
        """From the proposal to what it rests on, from there to the card or the record itself."""
        listed = self.beside_pane.listed
        if self.focused is listed:
            self._open_row(listed.key)
        elif len(listed):
            self._go(listed)
        elif self.focused is self.rows:
            self.action_cycle(1)

    @on(LineList.Chosen, "#beside-list")
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self._open_row(message.key)

    def _open_row(self, key: Hashable) -> None:
        entry = self.entry()
        if entry is None or not isinstance(key, tuple):
            return
        if key[0] == "item":
            found = self.view.find(str(key[1])) if self.view else None
            if found is None:
                self.say("it is not in the bank any more")
            else:
                self.memtui.go_to_item(found)
        else:
            self._open_record(entry, int(key[1]))

    def _open_record(self, entry: Entry, index: int) -> None:
        if not self.support:
            self._awaited = (entry.proposal.id, index)
            return
        self._awaited = None
        evidence = self.support[index]
        place, name = evidence.location, f"evidence {letter(index)}"
        if place is None or place.session is None or place.seq is None:
            self.say(f"{evidence.detail or 'the record is not there'}; what was kept stands here")
            self._go(self.beside)
            return
        sign = check_span(evidence.check, self.glyphs)[0]
        self.memtui.go_to_turn(place.session, place.seq, name, f"{name} of a proposal: {sign}")

    # What has expired, what failed

    def action_facets(self) -> None:
        """What waits, or what has expired."""
        counts = {"waiting": len(self.inbox.waiting), "expired": len(self.inbox.expired)}
        choices = [
            Choice(name, name, f"{count}", key=name[0], chosen=(name == "expired") == self.old)
            for name, count in counts.items()
        ]

        def chosen(name: str | None) -> None:
            if name == "expired" and not self.inbox.expired:
                self.say("nothing has expired")
            elif name is not None:
                self._show_old(name == "expired")

        self.app.push_screen(MenuScreen("Show", choices), chosen)

    def _show_old(self, old: bool) -> None:
        self.old = old
        self.rows.marks = set()
        self.show_rows()

    def action_problems(self) -> None:
        """List the sessions that could not be read, and those that the drafter failed for."""
        self.app.push_screen(PaperScreen("Sessions that failed", failed_document(self.inbox)))

    # Sleep and bars

    def action_sleep(self) -> None:
        """Read what is new and propose."""
        self.memtui.upkeep.start()

    def action_reload(self) -> None:
        """Look again."""
        super().action_reload()
        self.memtui.upkeep.look()

    def on_job_failed(self, message: JobFailed) -> None:
        """Why there is no answer; an open that waits for it is given up."""
        self._awaited = None
        super().on_job_failed(message)

    def notes(self) -> list[Part]:
        """What waits, how much was read, what failed, and what came and went."""
        progress, narrow = self.memtui.upkeep.progress, self.app.size.width < 80
        return inbox_parts(self.inbox, self.week, progress, narrow, self.glyphs)
