"""Where an item comes from: who did what to it, when, from what, and who says that it is true."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.bank.model import Page
from memtui.clock import format_time
from memtui.curate.history import Entry
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Document, Heading, Prose, document
from memtui.tui.docs.spans import Line
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import ItemView

_APPROVE = ("confirm",)


def blame_document(view: ItemView, entries: Sequence[Entry], glyphs: Glyphs) -> Document:
    """The item's acts, newest first; `entries` are those that name it."""
    item = view.item
    blocks: list[Block] = [Prose(((line_of(item.title or item.name), "title"),)), Blank()]
    made = format_time(item.created) if item.created else "an unknown time"
    origin = " by ".join(filter(None, (item.origin, item.author))) or "nobody said from what"
    blocks.append(Prose((("made ", "muted"), (made, "text"), (f"  from {origin}", "text"))))
    blocks.append(Prose((("approved ", "muted"), *_approved(entries))))
    blocks += [Blank(), Heading(((f"{len(entries)} acts", "muted"),))]
    blocks += [Prose(tuple(_act(entry, glyphs))) for entry in entries]
    if not entries:
        blocks.append(Prose((("no act of memtui names it: written by a host or by hand", "text"),)))
    sources = list(item.sources) if isinstance(item, Page) else [one.ref for one in item.evidence]
    blocks += [Blank(), Heading((("made from", "muted"),))]
    blocks += [Prose(((line_of(source, 200), "text"),)) for source in sources]
    if not sources:
        blocks.append(Prose((("nothing is cited", "muted"),)))
    return document(f"blame:{item.id}", "blame", blocks)


def _approved(entries: Sequence[Entry]) -> Line:
    """Who confirmed it, each once, newest first."""
    people: dict[str, str] = {}
    for entry in entries:
        if entry.verb in _APPROVE and not entry.undone and entry.by == "human":
            people.setdefault(entry.writer, format_time(entry.at))
    if not people:
        return [("by nobody yet; c confirms", "warn")]
    told = ", ".join(f"by {line_of(who, 40)} at {when}" for who, when in people.items())
    return [(told, "ok")]


def _act(entry: Entry, glyphs: Glyphs) -> Line:
    who = "outside memtui" if entry.external else f"{line_of(entry.writer, 40)} ({entry.by})"
    line: Line = [
        (f"{format_time(entry.at)}  ", "faint"),
        (entry.verb, "state-absent" if entry.undone else "strong"),
        (f"  {who}", "muted"),
    ]
    rule = next((str(e.data["rule"]) for e in entry.events if e.data.get("rule")), "")
    for text in filter(None, (rule and f"drafted from: {rule}", entry.reason)):
        line.append((f"  {line_of(text, 200)}", "text"))
    if entry.undone:
        line.append((f"  {glyphs.gone} undone", "state-absent"))
    return line
