"""The palette: every action by name, the themes, and every card and page by title."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from memtui.tui.actions import ACTIONS, Action
from memtui.tui.docs.clean import line_of

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

_CANDIDATES = 2000
"""Titles that the fuzzy matcher is given at most: it takes 5 ms for a thousand."""


class ActionCommands(Provider):
    """The actions of the registry and the themes."""

    @property
    def _memtui(self) -> MemtuiApp:
        return cast("MemtuiApp", self.app)

    def _entries(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        app = self._memtui
        for action in ACTIONS:
            if action.palette and self._is_possible(action):
                keys = app.keymap.all_shown(action, app.ascii_only)
                yield action.help, f"{action.group}  {keys}", partial(app.run_by_id, action.id)
        for name, title in app.theme_titles.items():
            yield f"Theme: {title}", name, partial(app.choose_theme, name)

    def _is_possible(self, action: Action) -> bool:
        """Whether the view that is shown knows the action: each has keys of its own."""
        target, _, name = action.run.partition(".")
        return target != "screen" or hasattr(self.screen, f"action_{name.partition('(')[0]}")

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for text, note, run in self._entries():
            yield DiscoveryHit(text, run, help=note)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for text, note, run in self._entries():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), run, help=note)


class ItemCommands(Provider):
    """Cards and pages by title, from every view: Enter goes there."""

    async def search(self, query: str) -> Hits:
        """Titles that hold a word of the query, then matched fuzzily."""
        app = cast("MemtuiApp", self.app)
        browse = app.find_browse()
        view = browse.view if browse is not None else None
        if view is None:
            return
        words = query.casefold().split()
        matcher = self.matcher(query)
        tried = 0
        for found in (*view.pages, *view.cards):
            title = line_of(found.item.title or found.item.name, 120)
            if not all(word[:2] in title.casefold() for word in words):
                continue
            tried += 1
            if tried > _CANDIDATES:
                return
            score = matcher.match(title)
            if score > 0:
                help_text = f"Go to this {found.layer}"
                shown = matcher.highlight(title)
                yield Hit(score, shown, partial(app.go_to_item, found), help=help_text)
