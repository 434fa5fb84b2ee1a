"""Every verb of the bank in one place: what screen and commands call.

Each takes a `Curator` first and returns an `ActResult`. All raise `CurateError` (with what to do),
`ConflictError` where a file changed meanwhile, and OSError; nothing is changed then. A verb is imported
when it is first asked for: the screen shows a bank long before anybody acts on it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.curate.create import create, supersede
    from memtui.curate.edit import begin_edit, edit
    from memtui.curate.mend import mend_index, raise_line
    from memtui.curate.merge import merge, merge_pages
    from memtui.curate.pages import compile_cards, rebuild
    from memtui.curate.revert import preview_revert, revert
    from memtui.curate.sessions import hide_session, tag_session
    from memtui.curate.status import demote, pin, promote
    from memtui.curate.undo import redo, undo
    from memtui.curate.verdicts import confirm, flag, validated

__all__ = [
    "begin_edit",
    "compile_cards",
    "confirm",
    "create",
    "demote",
    "edit",
    "flag",
    "hide_session",
    "mend_index",
    "merge",
    "merge_pages",
    "pin",
    "preview_revert",
    "promote",
    "raise_line",
    "rebuild",
    "redo",
    "revert",
    "supersede",
    "tag_session",
    "undo",
    "validated",
]

_MODULES = {
    "create": ("create", "supersede"),
    "edit": ("begin_edit", "edit"),
    "mend": ("mend_index", "raise_line"),
    "merge": ("merge", "merge_pages"),
    "pages": ("compile_cards", "rebuild"),
    "revert": ("preview_revert", "revert"),
    "sessions": ("hide_session", "tag_session"),
    "status": ("demote", "pin", "promote"),
    "undo": ("redo", "undo"),
    "verdicts": ("confirm", "flag", "validated"),
}
_WHERE = {verb: module for module, verbs in _MODULES.items() for verb in verbs}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"there is no verb {name!r}")
    found = globals()[name] = getattr(import_module(f"memtui.curate.{_WHERE[name]}"), name)
    return found
