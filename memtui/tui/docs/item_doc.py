"""A card or a page as a document."""

from __future__ import annotations

from memtui.bank.model import Card, Page
from memtui.clock import format_time
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
from memtui.tui.docs.item_rows import trust_span
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import days
from memtui.workspace.model import ItemView


def item_document(view: ItemView, glyphs: Glyphs) -> Document:
    """Title, trust and state first, then the text, then where it comes from."""
    item = view.item
    title = line_of(item.title or item.name)
    blocks: list[Block] = [Prose(((title, "title"),)), Prose(_summary(view, glyphs))]
    for state in view.states:
        tone = "state-absent" if state.reason in ABSENT else "state-warn"
        said = line_of(state.cause)
        repeated = said.startswith(f"{state.reason} ")
        cause = said.removeprefix(state.reason) if repeated else f"  {said}"
        blocks.append(Prose(((f"{glyphs.warning} {state.reason}", tone), (cause, "muted"))))
    for problem in item.problems:
        where = f" (line {problem.line})" if problem.line is not None else ""
        blocks.append(Prose(((f"{glyphs.error} {line_of(problem.message)}{where}", "error"),)))
    blocks.append(Blank())
    if item.body.strip():
        blocks.append(MarkdownText(body_of(item.body)))
    else:
        blocks.append(Prose((("no text", "faint"),)))
    blocks += [Blank(), Heading((("about", "muted"),)), Fields(tuple(_fields(view, glyphs)))]
    return document(f"{view.layer}:{item.id}", title, blocks)


def _summary(view: ItemView, glyphs: Glyphs) -> tuple[Span, ...]:
    """`● 0.92 confirmed · pitfall · active · 12w old`."""
    item = view.item
    dot = f" {glyphs.separator} "
    spans = [*trust_span(view, glyphs)]
    spans.append((f" {view.trust.tier.value}", spans[0][1]))
    spans.append(
        (f"{dot}{item.type}{dot}{item.status.value}{dot}{days(view.age_days)} old", "muted")
    )
    if item.pinned:
        spans.append((f"{dot}{glyphs.pinned} pinned", "accent"))
    return tuple(spans)


def _fields(view: ItemView, glyphs: Glyphs) -> list[tuple[str, tuple[Span, ...]]]:
    item = view.item
    rows: list[tuple[str, tuple[Span, ...]]] = []

    def add(label: str, text: str, tone: str = "text") -> None:
        if text:
            rows.append((label, ((line_of(text), tone),)))

    add("id", f"{item.id}{'  (the file carries none)' if item.assigned else ''}")
    add("name", item.name)
    add("tags", " ".join(item.tags))
    scope = [item.scope.project or "", item.scope.branch or "", *item.scope.paths]
    add("scope", "  ".join(part for part in scope if part))
    add("origin", " by ".join(part for part in (item.origin, item.author) if part))
    add("created", format_time(item.created) if item.created else "")
    add("expires", format_time(item.expires) if item.expires else "")
    if isinstance(item, Page):
        when = f"{format_time(item.compiled_at)}, " if item.compiled_at else ""
        add("compiled", f"{when}generation {item.generation}, from {len(item.sources)} cards")
    trust = view.trust
    add(
        "trust",
        f"{trust.score:.2f}: {trust.confirmed} confirmed, {trust.validated} validated,"
        f" {trust.flagged} flagged",
    )
    add("weight", f"importance {item.importance:g}" if isinstance(item, Card) else "")
    add("replaces", " ".join(item.supersedes))
    add("links", " ".join(f"[[{link}]]" for link in item.links), "link")
    return rows
