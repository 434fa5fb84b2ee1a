"""Triage: what each key of the Inbox decides. A decided row goes at once, so that `p p p` is three."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from memtui.bank.model import Item
from memtui.curate.act import ActResult, CurateError
from memtui.curate.curator import Curator
from memtui.curate.decide import accept_as_one, in_one, next_verb, reject
from memtui.curate.draft import Draft
from memtui.curate.draft_text import draft_from, draft_text
from memtui.curate.proposals import Proposal, Verb
from memtui.tui.acting import Deed
from memtui.tui.asking import refusal
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.inbox_docs import SAYS, ProposalRows
from memtui.tui.editing import edit_bytes
from memtui.tui.ports import Core
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.panel import PanelView
from memtui.tui.services import ServiceError
from memtui.tui.wish import Wish
from memtui.workspace.curating import Done
from memtui.workspace.drafting import Material
from memtui.workspace.inbox import Entry, InboxView


class TriagePart(PanelView):
    """Accept, edit and accept, reject, switch the verb: of what is under the cursor, or marked."""

    inbox = InboxView()
    old = False
    """Whether what has expired is shown in place of what waits."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._going: set[str] = set()
        self._wanted: dict[str, Verb] = {}

    def show_rows(self) -> None:
        """Fill the list."""
        raise NotImplementedError

    # What is under the cursor

    def listed(self) -> tuple[Entry, ...]:
        """The rows: what waits, or what has expired, without what is being decided."""
        found = self.inbox.expired if self.old else self.inbox.waiting
        return tuple(self._as_wanted(e) for e in found if e.proposal.id not in self._going)

    def _as_wanted(self, entry: Entry) -> Entry:
        verb = self._wanted.get(entry.proposal.id)
        if verb is None:
            return entry
        return replace(entry, proposal=replace(entry.proposal, verb=verb))

    def entry(self) -> Entry | None:
        """The proposal under the cursor."""
        source, at = self.rows.source, self.rows.cursor
        shown = source.entries if isinstance(source, ProposalRows) else ()
        return shown[at] if 0 <= at < len(shown) else None

    def chosen(self) -> tuple[Proposal, ...]:
        """The marked proposals, else the one under the cursor."""
        marks = self.rows.marks
        if marks:
            return tuple(e.proposal for e in self.listed() if e.proposal.id in marks)
        here = self.entry()
        return (here.proposal,) if here is not None else ()

    def alike(self, entry: Entry) -> tuple[Proposal, ...]:
        """What came from the same session or check, with this one."""
        group = entry.proposal.group
        if not group:
            return (entry.proposal,)
        return tuple(e.proposal for e in self.listed() if e.proposal.group == group)

    def _nothing(self) -> bool:
        if self.chosen():
            return False
        self.say("nothing waits here; z looks for more")
        return True

    # Accept and reject

    def action_accept(self) -> None:
        """Do what is suggested, for each that is chosen."""
        if not self._nothing():
            self._accept(self.chosen())

    def action_accept_group(self) -> None:
        """Everything that came from the same place as the one under the cursor."""
        here = self.entry()
        if here is None:
            self._nothing()
            return
        self._accept(self.alike(here))

    def _accept(self, chosen: Sequence[Proposal], draft: Draft | None = None) -> None:
        last = chosen[-1]
        self._let_go(chosen)
        for proposal in chosen:
            work = self.core.upkeep.accepting(proposal, draft)
            then = partial(self._gone, (proposal,))
            if proposal is last and len(chosen) > 1:
                then = partial(self._all_gone, chosen)
            self.act(Deed("accept", work, then, refused=partial(self._back, chosen)))

    def _all_gone(self, chosen: Sequence[Proposal], done: Done) -> None:
        self._gone(chosen, done)
        key = self.key_of("undo")
        self.say(f"accepted {len(chosen)} proposals. {key} undoes them, the last one first")

    def action_reject(self) -> None:
        """Never propose it again."""
        if self._nothing():
            return
        chosen = self.chosen()
        if self.old:
            self.say("it has expired and is not proposed again; p accepts it still")
            return
        self._let_go(chosen)
        work = partial(_reject, chosen)
        back = partial(self._back, chosen)
        self.act(Deed("reject", work, partial(self._gone, chosen), refused=back))

    def _let_go(self, chosen: Sequence[Proposal]) -> None:
        """Take the rows away: the key pressed next is for what comes after them."""
        self._going.update(one.id for one in chosen)
        self.show_rows()

    def _gone(self, chosen: Sequence[Proposal], _done: Done) -> None:
        """It is decided: the inbox that is read next says so too."""
        ids = {one.id for one in chosen}
        self._going -= ids
        waiting = tuple(e for e in self.inbox.waiting if e.proposal.id not in ids)
        expired = tuple(e for e in self.inbox.expired if e.proposal.id not in ids)
        self.inbox = replace(self.inbox, waiting=waiting, expired=expired)
        self.show_rows()

    def _back(self, chosen: Sequence[Proposal], error: Exception) -> bool:
        """It was refused, and with it all that should come after it: the rows are there again."""
        self._going -= {one.id for one in chosen}
        self.show_rows()
        self.memtui.upkeep.look()
        return False

    # Another verb

    def action_switch(self) -> None:
        """Another verb: shown at once, kept in a worker."""
        here = self.entry()
        if here is None:
            self._nothing()
            return
        proposal = here.proposal
        verb = next_verb(proposal)
        if verb is proposal.verb:
            self.say(f"{verb} is all that can be done with it; {self.key_of('reject')} rejects it")
            return
        self._wanted[proposal.id] = verb
        self.show_rows()
        self.say(f"{verb}: {SAYS[verb]}")
        self._keep_verb(proposal)

    def _keep_verb(self, proposal: Proposal) -> None:
        verb = self._wanted[proposal.id]
        work = partial(self.core.upkeep.switch, proposal, verb)
        group = f"switch:{proposal.id}"
        if not self.jobs.running(group):
            self.jobs.run(
                group,
                "switching the verb",
                work,
                partial(self._kept_verb, proposal),
                partial(self._no_verb, proposal),
            )

    def _kept_verb(self, before: Proposal, kept: Proposal) -> None:
        if self._wanted.get(kept.id) not in (None, kept.verb):
            self.call_later(self._keep_verb, before)  # it was switched on meanwhile
            return
        self._wanted.pop(kept.id, None)
        self.inbox = replace(
            self.inbox,
            waiting=tuple(_with(kept, entry) for entry in self.inbox.waiting),
            expired=tuple(_with(kept, entry) for entry in self.inbox.expired),
        )
        self.memtui.upkeep.look()

    def _no_verb(self, proposal: Proposal, error: Exception) -> None:
        self._wanted.pop(proposal.id, None)
        self.show_rows()
        self.complain(refusal(error, "switching the verb"))

    # Several as one card

    def action_merge(self) -> None:
        """The marked proposals as one card, through its editor."""
        chosen = self.chosen()
        if not chosen:
            self._nothing()
            return
        try:
            draft = in_one(chosen)
        except CurateError as error:
            self.complain(refusal(error, "merge"))
            return
        if self.view is None:
            self.say("the bank is not read yet")
            return
        from memtui.tui.screens.draft import DraftScreen

        records = {record.ref: record for one in chosen for record in one.records}
        material = Material(draft, tuple(records.values()))
        title = f"One card, from {len(chosen)} proposals"
        save = partial(self._save_as_one, chosen)
        self.app.push_screen(DraftScreen(title, material, self.view.contents, save))

    def _save_as_one(
        self,
        chosen: Sequence[Proposal],
        wish: Wish,
        saved: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        if wish.updates is not None:
            refused("proposals become a new card; it can supersede the old one")
            return

        def then(done: Done) -> None:
            saved()
            self._gone(chosen, done)

        def back(error: Exception) -> bool:
            refused(refusal(error, "merge"))
            return True

        draft, replaced = wish.material.draft, wish.supersedes
        self.act(Deed("merge", partial(_as_one, chosen, draft, replaced), then, refused=back))

    # Edit, then accept

    def action_edit_accept(self) -> None:
        """Change the card in an editor, then accept it."""
        here = self.entry()
        if here is None:
            self._nothing()
        elif here.proposal.draft is None:
            self.complain("this proposal is about cards that exist: edit them in Browse")
        else:
            self._edit(here.proposal, here.proposal.draft, draft_text(here.proposal.draft).encode())

    def _edit(self, proposal: Proposal, draft: Draft, text: bytes) -> None:
        base = draft_text(draft).encode()
        try:
            data = edit_bytes(self.memtui, text, "proposal.md")
        except ServiceError as error:
            self.say(line_of(str(error)), "error")
            return
        if data == base:
            self.say(f"the text was not changed; {self.key_of('accept')} accepts it as it is")
            return
        try:
            edited = draft_from(data, draft)
        except CurateError as error:
            self._offer_again(proposal, draft, data, refusal(error, "edit"))
        else:
            self._accept((proposal,), edited)

    def _offer_again(self, proposal: Proposal, draft: Draft, data: bytes, why: str) -> None:
        """What was typed is not lost because something in it cannot be read."""
        self.complain(f"not accepted: {why}")
        choices = [
            Choice("again", "edit it again", key="e"),
            Choice("copy", "copy the text, and let the proposal wait", key="y"),
            Choice("discard", "let the proposal wait as it was", key="d"),
        ]

        def chosen(name: str | None) -> None:
            if name == "copy":
                text = data.decode("utf-8", "replace")
                self.memtui.copy_text(text, "the text that was not accepted")
            elif name == "again":
                self._edit(proposal, draft, data)

        self.app.push_screen(MenuScreen(f"Not accepted: {line_of(why, 40)}", choices), chosen)


def _reject(chosen: Sequence[Proposal], curator: Curator) -> ActResult:
    return reject(curator, chosen)


def _as_one(
    chosen: Sequence[Proposal], draft: Draft, replaced: Sequence[Item], curator: Curator
) -> ActResult:
    return accept_as_one(curator, chosen, draft, replaced)


def _with(kept: Proposal, entry: Entry) -> Entry:
    return replace(entry, proposal=kept) if entry.proposal.id == kept.id else entry
