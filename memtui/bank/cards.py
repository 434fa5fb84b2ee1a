"""Cards: from a file's bytes, and to the text of a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.bank.items import KNOWN, common
from memtui.bank.model import Card, Evidence, Item, Scope
from memtui.bank.yaml_write import block
from memtui.clock import format_time


def parse_card(path: Path, data: bytes) -> Card:
    """The card in a file's bytes. Never raises: what does not read is among its problems."""
    values, _ = common(path, data, KNOWN)
    return Card(**values)


def render_card(card: Card) -> str:
    """The text of a new file for `card`, in a stable key order; `parse_card` reads it back.

    Texts are written as given: whoever makes a card redacts first.
    """
    return render(card, metadata(card))


def render(item: Item, inner: dict[str, Any]) -> str:
    """Front matter with `inner` as its metadata, unknown keys last, and the body."""
    top = {key: value for key, value in item.extra.items() if key not in ("name", "metadata")}
    unknown = item.extra.get("metadata") or {}
    front = {"name": item.name, "description": item.title, "metadata": {**inner, **unknown}, **top}
    return "---\n" + "\n".join(block(front, 0)) + "\n---\n" + item.body


def metadata(item: Item) -> dict[str, Any]:
    """What memtui keeps under `metadata`, in the order in which it is written."""
    values: dict[str, Any] = {
        "id": item.id,
        "type": item.type,
        "status": item.status.value,
        "tags": list(item.tags),
        "scope": scope_value(item.scope),
        "importance": round(item.importance, 4),
        "origin": item.origin,
        "author": item.author,
        "created": format_time(item.created) if item.created else None,
        "modified": format_time(item.modified) if item.modified else None,
        "expires": format_time(item.expires) if item.expires else None,
        "pinned": item.pinned,
        "supersedes": list(item.supersedes),
        "evidence": [evidence_value(cited) for cited in item.evidence],
    }
    if item.modified is None:
        del values["modified"]
    return values


def scope_value(scope: Scope) -> dict[str, Any]:
    """A scope as the front matter holds it."""
    return {"project": scope.project, "branch": scope.branch, "paths": list(scope.paths)}


def evidence_value(cited: Evidence) -> dict[str, str]:
    """A citation as the front matter holds it: parts not known yet are left out."""
    parts = {
        "ref": cited.ref,
        "record": cited.record,
        "excerpt": cited.excerpt,
        "quote": cited.quote,
    }
    return {key: value for key, value in parts.items() if value}
