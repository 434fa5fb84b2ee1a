"""The key map: what the settings remap, and how a key is written on screen."""

from __future__ import annotations

from collections.abc import Mapping

from textual.keys import key_to_character

from memtui.tui.actions import BY_ID, Action

_NAMES = {
    "enter": "⏎",
    "escape": "esc",
    "space": "space",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "tab": "tab",
    "at": "@",
    "slash": "/",
    "backslash": "\\",
    "minus": "-",
    "plus": "+",
    "underscore": "_",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}

_ASCII_NAMES = {"enter": "enter", "up": "up", "down": "down", "left": "left", "right": "right"}


def written(key: str, ascii_only: bool = False) -> str:
    """A key as people write it: `slash` is `/`, `ctrl+p` is `^p`."""
    key = key.strip()
    if ascii_only and key in _ASCII_NAMES:
        return _ASCII_NAMES[key]
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        return f"^{written(key.removeprefix('ctrl+'), ascii_only)}"
    if key.startswith("shift+"):
        return f"S-{written(key.removeprefix('shift+'), ascii_only)}"
    return key_to_character(key) or key


class KeyMap:
    """The keys of each action after the user's settings. Unknown ids are kept apart, to be said."""

    def __init__(self, remapped: Mapping[str, str] | None = None) -> None:
        remapped = remapped or {}
        self.keymap = {name: keys for name, keys in remapped.items() if name in BY_ID}
        self.unknown = tuple(sorted(set(remapped) - set(BY_ID)))

    def keys(self, action: Action) -> tuple[str, ...]:
        """All keys of an action."""
        return tuple(self.keymap.get(action.id, action.keys).split(","))

    def shown(self, action: Action, ascii_only: bool = False) -> str:
        """The first key of an action, as written."""
        return written(self.keys(action)[0], ascii_only)

    def all_shown(self, action: Action, ascii_only: bool = False) -> str:
        """All keys of an action, as written."""
        return " ".join(written(key, ascii_only) for key in self.keys(action))
