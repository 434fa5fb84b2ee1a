"""New cards, with their evidence sealed: the cited records are kept, redacted, before hosts delete them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memtui.bank.cards import render_card
from memtui.bank.evidence import excerpt_bytes, excerpt_path, make_excerpt
from memtui.bank.handles import new_id
from memtui.bank.layout import is_name
from memtui.bank.model import Card, Event, Evidence, Item, Layout, Scope
from memtui.capture.passing import Passed
from memtui.clock import format_time
from memtui.curate.act import Act, ActResult, CurateError, FileChange, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.draft import Draft
from memtui.curate.file_data import file_data
from memtui.curate.files import free_name, id_in, item_files, path_of, read_now, with_keys
from memtui.curate.index_lines import follow_items
from memtui.curate.validating import validations
from memtui.index.states import key_of
from memtui.safety.redact import redact


@dataclass(frozen=True, slots=True)
class CitedRecord:
    """A record that evidence cites, as read from the transcript: `record` is its versioned hash.

    `passed` is the check that passed in its session after all that is cited of it, where one did.
    """

    ref: str
    text: str
    record: str
    kind: str = ""
    at: datetime | None = None
    passed: Passed | None = None


def create(
    curator: Curator,
    draft: Draft,
    records: Iterable[CitedRecord] = (),
    *,
    name: str = "",
    supersedes: Sequence[Item] = (),
    expires: datetime | None = None,
) -> ActResult:
    """Save a draft as an active card, its evidence sealed. `details` has its id and name.

    Where a check passed after what is cited, the same act records the card as validated.
    `supersedes` are the cards that it replaces: they leave the index. Evidence without a record in
    `records` is cited unsealed. Raises CurateError for an empty title or a name that is taken.
    """
    if not draft.title.strip():
        raise CurateError("a card needs a title", "say the fact in one line")
    known = {record.ref: record for record in records}
    details: dict[str, str] = {}

    def build(_act_id: str) -> Act:
        card, sealed = _card(curator, draft, known, name, supersedes, expires)
        change = FileChange(path_of(curator, card), None, render_card(card).encode())
        data = {"rule": draft.rule, **file_data(curator, [change])}
        key = key_of(card)
        event = curator.event("act", "create", key, name=card.name, title=card.title, data=data)
        replaced = _replaced(curator, supersedes, key)
        validated = validations(curator, event, change, card.evidence, known)
        details.update(id=card.id, name=card.name)
        return Act(
            verb="create",
            items=(key, *(other.item for other in replaced)),
            title=card.title,
            summary=f"created: {card.title}",
            changes=(change, *sealed, *follow_items(curator, [change])),
            events=(event, *validated, *replaced),
        )

    return replace(perform(curator, build), details=details)


def supersede(curator: Curator, old: Sequence[Item], new: Item, reason: str = "") -> ActResult:
    """Let `new` replace `old`: the link is written into `new`, and `old` leaves the index."""
    if any(item.id == new.id for item in old):
        raise CurateError("a card cannot supersede itself", "choose another card")

    def build(_act_id: str) -> Act:
        path, data, now = read_now(curator, new)
        ids = tuple(dict.fromkeys((*now.supersedes, *(item.id for item in old))))
        if ids == now.supersedes:
            raise NothingToDoError("already superseded by it", "nothing was changed")
        change = with_keys(path, data, {"supersedes": list(ids)})
        events = _replaced(curator, old, key_of(new), reason)
        first = replace(events[0], data={**events[0].data, **file_data(curator, [change])})
        return Act(
            verb="supersede",
            items=(key_of(new), *(event.item for event in events)),
            title=new.title,
            summary=f"superseded {_count(events)} by: {new.title}",
            changes=(change, *follow_items(curator, [change])),
            events=(first, *events[1:]),
        )

    return perform(curator, build)


def seal(
    curator: Curator, evidence: Evidence, record: CitedRecord
) -> tuple[Evidence, FileChange | None]:
    """Evidence with the hashes of its record and kept excerpt, and the excerpt's file if it is new."""
    at = None if record.at is None else format_time(record.at)
    excerpt = make_excerpt(evidence.ref, at, record.kind, redact(record.text).text, record.record)
    folder = evidence_folder(curator)
    path = curator.relative(excerpt_path(folder, excerpt.sha256))
    sealed = replace(
        evidence,
        record=record.record,
        excerpt=excerpt.sha256,
        quote=redact(evidence.quote).text,
    )
    if curator.read(path) is not None:
        return sealed, None
    return sealed, FileChange(path, None, excerpt_bytes(excerpt))


def evidence_folder(curator: Curator) -> Path:
    """Where new excerpts go: beside the bank, but into state when git shares it and nobody agreed."""
    shared = curator.layout is Layout.MEMTUI and in_git(curator.root)
    if shared and not curator.config.share_evidence:
        return curator.state / "evidence"
    return curator.files.evidence


def in_git(root: Path) -> bool:
    """Whether the bank lies in a git repository."""
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def taken_ids(curator: Curator) -> set[str]:
    """The ids that cards and pages of the bank carry."""
    return {found for file in item_files(curator) if (found := id_in(file.read_bytes()))}


def _card(
    curator: Curator,
    draft: Draft,
    records: Mapping[str, CitedRecord],
    name: str,
    supersedes: Sequence[Item],
    expires: datetime | None,
) -> tuple[Card, list[FileChange]]:
    title = " ".join(redact(draft.title).text.split())
    evidence, sealed = seal_all(curator, draft.evidence, records)
    chosen = (
        checked_new_name(curator, name) if name else free_name(curator, curator.files.cards, title)
    )
    scope = draft.scope if draft.scope.project else replace_project(draft.scope, curator)
    body = redact(draft.body).text.rstrip("\n") + "\n"
    card = Card(
        id=new_id(taken_ids(curator)),
        name=chosen,
        title=title,
        type=draft.type,
        body=body,
        path=curator.files.card_path(chosen),
        digest="",
        tags=draft.tags,
        scope=scope,
        importance=draft.importance,
        origin=draft.origin,
        author=curator.by,
        created=curator.clock(),
        expires=expires,
        supersedes=tuple(item.id for item in supersedes),
        evidence=evidence,
    )
    return card, sealed


def seal_all(
    curator: Curator, evidence: Iterable[Evidence], records: Mapping[str, CitedRecord]
) -> tuple[tuple[Evidence, ...], list[FileChange]]:
    """Seal what has a record; the rest stays cited by reference and redacted quote."""
    done: list[Evidence] = []
    files: dict[str, FileChange] = {}
    for cited in evidence:
        record = records.get(cited.ref)
        if record is None:
            done.append(replace(cited, quote=redact(cited.quote).text))
            continue
        sealed, change = seal(curator, cited, record)
        done.append(sealed)
        if change is not None:
            files[change.path] = change
    return tuple(done), list(files.values())


def checked_new_name(curator: Curator, name: str, keep: Collection[str] = ()) -> str:
    """`name` if it can be a file stem and is free. Raises CurateError."""
    if not is_name(name):
        raise CurateError(f"not a name for a card: {name!r}", "use letters, digits and `-`")
    folders = {curator.files.cards, curator.files.pages}
    if name not in keep and any((folder / f"{name}.md").exists() for folder in folders):
        raise CurateError(f"the name {name} is taken", "choose another one")
    return name


def replace_project(scope: Scope, curator: Curator) -> Scope:
    """The scope with the bank's own project where none is said."""
    return replace(scope, project=curator.config.project or None)


def _replaced(curator: Curator, items: Sequence[Item], by: str, reason: str = "") -> list[Event]:
    """The events that say which items are superseded."""
    events = []
    for item in items:
        _, _, now = read_now(curator, item)
        events.append(
            curator.event(
                "act",
                "supersede",
                key_of(item),
                name=now.name,
                title=now.title,
                reason=reason,
                data={"by": by},
            )
        )
    return events


def _count(events: Sequence[Event]) -> str:
    return events[0].title if len(events) == 1 else f"{len(events)} cards"
