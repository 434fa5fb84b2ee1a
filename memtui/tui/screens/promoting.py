"""From turns to cards: the draft of what is marked, and what else a session offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from memtui.curate import verbs
from memtui.curate.act import ActResult, CurateError
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.timeline_rows import HEADING
from memtui.tui.screens.verbs import VerbsPart
from memtui.tui.trail import TurnSubject

if TYPE_CHECKING:
    from memtui.curate.curator import Curator
    from memtui.sessions.timeline import TimelineRow
    from memtui.tui.wish import Wish
    from memtui.workspace.curating import Done
    from memtui.workspace.drafting import Material, Offer, Row

T = TypeVar("T")


class PromotingPart(VerbsPart):
    """What `p` does on sessions, and what could be promoted in one."""

    def action_promote(self) -> None:
        """Up: turns become a draft, cards and pages become active."""
        shown = self.subject
        if self.focused is not self.sessions_list:
            if self.item_here() is None and isinstance(shown, TurnSubject):
                self._draft([(shown.session, shown.seq)])
            else:
                super().action_promote()
            return
        row = self.timeline_row()
        marked = [key for key in self.sessions_list.marks if isinstance(key, tuple)]
        rows = [(session, seq) for session, seq in marked if seq != HEADING]
        if rows:
            self._draft(rows)
        elif row is not None and row.turn is not None:
            self._draft([(row.session.session, row.turn.seq)])
        elif row is not None and row.session.ref in self.core.hidden:
            self.hide(False)
        else:
            self.action_offers()

    def _draft(self, rows: Sequence[Row]) -> None:
        def go_on() -> None:
            work = with_editor(lambda: self.core.drafting.draft(rows))
            self.jobs.run("draft", "drafting", work, self._edit_new, self._no_draft)

        self.with_bank(go_on)

    def _no_draft(self, error: Exception) -> None:
        do = error.do if isinstance(error, CurateError) else "R reads the sessions again"
        self.say(f"no draft: {line_of(str(error))}; {do}", "warning")

    def action_offers(self) -> None:
        """List what could be promoted in the session under the cursor."""
        row = self.timeline_row()
        if row is None:
            self.say("there is no session here")
            return

        def go_on() -> None:
            work = with_editor(lambda: self.core.drafting.offers(row.session.session))
            use = partial(self._offer, row)
            self.jobs.run("draft", "looking through the session", work, use, self._no_draft)

        self.with_bank(go_on)

    def _offer(self, row: TimelineRow, offers: tuple[Offer, ...]) -> None:
        title = line_of(row.session.title or row.session.id, 60)
        from memtui.tui.screens.offers import OffersScreen

        if not offers:
            self.say(f"nothing stands out in {title}; mark turns with space, then p")
            return
        cited = {
            one.ref: card.item.name
            for card in (self.view.cards if self.view else ())
            for one in card.item.evidence
        }

        def chosen(index: int | None) -> None:
            if index is not None:
                self._edit_new(offers[index].material)

        self.app.push_screen(OffersScreen(title, offers, cited), chosen)

    def _edit_new(self, material: Material) -> None:
        from memtui.tui.screens.draft import DraftScreen

        if self.view is None:
            return
        rule = material.draft.rule
        title = "New card" if rule == "plain" else f"New card, drafted from: {rule}"
        screen = DraftScreen(title, material, self.view.contents, self._save_new)
        self.app.push_screen(screen)

    def _save_new(
        self, wish: Wish, saved: Callable[[], None], refused: Callable[[str], None]
    ) -> None:
        def then(done: Done) -> None:
            saved()
            self._show_made(done)

        def stands_in_the_way(error: Exception) -> bool:
            refused("; ".join(filter(None, (line_of(str(error)), getattr(error, "do", "")))))
            return True

        doing = "update" if wish.updates is not None else "create"
        self.acts.run(Deed(doing, partial(_make, wish), then, refused=stands_in_the_way))
        if wish.updates is not None and wish.supersedes:
            verb = partial(verbs.supersede, old=wish.supersedes, new=wish.updates)
            self.acts.run(Deed("supersede", verb))

    def _show_made(self, done: Done) -> None:
        """The cursor goes to the new card; Esc leads back to its turns."""
        self.sessions_list.unmark(tuple(self.sessions_list.marks))
        key = done.result.items[0].partition(":")[2] if done.result.items else ""
        found = self.view.find(key) if self.view else None
        if found is not None:
            self._leave(self.here_label() or "turns")
            self.go_to_item(found)


def with_editor(work: Callable[[], T]) -> Callable[[], T]:
    """The work, in whose worker the editor's imports are done too: they are not needed at start."""

    def both() -> T:
        for name in ("draft", "offers"):
            import_module(f"memtui.tui.screens.{name}")
        return work()

    return both


def _make(wish: Wish, curator: Curator) -> ActResult:
    draft, records = wish.material.draft, wish.material.records
    from memtui.curate.rewrite import update

    if wish.updates is not None:
        return update(curator, wish.updates, draft, records)
    return verbs.create(curator, draft, records, supersedes=wish.supersedes)
