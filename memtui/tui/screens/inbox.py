"""The Inbox view: proposals as one-key triage, what would become beside what is there."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget

from memtui.curate import verbs
from memtui.curate.act import ConflictError, CurateError
from memtui.curate.decide import reject
from memtui.curate.draft import Draft
from memtui.curate.draft_text import draft_from, draft_text
from memtui.curate.proposals import Proposal
from memtui.curate.sleep.upkeep import weekly
from memtui.tui.acting import Acts, Deed
from memtui.tui.actions import BY_ID, bindings
from memtui.tui.docs.bars import fitting, footer_parts, header_line, sleep_part, waiting_part
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.inbox_docs import SAYS, ProposalRows, beside_document, proposed_document
from memtui.tui.docs.spans import Line
from memtui.tui.jobs import JobDone, JobFailed, Jobs
from memtui.tui.ports import Core
from memtui.tui.rows import FixedRows
from memtui.tui.screens.view import ViewScreen
from memtui.tui.services import ServiceError
from memtui.tui.views import VIEWS
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.inbox_panes import BesidePane, ProposedPane, WaitingPane
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.pane import Pane, count_text
from memtui.workspace.curating import Done, Reloaded
from memtui.workspace.model import BankView
from memtui.workspace.upkeep import Entry, InboxView

_BOTH = 100
"""Columns from which both documents have room beside each other."""
_NOTHING = Document("", "")


class InboxScreen(ViewScreen):
    """Triage."""

    VIEW = "inbox"
    CSS_PATH = "inbox.tcss"
    BINDINGS = bindings("inbox")
    AUTO_FOCUS = "#waiting-list"

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.jobs = Jobs(self, self.run_worker)
        self.acts = Acts(self.jobs, core, self.take_done, self.refuse)
        self.view: BankView | None = None
        self.inbox = InboxView()
        self.week = (0, 0)

    def compose(self) -> ComposeResult:
        """The list above, both sides below."""
        yield Lines(id="header")
        with Vertical(id="inbox-body"):
            yield WaitingPane(id="waiting")
            with Container(id="both"):
                yield ProposedPane(id="proposed")
                yield BesidePane(id="beside")
            yield Lines(id="inbox-empty")
        yield Lines(id="status")
        yield Lines(id="footer")

    @property
    def rows(self) -> LineList:
        """The list of what waits."""
        return self.query_one("#waiting-list", LineList)

    def on_mount(self) -> None:
        """Show what is known, then look again."""
        self.give(self.rows)
        self.take_inbox(self.memtui.upkeep.inbox)
        if self.core.bank_root is not None:
            work = self.core.curating.reload
            self.jobs.run("bank", "reading the bank", work, self.take_reloaded)
        self.memtui.upkeep.look()

    def _take_view(self, view: BankView) -> None:
        if self.view is None or view.serial >= self.view.serial:
            self.view = view
            self.week = weekly(view.contents, self.core.clock())
            self._show_both()
            self.refresh_bars()

    def take_inbox(self, found: InboxView) -> None:
        """Another inbox than before."""
        self.inbox = found
        rows = ProposalRows(found.waiting, self.glyphs, self.core.clock())
        self.rows.show(rows if found.waiting else FixedRows())
        self._lay_out()
        self._show_both()
        self.refresh_bars()

    # Layout

    def on_resize(self, event: events.Resize) -> None:
        """Another size."""
        self._lay_out()
        self.call_after_refresh(self.refresh_bars)

    def _lay_out(self) -> None:
        if not self.is_mounted:
            return
        empty = not self.inbox.waiting
        self.query_one("#waiting").display = not empty
        self.query_one("#both").display = not empty
        told = self.query_one("#inbox-empty", Lines)
        told.display = empty
        told.show(self._empty_lines())
        roomy = self.app.size.width >= _BOTH
        beside = self.focused is self.query_one("#beside-text")
        self.query_one("#proposed").display = roomy or not beside
        self.query_one("#beside").display = roomy or beside

    def _empty_lines(self) -> list[Line]:
        key = self.memtui.keymap.shown(BY_ID["sleep"])
        found = self.inbox
        lines: list[Line] = [
            [("Nothing waits.", "title")],
            [],
            [(f"{found.read} sessions were read, {len(found.failed)} could not be.", "muted")],
            [(f"{found.accepted} accepted, {found.rejected} rejected, ", "muted"),
             (f"{len(found.expired)} expired.", "muted")],
            [],
            [(key, "key"), (" reads finished sessions and proposes what to remember.", "text")],
        ]  # fmt: skip
        if self.core.bank_root is None:
            lines = [[("There is no bank here, so nothing is proposed.", "title")]]
        return lines

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Where only one side has room, the one with the focus is shown."""
        self._lay_out()
        self.refresh_bars()

    def action_cycle(self, step: int) -> None:
        """List, proposed, nearest."""
        stops: list[Widget] = [pane.main() for pane in self.query(Pane)]
        here = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(here + step) % len(stops)]
        for pane in self.query(Pane):
            if pane.main() is target:
                pane.display = True
        self.give(target)
        self._lay_out()

    def action_open(self) -> None:
        """Read on in the proposed card."""
        if self.entry() is not None:
            self.action_cycle(1)

    def action_back(self) -> None:
        """One step back: running sleep, text, view."""
        if self.memtui.upkeep.sleeping:
            self.memtui.upkeep.cancel()
        elif self.focused is not self.rows and self.inbox.waiting:
            self.give(self.rows)
            self._lay_out()
        else:
            self.memtui.action_view(VIEWS[0].name)

    # What is under the cursor

    def entry(self) -> Entry | None:
        """The proposal under the cursor."""
        key = self.rows.key
        return self.inbox.find(str(key)) if key is not None else None

    def chosen(self) -> tuple[Proposal, ...]:
        """The marked proposals, else the one under the cursor."""
        marks = self.rows.marks
        if marks:
            return tuple(e.proposal for e in self.inbox.waiting if e.proposal.id in marks)
        here = self.entry()
        return (here.proposal,) if here is not None else ()

    @on(LineList.Moved)
    def _moved(self, _message: LineList.Moved) -> None:
        self._show_both()

    @on(LineList.Changed)
    def _changed(self, message: LineList.Changed) -> None:
        self.query_one(WaitingPane).count(count_text(message.list))

    def _show_both(self) -> None:
        if not self.is_mounted:
            return
        entry = self.entry()
        self.query_one(WaitingPane).count(count_text(self.rows))
        proposed = proposed_document(entry, self.core.clock()) if entry else _NOTHING
        beside = beside_document(entry, self.view, self.glyphs) if entry else _NOTHING
        self.query_one("#proposed-text", DocView).show(proposed)
        self.query_one("#beside-text", DocView).show(beside)

    # Verbs

    def _nothing(self) -> bool:
        if self.chosen():
            return False
        self.say("nothing waits here; z looks for more")
        return True

    def action_accept(self) -> None:
        """Do what is suggested, for each that is chosen."""
        if not self._nothing():
            self._accept(self.chosen())

    def _accept(self, chosen: tuple[Proposal, ...], draft: Draft | None = None) -> None:
        for proposal in chosen:
            act = self.core.upkeep.accepting(proposal, draft)
            self.acts.run(Deed("accept", act, partial(self._unmark, proposal)))

    def action_accept_group(self) -> None:
        """Everything that came from the same place as the one under the cursor."""
        here = self.entry()
        if here is None:
            self._nothing()
            return
        group = here.proposal.group
        alike = (e.proposal for e in self.inbox.waiting if e.proposal.group == group)
        self._accept(tuple(alike) if group else (here.proposal,))

    def action_reject(self) -> None:
        """Never propose it again."""
        if self._nothing():
            return
        chosen = self.chosen()
        self.acts.run(Deed("reject", lambda curator: reject(curator, chosen)))

    def action_switch(self) -> None:
        """Another verb."""
        here = self.entry()
        if here is None:
            self._nothing()
            return
        work = partial(self.core.upkeep.switch, here.proposal)
        self.jobs.run("switch", "switching the verb", work, self._switched)

    def _switched(self, proposal: Proposal) -> None:
        self.say(f"{proposal.verb}: {SAYS[proposal.verb]}")
        self.memtui.upkeep.look()

    def action_edit_accept(self) -> None:
        """Change the card in an editor, then accept it."""
        here = self.entry()
        if here is None:
            self._nothing()
            return
        draft = here.proposal.draft
        if draft is None:
            self.say("this proposal is about cards that exist: edit them in Browse", "warning")
            return
        try:
            edited = self._edited(draft)
        except (ServiceError, OSError) as error:
            self.say(line_of(str(error)), "error")
        except CurateError as error:
            self.say(f"{line_of(error.what)}; {error.do}", "warning")
        else:
            if edited is None:
                self.say("the text was not changed; p accepts it as it is")
            else:
                self._accept((here.proposal,), edited)

    def _edited(self, draft: Draft) -> Draft | None:
        base = draft_text(draft).encode()
        with tempfile.TemporaryDirectory(prefix="memtui-") as folder:
            file = Path(folder) / "draft.md"
            file.write_bytes(base)
            self.memtui.editor.edit(self.memtui, file)
            data = file.read_bytes()
        return None if data == base else draft_from(data, draft)

    def action_undo(self) -> None:
        """Take back the last act, also a decision made here."""
        self.acts.run(Deed("undo", verbs.undo, resolved=verbs.undo))

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self.acts.run(Deed("redo", verbs.redo, resolved=verbs.redo))

    def action_sleep(self) -> None:
        """Read what is new and propose."""
        self.memtui.upkeep.start()

    def action_reload(self) -> None:
        """Look again."""
        self.memtui.upkeep.look()

    # What happened

    def _unmark(self, proposal: Proposal, _done: Done) -> None:
        self.rows.unmark([proposal.id])

    def take_done(self, done: Done) -> None:
        """An act was done: everybody sees the bank after it."""
        self.memtui.take_reloaded(done.after)
        undo = f". {self.memtui.keymap.shown(BY_ID['undo'])} undoes" if done.result.undoable else ""
        self.say(f"{line_of(done.result.summary, 100)}{undo}")
        self.memtui.upkeep.look()

    def take_reloaded(self, reloaded: Reloaded) -> None:
        """The bank was read."""
        self._take_view(reloaded.view)

    def refuse(self, deed: Deed, error: Exception) -> None:
        """An act was refused: say what stands in its way."""
        if isinstance(error, ConflictError | CurateError):
            self.say("; ".join(filter(None, (line_of(error.what), error.do))), "warning")
        else:
            self.say(f"{deed.doing} failed: {line_of(str(error))}; nothing was changed", "error")

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
        elif isinstance(message.error, CurateError):
            self.say(f"{line_of(message.error.what)}; {message.error.do}", "warning")
        else:
            self.say(f"{message.doing} failed: {line_of(str(message.error))}", "error")

    # Bars

    def scopes(self) -> tuple[str, ...]:
        """Where the focus is."""
        return ("inbox", "list", "app")

    def refresh_bars(self) -> None:
        """Draw the three bars."""
        if not self.is_mounted:
            return
        width = self.app.size.width
        views = [(view.title, view.name == self.VIEW) for view in VIEWS]
        place = (self.core.project, self.core.branch)
        head = header_line(views, place, (), width, self.glyphs)
        self.query_one("#header", Lines).show([head])
        found = self.inbox
        parts: list[Part | None] = [waiting_part(len(found.waiting), width < 80)]
        progress = self.memtui.upkeep.progress
        if progress is not None:
            parts.append(sleep_part(progress, self.glyphs))
        parts.append(Part(((f"{found.read} sessions read", "text"),)))
        if found.failed:
            parts.append(Part(((f"{len(found.failed)} failed", "warn"),)))
        if any(self.week):
            came, went = self.week
            parts.append(Part(((f"{came} in, {went} out this week", "muted"),)))
        if found.expired:
            parts.append(Part(((f"{len(found.expired)} expired", "muted"),)))
        if self.last:
            parts.append(Part(((line_of(self.last, 60), "faint"),)))
        self.query_one("#status", Lines).show_parts(fitting(parts, width))
        limit = 4 if width < 60 else 7 if width < 100 else 10
        keymap, ascii_only = self.memtui.keymap, self.memtui.ascii_only
        keys = footer_parts(self.scopes(), keymap, width, limit, ascii_only)
        self.query_one("#footer", Lines).show_parts(keys)

    @on(Lines.Pressed)
    async def _pressed(self, message: Lines.Pressed) -> None:
        message.stop()
        if message.run.startswith("memtui:"):
            await self.memtui.run_by_id(message.run.removeprefix("memtui:"))
        else:
            await self.run_action(message.run)
