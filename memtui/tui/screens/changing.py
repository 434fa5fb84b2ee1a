"""Editing what exists: in the user's editor or inline; checked before it is saved, never lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memtui.bank.model import Card, Item, Page
from memtui.curate import verbs
from memtui.curate.act import ActResult, ConflictError, CurateError, Resolution
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.editing import edit_bytes
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.promoting import PromotingPart, with_editor
from memtui.tui.services import ServiceError

if TYPE_CHECKING:
    from memtui.curate.curator import Curator
    from memtui.tui.wish import Wish
    from memtui.workspace.curating import Done
    from memtui.workspace.model import ItemView

Begun = tuple[Card | Page, bytes]
"""An item as its file is now, and the file's bytes."""


class ChangingPart(PromotingPart):
    """`e` and `E`."""

    def action_edit(self) -> None:
        """Open the file's text in the user's editor."""
        found = self.item_here()
        if found is None:
            self.say("e edits a card or page: put the cursor on one")
        else:
            self.edit_item(found)

    def edit_item(self, found: ItemView) -> None:
        """Open the text of a card or page in the user's editor."""
        self._begin(found, self._in_editor)

    def action_edit_inline(self) -> None:
        """Edit fields and text here."""
        found = self.item_here()
        if found is None:
            self.say("E edits a card or page: put the cursor on one")
        else:
            self._begin(found, self._inline)

    def _begin(self, found: ItemView, use: Callable[[Begun], None]) -> None:
        item = found.item

        def work() -> Begun:
            with self.core.curating.curator() as curator:
                return item, verbs.begin_edit(curator, item)

        self.jobs.run("edit", "reading the file", with_editor(work), use, self._cannot_edit)

    def _cannot_edit(self, error: Exception) -> None:
        self.say(f"cannot be edited: {line_of(str(error))}; R reads the bank again", "warning")

    # In the editor

    def _in_editor(self, begun: Begun) -> None:
        item, base = begun
        self._through_editor(item, base, base)

    def _through_editor(self, item: Item, base: bytes, text: bytes) -> None:
        """Let the editor change `text`; what it gives back is saved over `base`."""
        try:
            new = edit_bytes(self.memtui, text, item.path.name)
        except ServiceError as error:
            self.say(str(error), "error")
            return
        if new == base:
            self.say("nothing was changed")
            return
        refused = partial(self._edit_refused, item, base, new)
        self.acts.run(
            Deed("edit", lambda curator: verbs.edit(curator, item, base, new), refused=refused)
        )

    def _edit_refused(self, item: Item, base: bytes, new: bytes, error: Exception) -> bool:
        """Offer a text that was not saved again, whatever stood in its way."""
        if isinstance(error, ConflictError):
            self.show_conflict(_overwriting(item, error), error)
            return True
        from memtui.curate.edit import EditError

        problems = error.problems if isinstance(error, EditError) else ()
        told = [problem.message for problem in problems] or [str(error)]
        self.say(f"not saved: {line_of('; '.join(told))}", "warning")
        choices = [
            Choice("again", "edit it again", key="e"),
            Choice("copy", "copy the text, and leave the file as it was", key="y"),
            Choice("discard", "leave the file as it was", key="d"),
        ]

        def chosen(name: str | None) -> None:
            if name == "copy":
                self.memtui.copy_text(new.decode("utf-8", "replace"), "the text that was not saved")
            elif name != "discard":
                self._through_editor(item, base, new)

        self.app.push_screen(MenuScreen(f"Not saved: {line_of(told[0], 40)}", choices), chosen)
        return True

    # Inline

    def _inline(self, begun: Begun) -> None:
        from memtui.curate.rewrite import draft_of
        from memtui.tui.screens.draft import DraftScreen
        from memtui.tui.screens.draft_fields import is_plain
        from memtui.workspace.drafting import Material

        item, base = begun
        draft = draft_of(item)
        if self.view is None:
            return
        if not is_plain(draft):
            self.say("its text holds what only an editor keeps as it is: e opens one", "warning")
            return
        title = f"Edit {item.name}"
        save = partial(self._save_inline, item, base)
        screen = DraftScreen(title, Material(draft, ()), self.view.contents, save, edited=item)
        self.app.push_screen(screen)

    def _save_inline(
        self,
        item: Card | Page,
        base: bytes,
        wish: Wish,
        saved: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        from memtui.curate.rewrite import rewritten

        def verb(curator: Curator) -> ActResult:
            new = rewritten(item.path.name, base, item, wish.material.draft)
            return verbs.edit(curator, item, base, new)

        def then(_: Done) -> None:
            saved()

        def stands_in_the_way(error: Exception) -> bool:
            if isinstance(error, ConflictError):
                refused("the file changed meanwhile: choose a text")
                self.show_conflict(replace(_overwriting(item, error), then=then), error)
            else:
                do = error.do if isinstance(error, CurateError) else ""
                refused("; ".join(filter(None, (line_of(str(error)), do))))
            return True

        self.acts.run(Deed("edit", verb, then, refused=stands_in_the_way))
        if wish.supersedes:
            self.acts.run(
                Deed("supersede", partial(verbs.supersede, old=wish.supersedes, new=item))
            )


def _overwriting(item: Item, error: ConflictError) -> Deed:
    """The same edit on top of what stands there now, with the text that a person chooses."""
    theirs = {conflict.path: conflict.theirs for conflict in error.conflicts}

    def resolved(curator: Curator, chosen: Resolution) -> ActResult:
        path = curator.relative(item.path)
        base, new = theirs.get(path), chosen.get(path)
        if base is None or new is None:
            raise CurateError(f"{path} is gone", "make a new card of the text")
        return verbs.edit(curator, item, base, new)

    return Deed("edit", lambda curator: resolved(curator, {}), resolved=resolved)
