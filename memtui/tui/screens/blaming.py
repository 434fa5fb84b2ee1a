"""Where a card comes from, and what came of a session or turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memtui.index.states import key_of
from memtui.tui.docs.clean import line_of
from memtui.tui.screens.changing import ChangingPart
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.paper import PaperScreen

if TYPE_CHECKING:
    from memtui.curate.history import Entry
    from memtui.workspace.model import BankView, ItemView


class BlamingPart(ChangingPart):
    """`b`."""

    def action_blame(self) -> None:
        """Who, when, from what, approved by whom; on a session or turn, the cards made from it."""
        view = self.view
        found = self.item_here()
        if view is not None and found is not None:
            work = partial(_entries, view, key_of(found.item))
            self.jobs.run("blame", "reading the history", work, partial(self._blamed, found))
        elif self.focused is self.sessions_list:
            self._made_from()
        else:
            self.say("b asks where a card, page, session or turn led: put the cursor on one")

    def _blamed(self, found: ItemView, entries: list[Entry]) -> None:
        # It brings the verbs, which a start can do without.
        from memtui.tui.docs.blame_doc import blame_document

        shown = blame_document(found, entries, self.glyphs)
        self.app.push_screen(PaperScreen(f"Blame  {found.item.id}", shown))

    def _made_from(self) -> None:
        row = self.timeline_row()
        if row is None or self.view is None:
            self.say("there is no session here")
            return
        start = row.ref if row.turn is not None else f"{row.ref}#"
        what = "turn" if row.turn is not None else "session"
        made = [view for view in (*self.view.cards, *self.view.pages) if _cites(view, start, what)]
        if not made:
            self.say(f"no card was made from this {what}; p makes one")
            return
        choices = [
            Choice(view.item.id, line_of(view.item.title or view.item.name), view.item.status.value)
            for view in made
        ]

        def chosen(item: str | None) -> None:
            found = self.view.find(item) if item is not None and self.view is not None else None
            if found is not None:
                self._leave(self.here_label() or what)
                self.go_to_item(found)

        self.app.push_screen(MenuScreen(f"Made from this {what}", choices), chosen)


def _entries(view: BankView, key: str) -> list[Entry]:
    """The acts that name an item, newest first."""
    from memtui.curate.history import history

    return [entry for entry in history(view.contents.events) if key in entry.items]


def _cites(view: ItemView, start: str, what: str) -> bool:
    refs = (one.ref for one in view.item.evidence)
    return any(ref == start if what == "turn" else ref.startswith(start) for ref in refs)
