"""Every key, searchable; Enter runs the one under the cursor."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from memtui.tui.actions import ACTIONS, Action
from memtui.tui.docs.spans import Line, clip_line, fit
from memtui.tui.glyphs import Glyphs, glyphs_of
from memtui.tui.keys import KeyMap
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.line_list import LineList

_KEYS = 13
_COMMON = {"app", "browse", "view", "list"}
"""Scopes that say nothing of where one is."""


class HelpScreen(Overlay[str]):
    """Gives back the id of the action to run, or None. `here` are the scopes of the focused pane."""

    CSS_PATH = "help.tcss"
    BINDINGS = [
        Binding("escape", "back", "close", id="help-close", show=False, priority=True),
        Binding("down", "step(1)", "down", id="help-down", show=False, priority=True),
        Binding("up", "step(-1)", "up", id="help-up", show=False, priority=True),
        Binding(
            "pagedown", "step(10)", "page down", id="help-page-down", show=False, priority=True
        ),
        Binding("pageup", "step(-10)", "page up", id="help-page-up", show=False, priority=True),
    ]

    def __init__(self, keymap: KeyMap, here: frozenset[str], ascii_only: bool) -> None:
        super().__init__()
        self._keymap = keymap
        self._here = here
        self._ascii = ascii_only

    def compose(self) -> ComposeResult:
        """A search line above the list."""
        with Vertical(id="help-box"):
            yield Input(placeholder="search keys", id="help-search", compact=True)
            yield LineList(id="help-list", markable=False)

    def on_mount(self) -> None:
        """Show all keys, those of this pane first."""
        box = self.query_one("#help-box")
        box.border_title = Content("Keys")
        box.border_subtitle = Content("enter runs  esc closes")
        self._fill("")
        self.set_focus(self.query_one(Input))

    def _fill(self, words: str) -> None:
        glyphs = glyphs_of(self.app)
        found = [action for action in ACTIONS if self._matches(action, words.lower().split())]
        groups = list(dict.fromkeys(action.group for action in found))
        groups.sort(key=lambda group: self._nearness([a for a in found if a.group == group]))
        rows: list[Row] = []
        for group in groups:
            rows.append(Row(("group", group), partial(_group_line, group, glyphs)))
            for action in found:
                if action.group == group:
                    keys = self._keymap.all_shown(action, self._ascii)
                    usable = bool(self._scopes(action))
                    rows.append(Row(action.id, partial(_action_line, action, keys, usable, glyphs)))
        listed = self.query_one(LineList)
        listed.say([[("no key does that", "muted")]])
        listed.show(FixedRows(rows), keep=False)
        listed.go(1)

    def _matches(self, action: Action, words: list[str]) -> bool:
        keys = self._keymap.all_shown(action, self._ascii)
        text = f"{action.label} {action.help} {action.group} {action.id}".lower()
        return all(word in text or word in keys.split() for word in words)

    def _nearness(self, group: list[Action]) -> tuple[float, bool]:
        """First what is mostly of this pane or view, then what works here, then the rest."""
        own = sum(bool((self._here - _COMMON).intersection(action.scopes)) for action in group)
        near = any((self._here - {"app", "browse"}).intersection(a.scopes) for a in group)
        return -own / len(group) if own > len(group) / 2 else 0.0, not near

    def _scopes(self, action: Action) -> frozenset[str]:
        return (self._here | {"app", "browse"}).intersection(action.scopes)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._run(self.query_one(LineList).key)

    @on(LineList.Chosen)
    def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self._run(message.key)

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()

    def _run(self, key: object) -> None:
        if isinstance(key, str):
            self.leave(key)

    def action_open(self) -> None:
        """Run the row under the cursor."""
        self._run(self.query_one(LineList).key)

    def action_step(self, step: int) -> None:
        """Move in the list while typing."""
        self.query_one(LineList).action_move(step)


def _group_line(group: str, glyphs: Glyphs, width: int) -> Line:
    return [(group, "heading"), (" ", ""), (glyphs.rule * max(0, width - len(group) - 2), "faint")]


def _action_line(action: Action, keys: str, usable: bool, glyphs: Glyphs, width: int) -> Line:
    tone = "text" if usable else "muted"
    line: Line = [
        (fit(keys, _KEYS, glyphs.ellipsis, right=True), "key"),
        ("  ", ""),
        (action.help, tone),
    ]
    return clip_line(line, width, glyphs.ellipsis)
