"""A finding with what helps and the items that it is about; a touched card with the changes."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.curate.rules.source import Finding
from memtui.index.touched import Touch
from memtui.reasons import ABSENT
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import (
    Blank,
    Block,
    Document,
    Fields,
    Heading,
    MarkdownText,
    Prose,
    document,
)
from memtui.tui.docs.health_rows import key_of_finding, severity_span
from memtui.tui.docs.item_rows import trust_span
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import ItemView


def finding_document(
    finding: Finding, items: Sequence[ItemView], repair: str, glyphs: Glyphs
) -> Document:
    """`repair` says what the repair key does here, "" where only a person can help."""
    sign, tone = severity_span(finding.severity, glyphs)
    rows: list[tuple[str, tuple[Span, ...]]] = [("rule", ((line_of(finding.rule, 60), "text"),))]
    if finding.path:
        line = f", line {finding.line}" if finding.line else ""
        rows.append(("file", ((f"{line_of(finding.path)}{line}", "text"),)))
    if finding.fix:
        rows.append(("what helps", ((line_of(finding.fix), "text"),)))
    if repair:
        rows.append(("one key", (("r", "key"), (f" {repair}", "text"))))
    blocks: list[Block] = [
        Prose(((f"{sign} {finding.severity}", tone),)),
        Prose(((line_of(finding.message, 2000), "strong"),)),
        Blank(),
        Fields(tuple(rows)),
    ]
    for item in items:
        blocks += [Blank(), *_item_blocks(item, glyphs)]
    return document(f"finding:{key_of_finding(finding)}", finding.rule, blocks)


def touched_document(view: ItemView, touches: Sequence[Touch], glyphs: Glyphs) -> Document:
    """The card, and every change of a file that it cites."""
    blocks: list[Block] = []
    for touch in touches:
        where = f"{touch.commit} {touch.day}" if touch.commit else "edited, not committed"
        blocks.append(Prose(((f"{where}  ", "muted"), (line_of(touch.path), "code"))))
    blocks += [Blank(), *_item_blocks(view, glyphs)]
    return document(f"touched:{view.item.id}", "touched", blocks)


def _item_blocks(view: ItemView, glyphs: Glyphs) -> list[Block]:
    """An item as one side of a finding: title, trust, states, text."""
    item = view.item
    dot = f" {glyphs.separator} "
    blocks: list[Block] = [
        Heading(((line_of(item.title or item.name), "title"),)),
        Prose((
            *trust_span(view, glyphs),
            (f"{dot}{view.layer} {item.id}{dot}{line_of(item.type, 30)}{dot}{item.status.value}", "muted"),
        )),
    ]  # fmt: skip
    for state in view.states:
        tone = "state-absent" if state.reason in ABSENT else "state-warn"
        cause = f": {line_of(state.cause)}" if state.cause else ""
        blocks.append(Prose(((f"{glyphs.warning} {state.reason}{cause}", tone),)))
    if item.body.strip():
        blocks.append(MarkdownText(body_of(item.body)))
    return blocks
