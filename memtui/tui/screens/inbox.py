"""The Inbox view: proposals as one-key triage, what would become beside what is there."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget

from memtui.curate.act import CurateError
from memtui.curate.decide import reject
from memtui.curate.draft import Draft
from memtui.curate.draft_text import draft_from, draft_text
from memtui.curate.proposals import Proposal
from memtui.curate.sleep.upkeep import weekly
from memtui.tui.acting import Deed
from memtui.tui.actions import BY_ID, bindings
from memtui.tui.asking import refusal
from memtui.tui.docs.bars import sleep_part, waiting_part
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.inbox_docs import SAYS, ProposalRows, beside_document, proposed_document
from memtui.tui.docs.spans import Line
from memtui.tui.rows import FixedRows
from memtui.tui.screens.panel import PanelView
from memtui.tui.services import ServiceError
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.inbox_panes import BesidePane
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.pane import count_text
from memtui.tui.widgets.side_pane import ListPane, TextPane
from memtui.workspace.curating import Done
from memtui.workspace.inbox import Entry, InboxView

_BOTH = 100
"""Columns from which both documents have room beside each other."""
_NOTHING = Document("", "")


class InboxScreen(PanelView):
    """Triage."""

    VIEW = "inbox"
    CSS_PATH = ["browse.tcss", "panel.tcss", "inbox.tcss"]
    BINDINGS = bindings("inbox")
    LIST_NAME = "Inbox"
    TEXT_NAME = "Proposed"

    inbox = InboxView()
    week = (0, 0)

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
    def beside(self) -> DocView:
        """What is there, and what the proposal rests on."""
        return self.query_one("#beside-text", DocView)

    def on_mount(self) -> None:
        """Show what is known, then look again."""
        super().on_mount()
        self.take_inbox(self.memtui.upkeep.inbox)
        self.memtui.upkeep.look()

    def look(self) -> None:
        """The bank was read."""
        if self.view is not None:
            self.week = weekly(self.view.contents, self.core.clock())
        self.follow()

    def take_inbox(self, found: InboxView) -> None:
        """Another inbox than before."""
        self.inbox = found
        rows = ProposalRows(found.waiting, self.glyphs, self.core.clock())
        self.rows.say(self._nothing_waits())
        self.rows.show(rows if found.waiting else FixedRows())
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
        empty = not self.inbox.waiting
        texts = (self.text, self.beside)
        in_text = self.focused in texts
        self.list_pane.display = empty or not single or not in_text
        self.query_one("#both").display = not empty and (not single or in_text)
        roomy = width >= _BOTH and not single
        at_beside = self.focused is self.beside
        self.text_pane.display = roomy or not at_beside
        self.query_one("#beside-pane").display = roomy or at_beside

    def action_cycle(self, step: int) -> None:
        """List, proposed, nearest."""
        if not self.inbox.waiting:
            return
        stops: list[Widget] = [self.rows, self.text, self.beside]
        here = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(here + step) % len(stops)]
        for pane in (self.list_pane, self.query_one("#both"), *self.query_one("#both").children):
            pane.display = True
        self.give(target)
        self.lay_out()

    def action_back(self) -> None:
        """One step back: running sleep, zoom, text, view."""
        if self.memtui.upkeep.sleeping:
            self.memtui.upkeep.cancel()
        elif self.focused is self.beside and not self.zoomed:
            self.give(self.rows)
            self.lay_out()
        else:
            super().action_back()

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

    def count(self) -> None:
        """Where the cursor is, and how many are marked."""
        self.list_pane.count(count_text(self.rows))

    def follow(self) -> None:
        """Show both sides of the proposal under the cursor."""
        entry = self.entry()
        self.show_text(proposed_document(entry, self.core.clock()) if entry else _NOTHING)
        self.beside.show(beside_document(entry, self.view, self.glyphs) if entry else _NOTHING)

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
            self.act(Deed("accept", act, partial(self._unmark, proposal)))

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
        self.act(Deed("reject", lambda curator: reject(curator, chosen)))

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
            self.complain("this proposal is about cards that exist: edit them in Browse")
            return
        try:
            edited = self._edited(draft)
        except (ServiceError, OSError) as error:
            self.say(line_of(str(error)), "error")
        except CurateError as error:
            self.complain(refusal(error, "edit"))
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

    def action_sleep(self) -> None:
        """Read what is new and propose."""
        self.memtui.upkeep.start()

    def action_reload(self) -> None:
        """Look again."""
        super().action_reload()
        self.memtui.upkeep.look()

    def _unmark(self, proposal: Proposal, _done: Done) -> None:
        self.rows.unmark([proposal.id])

    # Bars

    def notes(self) -> list[Part]:
        """What waits, how much was read, what failed, and what came and went."""
        found = self.inbox
        parts = []
        waiting = waiting_part(replace(found, failed=()), self.app.size.width < 80)
        if waiting is not None:
            parts.append(waiting)
        if self.memtui.upkeep.progress is not None:
            parts.append(sleep_part(self.memtui.upkeep.progress, self.glyphs))
        indent = "" if parts else " "
        parts.append(Part(((f"{indent}{found.read} sessions read", "text"),)))
        if found.failed:
            parts.append(Part(((f"{len(found.failed)} failed", "warn"),)))
        if found.fell_back:
            parts.append(Part(((f"drafter failed {len(found.fell_back)}", "warn"),)))
        if found.expired:
            parts.append(Part(((f"{len(found.expired)} expired", "muted"),)))
        if any(self.week):
            came, went = self.week
            parts.append(Part(((f"{came} in, {went} out this week", "muted"),)))
        return parts
