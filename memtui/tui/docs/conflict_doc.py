"""The three texts of a file in conflict: what each changed in their common origin, and the whole."""

from __future__ import annotations

import difflib

from memtui.curate.act import Conflict
from memtui.curate.hunks import merge, text_of
from memtui.tui.docs.clean import body_of
from memtui.tui.docs.document import Blank, Block, DiffText, Document, Heading, Prose, Raw, document

NAMES = ("now", "wanted", "before")
TITLES = {
    "now": "as it is now",
    "wanted": "as it would become",
    "before": "as it was left before",
}


def conflict_document(conflict: Conflict, which: str) -> Document:
    """One of the three texts, `now`, `wanted` or `before`: what it changed first, then all of it."""
    data = {"now": conflict.theirs, "wanted": conflict.ours, "before": conflict.base}[which]
    blocks: list[Block] = [Heading(((TITLES[which], "heading"),))]
    if data is None:
        blocks.append(Prose((("no file", "state-absent"),)))
        return document(f"conflict:{conflict.path}:{which}", which, blocks)
    if which != "before" and conflict.base is not None:
        changes = _changes(_shown(conflict.base), _shown(data))
        blocks += [changes, Blank(), Heading((("the whole text", "muted"),))]
    blocks.append(Raw(_shown(data) or "(empty)"))
    return document(f"conflict:{conflict.path}:{which}", which, blocks)


def _changes(before: str, after: str) -> Block:
    rows = difflib.unified_diff(before.split("\n"), after.split("\n"), n=1, lineterm="")
    diff = list(rows)[2:]
    return DiffText("\n".join(diff)) if diff else Prose((("no change", "muted"),))


def _shown(data: bytes) -> str:
    return body_of(text_of(data)).rstrip("\n")


def joined(conflict: Conflict) -> bytes:
    """What an editor begins with: both changes where they do not touch, else both sides between marks."""
    now, wanted, base = conflict.theirs, conflict.ours, conflict.base
    if now is None or wanted is None:
        return (wanted if now is None else now) or b""
    made = merge(base, wanted, now) if base is not None else None
    if made is not None:
        return made
    ends = [part if part.endswith(b"\n") else part + b"\n" for part in (now, wanted)]
    return b"<<<<<<< now\n" + ends[0] + b"=======\n" + ends[1] + b">>>>>>> wanted\n"
