"""What an event keeps of the files that its act changed, so that anybody can see and revert it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memtui.curate.act import FileChange, digest
from memtui.curate.curator import Curator
from memtui.curate.files import is_item
from memtui.curate.hunks import dump, hunks, text_of

FILES = "files"
"""Key in an event's data: per path the digests before and after, and the changed lines."""


def file_data(curator: Curator, changes: Sequence[FileChange]) -> dict[str, Any]:
    """Digests, and lines where the file existed before and after: a new file is in the bank itself."""
    kept: dict[str, Any] = {}
    for change in changes:
        if is_item(curator, change.path) and change.base != change.new:
            entry: dict[str, Any] = {"before": digest(change.base), "after": digest(change.new)}
            if change.base is not None and change.new is not None:
                entry["lines"] = dump(hunks(text_of(change.base), text_of(change.new)))
            kept[change.path] = entry
    return {FILES: kept} if kept else {}
