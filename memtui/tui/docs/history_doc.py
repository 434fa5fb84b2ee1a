"""One act as a document, what taking it back would change, and a file as it was."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.curate.act import Conflict
from memtui.curate.history import AsOf, Entry
from memtui.curate.hunks import unified
from memtui.curate.revert import RevertPlan
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import (
    Blank,
    Block,
    DiffText,
    Document,
    Fields,
    Heading,
    Prose,
    Raw,
    document,
)
from memtui.tui.docs.history_rows import TONES, title_of
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import full, milliseconds


def entry_document(entry: Entry, diffs: Mapping[str, str] | None, glyphs: Glyphs) -> Document:
    """Who did what, when and why, and the lines that changed; `diffs` None while they are read."""
    tone = TONES.get(entry.verb, "accent")
    blocks: list[Block] = [
        Prose(((line_of(entry.verb, 20), tone), ("  ", ""), (title_of(entry), "title"))),
    ]
    if entry.undone:
        blocks.append(Prose(((f"{glyphs.warning} taken back later", "state-warn"),)))
    blocks += [Blank(), Fields(tuple(_fields(entry))), Blank()]
    blocks.append(Heading((("what changed", "muted"),)))
    if diffs is None:
        blocks.append(Prose((("reading", "faint"),)))
    elif not diffs:
        blocks.append(Prose(((_without_diff(entry), "muted"),)))
    else:
        blocks += diff_blocks(diffs)
    return document(f"act:{entry.act}", entry.verb, blocks)


def diff_blocks(diffs: Mapping[str, str]) -> list[Block]:
    """Diffs by path; the path stands above each."""
    blocks: list[Block] = []
    for path, text in diffs.items():
        if blocks:
            blocks.append(Blank())
        lines = _without_head(body_of(text).split("\n"))
        blocks.append(Prose(((line_of(path), "strong"),)))
        blocks.append(DiffText("\n".join(lines)) if lines else Prose((("no lines", "faint"),)))
    return blocks


def revert_document(plan: RevertPlan, glyphs: Glyphs) -> Document:
    """What taking the act back would change now, and what stands in its way."""
    title = line_of(plan.title) or " ".join(line_of(item, 60) for item in plan.items[:3])
    blocks: list[Block] = [
        Prose(((f"take back {line_of(plan.verb, 20)}: ", "text"), (title, "strong"))),
        Blank(),
    ]
    if plan.note:
        blocks.append(Prose(((line_of(plan.note), "state-warn"),)))
    if not plan.changes and not plan.conflicts:
        blocks.append(Prose((("no file changes; the act just no longer counts", "text"),)))
    blocks += diff_blocks(plan.diffs)
    for conflict in plan.conflicts:
        blocks += _conflict_blocks(conflict, glyphs)
    return document(f"revert:{plan.act}", "revert", blocks)


def as_of_document(found: AsOf, now: bytes | None, when: str, glyphs: Glyphs) -> Document:
    """A file as it was, and how it differs from now."""
    blocks: list[Block] = [Prose(((line_of(found.path), "title"),))]
    if not found.exact:
        told = "no act of this ledger covers that moment: this is the nearest text that is known"
        blocks.append(Prose(((f"{glyphs.warning} {told}", "state-warn"),)))
    if found.data is None:
        blocks.append(Prose(((f"did not exist on {when}", "muted"),)))
        return document(f"asof:{found.path}", "as of", blocks)
    blocks += [Blank(), Raw(_text(found.data)), Blank(), Heading((("since then", "muted"),))]
    if now == found.data:
        blocks.append(Prose((("unchanged", "muted"),)))
    elif now is None:
        blocks.append(Prose((("the file is gone", "state-absent"),)))
    else:
        blocks += diff_blocks({found.path: unified(found.data, now, found.path)})
    return document(f"asof:{found.path}", "as of", blocks)


def _fields(entry: Entry) -> list[tuple[str, tuple[Span, ...]]]:
    rows: list[tuple[str, tuple[Span, ...]]] = []

    def add(label: str, text: str, tone: str = "text") -> None:
        if text:
            rows.append((label, ((text, tone),)))

    add("when", full(milliseconds(entry.at)))
    by = f" ({line_of(entry.by, 20)})" if entry.by and entry.by != "human" else ""
    outside = "  made outside memtui" if entry.external else ""
    add("writer", f"{line_of(entry.writer, 80)}{by}{outside}")
    add("reason", line_of(entry.reason))
    add("about", line_of(entry.about, 60))
    add("items", "  ".join(line_of(item, 60) for item in entry.items))
    add("act", line_of(entry.act, 60), "faint")
    return rows


def _without_diff(entry: Entry) -> str:
    if entry.verb == "purge":
        return "a purge keeps no bytes, and cannot be undone"
    if entry.events and all(event.kind == "verdict" for event in entry.events):
        return "no file: a verdict is an event"
    return "no file, or nobody kept its bytes"


def _conflict_blocks(conflict: Conflict, glyphs: Glyphs) -> list[Block]:
    """The texts of a file that was changed since: now, before the act, after it."""
    blocks: list[Block] = [
        Blank(),
        Prose((
            (f"{glyphs.warning} {line_of(conflict.path)}", "error"),
            (" was changed since, in the same place", "text"),
        )),
    ]  # fmt: skip
    for name, data in (("as it is now", conflict.theirs), ("as the act found it", conflict.ours)):
        blocks.append(Heading(((name, "muted"),)))
        blocks.append(Raw(_text(data)) if data is not None else Prose((("no file", "muted"),)))
    return blocks


def _text(data: bytes) -> str:
    return body_of(data.decode("utf-8", "replace"))


def _without_head(lines: list[str]) -> list[str]:
    """The lines of a diff without `--- path` and `+++ path`: the path stands above it already."""
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        return lines[2:]
    return lines
