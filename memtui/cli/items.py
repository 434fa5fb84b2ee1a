"""How cards and pages read in the terminal and in JSON, shared by `cards`, `pages` and `show`."""

from __future__ import annotations

from typing import Any

from memtui.bank.model import Page
from memtui.clock import format_time
from memtui.workspace.model import ItemView


def item_json(view: ItemView) -> dict[str, Any]:
    """One card or page with what was computed about it."""
    item = view.item
    data: dict[str, Any] = {
        "id": item.id,
        "name": item.name,
        "title": item.title,
        "type": item.type,
        "status": item.status,
        "states": [{"reason": state.reason, "cause": state.cause} for state in view.states],
        "trust": {
            "tier": view.trust.tier,
            "score": round(view.trust.score, 4),
            "confirmed": view.trust.confirmed,
            "validated": view.trust.validated,
            "flagged": view.trust.flagged,
        },
        "tags": list(item.tags),
        "scope": {
            "project": item.scope.project,
            "branch": item.scope.branch,
            "paths": list(item.scope.paths),
        },
        "importance": item.importance,
        "origin": item.origin,
        "author": item.author,
        "created": format_time(item.created) if item.created else None,
        "expires": format_time(item.expires) if item.expires else None,
        "age_days": view.age_days,
        "pinned": item.pinned,
        "supersedes": list(item.supersedes),
        "evidence": [{"ref": e.ref, "quote": e.quote} for e in item.evidence],
        "path": str(item.path),
        "problems": [problem.message for problem in item.problems],
    }
    if isinstance(item, Page):
        data["sources"] = dict(item.sources)
        data["behind"] = view.behind
        data["claims"] = [{"text": c.text, "cards": list(c.cards)} for c in item.claims]
    return data


def item_line(view: ItemView) -> str:
    """One line for a list: handle, tier and score, state, type, title."""
    state = view.states[0].reason if view.states else f"{view.age_days}d"
    return (
        f"{view.item.id:<6}  {view.trust.tier:<9} {view.trust.score:.2f}"
        f"  {state:<16}  {view.item.type:<10}  {view.item.title}"
    )
