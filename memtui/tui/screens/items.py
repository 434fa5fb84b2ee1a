"""What can be done with the thing under the cursor: copy, ask why."""

from __future__ import annotations

from contextlib import suppress

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.preview_rows import handle_of
from memtui.tui.docs.spans import clip
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.walk import WalkPart
from memtui.tui.trail import ItemSubject
from memtui.workspace.model import ItemView
from memtui.workspace.session_tools import ToolError


class ItemsPart(WalkPart):
    """Yank and why."""

    def item_here(self) -> ItemView | None:
        """The card or page that the focused pane is about."""
        if self.view is None:
            return None
        if self.focused is self.cards_list or self.focused is self.pages_list:
            return self.view.find(str(self.focused.key)) if self.focused.key is not None else None
        if self.focused is self.preview_list:
            return self.view.find(handle_of(self.preview_list.key))
        if self.focused is not self.sessions_list and isinstance(self.subject, ItemSubject):
            return self.view.find(self.subject.id)
        return None

    def action_why(self) -> None:
        """Why the item is shown or held back next time."""
        found = self.item_here()
        if found is None:
            self.say("w asks about a card or page: put the cursor on one")
            return
        self.ask_why(found)

    def action_yank(self) -> None:
        """Choose what to copy."""
        texts = self._texts()
        if not texts:
            self.say("there is nothing to copy here")
            return
        choices = [
            Choice(name, name, self._short(text), key=key) for name, (key, text) in texts.items()
        ]

        def chosen(name: str | None) -> None:
            if name is not None:
                text = texts[name][1]
                self.memtui.copy_text(text, f"{name}: {self._short(text)}")

        self.app.push_screen(MenuScreen("Copy", choices), chosen)

    def _texts(self) -> dict[str, tuple[str, str]]:
        """What can be copied: name to (key, text)."""
        found = self.item_here()
        if found is not None:
            item = found.item
            return {
                "id": ("i", item.id),
                "name": ("n", item.name),
                "title": ("t", item.title),
                "text": ("x", item.body),
                "path": ("p", str(item.path)),
            }
        row = self.timeline_row()
        if row is None:
            return {}
        texts = {"reference": ("r", row.ref), "session id": ("i", row.session.id)}
        with suppress(ToolError):
            texts["resume command"] = ("m", self.core.session_tools.resume(row.session))
        shown = self.detail_pane.text.text
        if shown.strip():
            texts["text"] = ("x", shown)
        return texts

    def _short(self, text: str) -> str:
        """The first line of a text; a path as it lies in the bank."""
        line = text.strip().split("\n", 1)[0]
        root = self.core.bank_root
        if root is not None and line.startswith(f"{root}/"):
            line = line.removeprefix(f"{root}/")
        return clip(line_of(line), 48, self.glyphs.ellipsis)
