"""Beginning a bank where a project has none: asked for, or because an act needs one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.docs.clean import homely, line_of
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.reading import ReadingPart

if TYPE_CHECKING:
    from memtui.workspace.beginning import Beginning

_KEYS = {"own": "o", "shared": "s", "host": "c"}
_MENU, _EDGES = 52, 9
"""Cells of the menu at most, and those of it that are neither label nor path."""


class BeginningPart(ReadingPart):
    """Asks where the bank shall lie, makes it, reads it, and goes on with what was to be done."""

    _then: Callable[[], None] | None = None

    def action_begin_bank(self) -> None:
        """Begin a bank for this project."""
        if self.core.bank_root is None:
            self.with_bank(lambda: None)
        else:
            self.say(f"this project has a bank: {line_of(str(self.core.bank_root))}")

    def with_bank(self, then: Callable[[], None]) -> None:
        """Call `then` once there is a bank that was read."""
        if self.view is not None:
            then()
        elif self.core.bank_root is not None:
            self.say("the bank is still being read")
        else:
            places = self.core.beginnings
            ask = partial(self._ask_where, then)
            self.jobs.run("begin", "looking for a place", places, ask)

    def _ask_where(self, then: Callable[[], None], places: tuple[Beginning, ...]) -> None:
        if not places:
            self.say("this folder is no project: start memtui where your agent works", "warning")
            return
        longest = max(len(at.what) for at in places)
        room = max(12, min(_MENU, self.app.size.width) - _EDGES - longest)
        choices = [
            Choice(
                at.kind, at.what, _short(path, room, self.glyphs.ellipsis), _KEYS.get(at.kind, "")
            )
            for at in places
            for path in [line_of(homely(at.path, self.core.home))]
        ]

        def chosen(kind: str | None) -> None:
            at = next((at for at in places if at.kind == kind), None)
            if at is not None:
                self._then = then
                work = partial(self.core.begin, at)
                self.jobs.run("begin", "beginning a bank", work, self._begun, self._not_begun)

        title = "No bank yet: where shall it lie?"
        self.app.push_screen(MenuScreen(title, choices), chosen)

    def _begun(self, root: Path) -> None:
        self.say(f"a bank was begun: {line_of(str(root))}")
        self.listen()
        self.reload_bank()
        self._welcome()

    def _not_begun(self, error: Exception) -> None:
        self._then = None
        do = getattr(error, "do", "") or f"{self.key_of('begin-bank')} tries again"
        self.say(f"no bank was begun: {line_of(str(error))}; {do}", "error")

    def watch_view(self) -> None:
        """A bank was read: every pane looks at it, then what waited for it is done."""
        super().watch_view()
        if self._then is not None and self.view is not None:
            then, self._then = self._then, None
            self.call_after_refresh(then)


def _short(path: str, room: int, ellipsis: str) -> str:
    """The path, its front cut where there is no room."""
    return path if len(path) <= room else ellipsis + path[1 - room :]
