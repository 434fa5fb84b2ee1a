"""A draft as the text of a card file, to be edited, and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.bank.cards import metadata, parse_card, render
from memtui.bank.model import Card, Problem
from memtui.curate.draft import Draft
from memtui.curate.edit import EditError

_KEYS = ("type", "tags", "scope", "importance", "origin", "evidence")
_NAME = "draft"


def draft_text(draft: Draft) -> str:
    """The draft as front matter and body; id, name and dates come when it is saved."""
    card = Card(
        id="",
        name=_NAME,
        title=draft.title,
        type=draft.type,
        body=draft.body.rstrip("\n") + "\n",
        path=Path(f"{_NAME}.md"),
        digest="",
        tags=draft.tags,
        scope=draft.scope,
        importance=draft.importance,
        origin=draft.origin,
        evidence=draft.evidence,
    )
    return render(card, {key: value for key, value in metadata(card).items() if key in _KEYS})


def draft_from(text: bytes, draft: Draft) -> Draft:
    """The draft that an edited text says; `draft` is what it was made from. Raises EditError."""
    card = parse_card(Path(f"{_NAME}.md"), text)
    problems = list(card.problems)
    if not card.title.strip():
        problems.append(Problem(card.path, "no title: `description` is empty"))
    if not card.body.strip():
        problems.append(Problem(card.path, "the body is empty"))
    if problems:
        raise EditError(tuple(problems))
    return replace(
        draft,
        title=card.title,
        body=card.body,
        type=card.type,
        tags=card.tags,
        scope=card.scope,
        importance=card.importance,
        # Nobody makes a text of the web one's own by deleting a word of its front matter.
        origin=draft.origin if draft.origin.startswith("external") else card.origin or draft.origin,
        evidence=card.evidence,
    )
