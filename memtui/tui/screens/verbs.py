"""The verbs on what is under the cursor or marked: each seen at once, told in a toast, undone by `u`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual import on

from memtui.bank.model import Item
from memtui.curate import verbs
from memtui.curate.act import ActResult, ConflictError, CurateError
from memtui.curate.curator import Curator
from memtui.tui.acting import Acts, Deed
from memtui.tui.actions import BY_ID
from memtui.tui.asking import refusal
from memtui.tui.docs.clean import line_of
from memtui.tui.screens.conflict import ask_choice
from memtui.tui.screens.items import ItemsPart
from memtui.tui.screens.view import Severity, ViewScreen
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from memtui.sessions.timeline import SessionRow
    from memtui.workspace.curating import Done
    from memtui.workspace.model import ItemView

OnItems = Callable[[Curator, Sequence[Item]], ActResult]


class VerbsPart(ItemsPart):
    """Promote, demote, pin, confirm, flag, undo, redo."""

    _flagged: tuple[ItemView, ...] = ()

    @cached_property
    def acts(self) -> Acts:
        """The acts of this screen."""
        return Acts(self.jobs, self.core, self.take_done, self.refuse)

    # What happened

    def take_done(self, done: Done) -> None:
        """An act was done: every pane shows the bank after it, and a toast says what happened."""
        self.take_reloaded(done.after)
        undo = f". {self.memtui.keymap.shown(BY_ID['undo'])} undoes" if done.result.undoable else ""
        self._tell_everywhere(f"{line_of(done.result.summary, 100)}{undo}")

    def refuse(self, deed: Deed, error: Exception) -> None:
        """An act was refused: say what stands in its way and what helps."""
        if isinstance(error, ConflictError):
            self.show_conflict(deed, error)
        else:
            expected = isinstance(error, CurateError)
            self._tell_everywhere(refusal(error, deed.doing), "warning" if expected else "error")

    def show_conflict(self, deed: Deed, error: ConflictError) -> None:
        """Files changed meanwhile: show the three texts of each and ask."""

        def unchanged() -> None:
            self._tell_everywhere(f"{line_of(error.what)}; nothing was changed", "warning")
            self.reload_bank()

        ask_choice(self.memtui, self.acts, deed, error, unchanged)

    def _tell_everywhere(self, text: str, severity: Severity = "information") -> None:
        """Say it here and in the view from which it was done."""
        self.say(text, severity)
        shown = self.app.screen
        if shown is not self and isinstance(shown, ViewScreen):
            shown.last = text
            shown.refresh_bars()

    # On cards and pages

    def targets(self) -> tuple[ItemView, ...]:
        """The marked items of the list with the focus, else the item that the pane is about."""
        rows = self.focused
        if self.view is not None and rows in (self.cards_list, self.pages_list):
            assert isinstance(rows, LineList)
            if rows.marks:
                views = self.view.cards if rows is self.cards_list else self.view.pages
                return tuple(view for view in views if view.item.id in rows.marks)
        here = self.item_here()
        return (here,) if here is not None else ()

    def do(self, doing: str, verb: OnItems, targets: Sequence[ItemView] | None = None) -> None:
        """Run a verb on the targets; their marks go when it is done."""
        found = self.targets() if targets is None else tuple(targets)
        if not found:
            key = self.memtui.keymap.shown(BY_ID[doing])
            self.say(f"{key} is for cards and pages: put the cursor on one, or mark some")
            return
        items = [view.item for view in found]
        self.acts.run(
            Deed(doing, lambda curator: verb(curator, items), partial(self._unmark, items))
        )

    def _unmark(self, items: Sequence[Item], _: Done) -> None:
        for rows in (self.cards_list, self.pages_list):
            rows.unmark(item.id for item in items)

    def action_promote(self) -> None:
        """Up."""
        self.do("promote", verbs.promote)

    def action_demote(self) -> None:
        """Down: a session's heading is hidden."""
        if self.focused is self.sessions_list:
            self.hide(True)
        else:
            self.do("demote", verbs.demote)

    def hide(self, hidden: bool) -> None:
        """Hide the session under the cursor, or show it again."""
        row = self.timeline_row()
        if row is None or not row.is_heading:
            self.say("d hides a session: put the cursor on its heading")
            return
        self.hide_session(row.session, hidden)

    def hide_session(self, session: SessionRow, hidden: bool) -> None:
        """Hide a session, or show it again."""
        verb = partial(
            verbs.hide_session,
            host=session.host,
            session=session.id,
            title=session.title,
            hidden=hidden,
        )
        self.acts.run(Deed("hide" if hidden else "show again", verb))

    def action_pin(self) -> None:
        """First in the injection, or no longer."""
        self.do("pin", verbs.pin)

    def action_confirm(self) -> None:
        """It is true."""
        self.do("confirm", verbs.confirm)

    def action_flag(self) -> None:
        """It is doubtful: ask why."""
        self._flagged = self.targets()
        if not self._flagged:
            self.do("flag", partial(verbs.flag, reason=""))
            return
        count = len(self._flagged)
        what = "flag" if count == 1 else f"flag {count}"
        self.input_line.ask("flag", what, "", "what is wrong with it, in a line")

    @on(InputLine.Done)
    def _reason_given(self, message: InputLine.Done) -> None:
        if message.purpose == "flag":
            self.give(self.pane.main())
            self.do("flag", partial(verbs.flag, reason=message.text), self._flagged)

    # Back and forth

    def action_undo(self) -> None:
        """Take back the last act."""
        self.acts.run(Deed("undo", verbs.undo, resolved=verbs.undo))

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self.acts.run(Deed("redo", verbs.redo, resolved=verbs.redo))
