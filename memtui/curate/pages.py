"""The verbs that write pages: compile marked cards, rebuild from the cards that hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memtui.bank.frontmatter import set_keys_bytes
from memtui.bank.handles import new_id
from memtui.bank.model import Page
from memtui.bank.pages import parse_page, render_page
from memtui.clock import format_time
from memtui.curate.act import Act, ActResult, CurateError, FileChange
from memtui.curate.acts import perform
from memtui.curate.compile import PageDraft, RebuildPlan
from memtui.curate.create import checked_new_name, replace_project, taken_ids
from memtui.curate.curator import Curator
from memtui.curate.file_data import file_data
from memtui.curate.files import META, free_name, path_of, read_now
from memtui.curate.index_lines import follow_items
from memtui.index.states import key_of
from memtui.safety.redact import redact


def compile_cards(
    curator: Curator, draft: PageDraft, *, name: str = "", override: str = ""
) -> ActResult:
    """Save a compiled page. `details` has its id and name.

    `override` says why it is compiled from fewer than three cards of three sessions; it is logged.
    """
    details: dict[str, str] = {}

    def build(_act_id: str) -> Act:
        page = new_page(curator, draft, name)
        change = FileChange(path_of(curator, page), None, render_page(page).encode())
        details.update(id=page.id, name=page.name)
        return compiled(curator, page, [change], {"override": override} if override else {})

    return replace(perform(curator, build), details=details)


def rebuild(curator: Curator, plan: RebuildPlan) -> ActResult:
    """Write what the plan shows. Raises ConflictError when the page changed since the plan was made."""

    def build(_act_id: str) -> Act:
        path, data, now = read_now(curator, plan.page)
        if not isinstance(now, Page) or now.digest != plan.page.digest:
            raise CurateError(f"{path} changed since the plan was made", "look at the new diff")
        page = replace(
            now,
            body=plan.draft.body,
            sources=dict(plan.draft.sources),
            compiled_at=curator.clock(),
            generation=now.generation + 1,
        )
        change = FileChange(path, data, _in_place(data, page))
        return compiled(curator, page, [change], {"left_out": dict(plan.left_out)})

    return perform(curator, build)


def new_page(curator: Curator, draft: PageDraft, name: str = "") -> Page:
    """The page that a draft becomes, with a new id and a free name."""
    title = " ".join(redact(draft.title).text.split())
    chosen = (
        checked_new_name(curator, name) if name else free_name(curator, curator.files.pages, title)
    )
    now = curator.clock()
    scope = draft.scope if draft.scope.project else replace_project(draft.scope, curator)
    return Page(
        id=new_id(taken_ids(curator)),
        name=chosen,
        title=title,
        type=draft.type,
        body=redact(draft.body).text,
        path=curator.files.page_path(chosen),
        digest="",
        tags=draft.tags,
        scope=scope,
        origin="session",
        author=curator.by,
        created=now,
        sources=dict(draft.sources),
        compiled_at=now,
        generation=1,
    )


def compiled(
    curator: Curator, page: Page, changes: list[FileChange], data: dict[str, object]
) -> Act:
    """The act of writing a compiled page."""
    key = key_of(page)
    kept = {
        "sources": list(page.sources),
        "generation": page.generation,
        **data,
        **file_data(curator, changes),
    }
    event = curator.event("act", "compile", key, name=page.name, title=page.title, data=kept)
    again = "compiled" if page.generation == 1 else "rebuilt"
    return Act(
        verb="compile",
        items=(key,),
        title=page.title,
        summary=f"{again} from {len(page.sources)} cards: {page.title}",
        changes=(*changes, *follow_items(curator, changes)),
        events=(event,),
    )


def _in_place(data: bytes, page: Page) -> bytes:
    """The page's file with a new body, sources, time and generation; other keys keep their bytes."""
    head = data[: len(data) - len(parse_page(page.path, data).body.encode())]
    keys: dict[tuple[str, ...], Any] = {
        (META, "sources"): dict(page.sources),
        (META, "compiled_at"): format_time(page.compiled_at) if page.compiled_at else None,
        (META, "generation"): page.generation,
    }
    return set_keys_bytes(head + page.body.encode(), keys)
