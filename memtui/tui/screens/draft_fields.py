"""The fields of a draft as text, and back."""

from __future__ import annotations

from dataclasses import replace

from memtui.bank.model import Scope
from memtui.curate.draft import Draft
from memtui.tui.docs.clean import body_of, line_of

BRANCH = "branch:"
FIELDS = ("title", "type", "tags", "scope")


def texts_of(draft: Draft) -> dict[str, str]:
    """What stands in the fields for a draft, safe to draw."""
    scope = [f"{BRANCH}{draft.scope.branch}"] if draft.scope.branch else []
    texts = {
        "title": draft.title,
        "type": draft.type,
        "tags": ", ".join(draft.tags),
        "scope": ", ".join((*scope, *draft.scope.paths)),
    }
    return {name: line_of(text, 2000) for name, text in texts.items()}


def shown_body(draft: Draft) -> str:
    """The body, safe to draw."""
    return body_of(draft.body).rstrip("\n")


def is_plain(draft: Draft) -> bool:
    """Whether the fields can hold the draft as it is, without taking characters from it."""
    tags = all("," not in tag for tag in (*draft.tags, *draft.scope.paths))
    return tags and with_texts(draft, texts_of(draft), shown_body(draft)) == draft


def with_texts(draft: Draft, texts: dict[str, str], body: str) -> Draft:
    """The draft with what stands in the fields."""
    places = _parts(texts["scope"])
    branch = next((p.removeprefix(BRANCH) for p in places if p.startswith(BRANCH)), None)
    paths = tuple(place for place in places if not place.startswith(BRANCH))
    same = body.rstrip("\n") == draft.body.rstrip("\n")
    return replace(
        draft,
        title=" ".join(texts["title"].split()),
        type=texts["type"].strip(),
        tags=_parts(texts["tags"]),
        scope=Scope(draft.scope.project, branch or None, paths),
        body=draft.body if same else body,
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for word in text.split(",") if (part := word.strip())))
