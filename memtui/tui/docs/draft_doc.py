"""What the editor of a card shows beside its fields: warnings, citations, and an item that is close."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from memtui.bank.model import Evidence, Item
from memtui.curate.draft import Draft
from memtui.curate.lint import DraftWarning
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import (
    Blank,
    Block,
    Document,
    Fields,
    Heading,
    MarkdownText,
    Prose,
    Raw,
    document,
)
from memtui.tui.docs.item_rows import letter
from memtui.tui.docs.spans import Line, Span, clip, clip_line, wrap
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row


def warning_lines(
    warnings: Sequence[DraftWarning], width: int, most: int, glyphs: Glyphs
) -> list[Line]:
    """The warnings, near items first, wrapped into at most `most` lines; what has no room is counted."""
    if not warnings:
        return [[(f"{glyphs.verified} nothing to object", "ok")]]
    ranked = sorted(warnings, key=lambda warning: not warning.near)
    whole = [line for warning in ranked for line in _wrapped(warning, width, glyphs)]
    if len(whole) <= most:
        return whole
    lines: list[Line] = []
    for warning in ranked[:most]:
        text = clip(line_of(warning.message), width - 2, glyphs.ellipsis)
        lines.append([(f"{glyphs.warning} ", "warn"), (text, "text")])
    more = len(ranked) - most
    if more > 0:
        lines[-1] = [(f"{glyphs.warning} ", "warn"), (f"{more + 1} more warnings", "text")]
    return lines


def _wrapped(warning: DraftWarning, width: int, glyphs: Glyphs) -> list[Line]:
    sign: Line = [(f"{glyphs.warning} ", "warn")]
    return wrap([*sign, (line_of(warning.message), "text")], width, [("  ", "")])


def cited_rows(evidence: Sequence[Evidence], read: Collection[str], glyphs: Glyphs) -> list[Row]:
    """The citations of a draft; those in `read` were read just now. Keys are their references."""
    return [
        Row(one.ref, partial(_cited_row, index, one, one.ref in read, glyphs))
        for index, one in enumerate(evidence)
    ]


def _cited_row(index: int, cited: Evidence, read: bool, glyphs: Glyphs, width: int) -> Line:
    """`a ✓ "no connection within 30s"`; without the sign where the record could not be read."""
    sealed = read or bool(cited.record)
    sign: Span = (glyphs.verified, "ok") if sealed else (glyphs.unsealed, "state-warn")
    quote = f"{glyphs.left_quote}{line_of(cited.quote)}{glyphs.right_quote}"
    words = quote if cited.quote else line_of(cited.ref.rpartition("#")[2])
    left: Line = [(f"{letter(index)} ", "key"), sign, (" ", ""), (words, "text")]
    return clip_line(left, width, glyphs.ellipsis)


def cited_document(evidence: Evidence, text: str) -> Document:
    """The cited record."""
    blocks: list[Block] = [Raw(line_of(evidence.ref, 1000), "faint"), Blank()]
    if text:
        blocks.append(Raw(body_of(text)))
    elif evidence.quote:
        blocks.append(Raw(body_of(evidence.quote)))
    else:
        blocks.append(Prose((("the record cannot be read; it is cited without a seal", "muted"),)))
    return document(f"cited:{evidence.ref}", "cited", blocks)


def compared(name: str, title: str, body: str, about: Draft | Item) -> Document:
    """One side of a comparison."""
    scope = " ".join(filter(None, (about.scope.branch or "", *about.scope.paths)))
    rows = [("type", about.type), ("tags", " ".join(about.tags)), ("paths", scope)]
    rows.append(("evidence", f"{len(about.evidence)} records"))
    fields = tuple((label, ((line_of(text), "text"),)) for label, text in rows if text)
    blocks: list[Block] = [
        Heading(((line_of(name), "heading"),)),
        Prose(((line_of(title), "title"),)),
        Blank(),
        MarkdownText(body_of(body)),
        Blank(),
        Fields(fields),
    ]
    return document(f"compared:{name}:{title}", name, blocks)
