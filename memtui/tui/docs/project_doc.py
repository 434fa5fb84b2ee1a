"""A project that is not open as a document: where it is, what is known of it, what it was about last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import (
    Blank,
    Block,
    Document,
    Fields,
    Heading,
    Prose,
    document,
)
from memtui.tui.docs.project_rows import health_tone, name_of
from memtui.tui.docs.recall_doc import notes_blocks, turn_document
from memtui.tui.docs.spans import Span
from memtui.tui.when import age, full
from memtui.workspace.everywhere import Anywhere, FoundCard
from memtui.workspace.finding import FoundTurn
from memtui.workspace.projects import Found, RecentSession

_LABEL = 14


def project_document(one: Found, recent: Sequence[RecentSession] | None, now: datetime) -> Document:
    """`recent` are its newest sessions, None while they are being read."""
    rows: list[tuple[str, tuple[Span, ...]]] = []

    def add(label: str, text: str, tone: str = "text") -> None:
        if text:
            rows.append((label, ((line_of(text), tone),)))

    for number, folder in enumerate(one.folders):
        add("also" if number else "folder", folder or "not stored by the host")
    add("remote", one.remote)
    hosts = ", ".join(f"{name} {count:,}" for name, count in one.hosts)
    add("sessions", f"{one.sessions:,}" + (f" ({hosts})" if hosts else ""))
    old = age(one.last, now)
    told = "just now" if old == "now" else f"{old} ago"
    add("last", f"{full(one.last)} ({told})" if one.last is not None else "")
    if one.bank is not None:
        add("bank", str(one.bank))
        add("holds", f"{one.cards} cards, {one.pages} pages")
        waiting = "cannot be told" if one.waiting is None else f"{one.waiting} proposals"
        add("waiting", waiting, "accent" if one.waiting else "muted")
    for number, trouble in enumerate(one.troubles or ((one.health,) if one.looked else ())):
        add("" if number else "health", trouble, health_tone(one))
    blocks: list[Block] = [Prose(((name_of(one), "title"),)), Blank(), Fields(tuple(rows))]
    blocks += [Blank(), *_recent(recent, now)]
    return document(f"project:{one.key}", "project", blocks)


def _recent(recent: Sequence[RecentSession] | None, now: datetime) -> list[Block]:
    head = Heading((("newest sessions", "muted"),))
    if recent is None:
        return [head, Prose((("reading", "faint"),))]
    if not recent:
        return [head, Prose((("none", "faint"),))]
    lines = []
    for session in recent:
        when = f"{age(session.ended, now) or '-':<4} {line_of(session.host, 12)}"
        lines.append((when, ((line_of(session.title), "text"),)))
    return [head, Fields(tuple(lines))]


def card_document(card: FoundCard) -> Document:
    """A card or page of any bank, as its index knows it."""
    from memtui.tui.docs.document import MarkdownText

    shown = card.hit.document
    states = ", ".join(shown.states) or shown.status
    fields = (
        ("project", ((line_of(card.project), "role-call"),)),
        ("bank", ((line_of(str(card.bank)), "text"),)),
        ("handle", ((line_of(shown.id), "faint"),)),
        (shown.layer, ((line_of(f"{shown.type}, {states}"), "text"),)),
    )
    title = line_of(shown.title or shown.name)
    blocks: list[Block] = [Prose(((title, "title"),)), Blank(), Fields(fields), Blank()]
    return document(f"card:{shown.key}", shown.layer, [*blocks, MarkdownText(shown.body)])


def found_turn_document(turn: FoundTurn, folder: str) -> Document:
    """A turn of any project."""
    shown = turn_document(turn)
    where = Prose(((line_of(folder) or "no folder stored", "role-call"),))
    return document(shown.key, shown.title, [where, *shown.blocks])


def nothing_document(found: Anywhere) -> Document:
    """What took no part in a search."""
    return document("search", "search", notes_blocks(found.notes))
