"""A card or page that exists, given another text: only what differs changes in its file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from memtui.bank.cards import evidence_value, scope_value
from memtui.bank.frontmatter import FrontMatterError, set_keys, split
from memtui.bank.model import Card, Item, Scope
from memtui.curate.act import Act, ActResult, CurateError, FileChange
from memtui.curate.acts import perform
from memtui.curate.create import CitedRecord, seal_all
from memtui.curate.curator import Curator
from memtui.curate.draft import Draft
from memtui.curate.file_data import file_data
from memtui.curate.files import META, read_now
from memtui.curate.hunks import bytes_of, text_of
from memtui.curate.index_lines import follow_items
from memtui.curate.validating import validations
from memtui.index.states import key_of
from memtui.safety.redact import redact


def draft_of(item: Item) -> Draft:
    """What an item says, as a draft to change."""
    return Draft(
        title=item.title,
        body=item.body,
        type=item.type,
        rule="",
        tags=item.tags,
        scope=item.scope,
        evidence=item.evidence,
        importance=item.importance,
        origin=item.origin,
    )


def with_more(draft: Draft, other: Draft) -> Draft:
    """A draft with what another adds: its sentences, tags, paths and evidence."""
    scope = draft.scope
    paths = tuple(dict.fromkeys((*scope.paths, *other.scope.paths)))
    every = {one.ref: one for one in (*draft.evidence, *other.evidence)}
    return replace(
        draft,
        body="\n".join((draft.body.rstrip("\n"), *_added(other.body, draft.body))),
        tags=tuple(dict.fromkeys((*draft.tags, *other.tags))),
        scope=replace(scope, paths=paths),
        importance=max(draft.importance, other.importance),
        evidence=tuple(every.values()),
        origin=draft.origin if draft.origin == "session" else other.origin,
    )


def _added(body: str, before: str) -> list[str]:
    """The lines that are not there yet, without the line that says when it matters."""
    return [
        line
        for line in body.splitlines()
        if line.strip() and not line.lower().startswith("use when:") and line not in before
    ]


def joined(draft: Draft, card: Card) -> Draft:
    """The existing card with what the draft adds: its sentences, tags and evidence."""
    added = _added(draft.body, card.body)
    return replace(
        draft,
        title=card.title,
        body="\n".join((card.body.rstrip("\n"), "", *added)),
        type=card.type,
        tags=tuple(dict.fromkeys((*card.tags, *draft.tags))),
        scope=card.scope,
        importance=max(card.importance, draft.importance),
        evidence=tuple({one.ref: one for one in (*card.evidence, *draft.evidence)}.values()),
    )


def rewritten(path: str, base: bytes, item: Item, draft: Draft) -> bytes:
    """The bytes of the item's file with what the draft says differently. Raises CurateError."""
    changes: dict[tuple[str, ...], Any] = {}
    if draft.title != item.title:
        changes["description",] = draft.title
    if draft.type != item.type:
        changes[META, "type"] = draft.type
    if draft.tags != item.tags:
        changes[META, "tags"] = list(draft.tags)
    if draft.scope != item.scope:
        changes[META, "scope"] = scope_value(draft.scope)
    if draft.evidence != item.evidence:
        changes[META, "evidence"] = [evidence_value(cited) for cited in draft.evidence]
    text = text_of(base)
    try:
        text = set_keys(text, changes) if changes else text
    except FrontMatterError as error:
        raise CurateError(f"{path}: {error}", "mend the front matter with e") from error
    if draft.body.rstrip("\n") != item.body.rstrip("\n"):
        _, body = split(text)
        newline = "\r\n" if "\r\n" in body else "\n"
        lines = draft.body.rstrip("\n").replace("\r\n", "\n").split("\n")
        text = text[: len(text) - len(body)] + newline.join(lines) + newline
    return bytes_of(text)


def update(
    curator: Curator, card: Card, draft: Draft, records: Iterable[CitedRecord] = ()
) -> ActResult:
    """Let a card say what the draft says: it keeps id, name, standing and verdicts, evidence is joined.

    A check that passed after the new evidence is recorded in the same act.

    Raises CurateError when nothing differs or the card is gone.
    """
    known = {record.ref: record for record in records}

    def build(_act_id: str) -> Act:
        path, base, now = read_now(curator, card)
        had = {cited.ref for cited in now.evidence}
        new = tuple(cited for cited in draft.evidence if cited.ref not in had)
        sealed, files = seal_all(curator, new, known)
        wanted = Draft(
            title=" ".join(redact(draft.title).text.split()),
            body=redact(draft.body).text,
            type=draft.type,
            tags=tuple(dict.fromkeys((*now.tags, *draft.tags))),
            scope=_scope(now.scope, draft.scope),
            evidence=(*now.evidence, *sealed),
        )
        change = FileChange(path, base, rewritten(path, base, now, wanted))
        if change.new == base:
            raise CurateError("it says that already", "nothing was changed")
        key = key_of(now)
        event = curator.event(
            "act",
            "update",
            key,
            name=now.name,
            title=wanted.title,
            data={"rule": draft.rule, **file_data(curator, [change])},
        )
        return Act(
            verb="update",
            items=(key,),
            title=wanted.title,
            summary=f"updated: {wanted.title}",
            changes=(change, *files, *follow_items(curator, [change])),
            events=(event, *validations(curator, event, change, new, known)),
        )

    return perform(curator, build)


def _scope(now: Scope, more: Scope) -> Scope:
    """The card's own scope, over the paths of both: a card without paths holds everywhere."""
    paths = tuple(dict.fromkeys((*now.paths, *more.paths))) if now.paths else ()
    return Scope(now.project, now.branch, paths)
