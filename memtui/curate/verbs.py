"""Every verb of the bank in one place: what screen and commands call.

Each takes a `Curator` first and returns an `ActResult`. All raise `CurateError` (with what to do),
`ConflictError` where a file changed meanwhile, and OSError; nothing is changed then.
"""

from memtui.curate.create import create, supersede
from memtui.curate.edit import begin_edit, edit
from memtui.curate.mend import mend_index, raise_line
from memtui.curate.merge import merge, merge_pages
from memtui.curate.pages import compile_cards, rebuild
from memtui.curate.revert import preview_revert, revert
from memtui.curate.sessions import hide_session
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
    "undo",
    "validated",
]
