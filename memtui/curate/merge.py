"""Several cards into one, several pages into one: the fuller text is proposed, the sources are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memtui.bank.cards import render_card
from memtui.bank.events import to_json
from memtui.bank.handles import new_id
from memtui.bank.model import BankContents, Card, Event, Evidence, Item, Page, Scope, Status
from memtui.bank.pages import render_page
from memtui.bank.standing import CARRIED, standing
from memtui.bank.trust import VERDICTS
from memtui.capture import phrases
from memtui.curate.act import Act, ActResult, CurateError, FileChange
from memtui.curate.acts import perform
from memtui.curate.compile import PageDraft, compile_page
from memtui.curate.create import taken_ids
from memtui.curate.curator import Curator
from memtui.curate.file_data import file_data
from memtui.curate.files import free_name, path_of, read_now, with_keys
from memtui.curate.index_lines import follow_items
from memtui.curate.pages import new_page
from memtui.curate.similar import likeness, said, words
from memtui.index.states import key_of
from memtui.safety.redact import redact

_SAID = 0.6
"""From here on a sentence counts as said by another text."""


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """The card that a merge would make, every field editable, and what its body leaves out.

    `left_out` are sentences of the other sources that the proposed body does not say, by card name.
    """

    title: str
    body: str
    type: str
    tags: tuple[str, ...]
    scope: Scope
    importance: float
    origin: str
    pinned: bool
    evidence: tuple[Evidence, ...]
    left_out: Mapping[str, tuple[str, ...]]


def propose_merge(cards: Sequence[Card]) -> MergeProposal:
    """The fuller text with everything joined. Raises CurateError for fewer than two cards."""
    _need_two(cards)
    fullest = max(cards, key=lambda card: (len(words(said(card))), card.name))
    return MergeProposal(
        title=fullest.title,
        body=fullest.body,
        type=fullest.type,
        tags=tuple(dict.fromkeys(tag for card in cards for tag in card.tags)),
        scope=_joined_scope(cards),
        importance=max(card.importance for card in cards),
        origin=next((c.origin for c in cards if c.origin.startswith("external")), fullest.origin),
        pinned=any(card.pinned for card in cards),
        evidence=_joined_evidence(cards),
        left_out={
            c.name: left for c in cards if c is not fullest and (left := left_out(c, said(fullest)))
        },
    )


def left_out(card: Card, text: str) -> tuple[str, ...]:
    """The sentences of a card that `text` does not say."""
    there = [words(sentence) for sentence in phrases.sentences(text)]
    return tuple(
        sentence
        for sentence in phrases.sentences(said(card))
        if not any(likeness(words(sentence), other) >= _SAID for other in there)
    )


def merge(
    curator: Curator,
    cards: Sequence[Card],
    proposal: MergeProposal,
    events: Iterable[Event],
    reason: str = "",
) -> ActResult:
    """Write the proposal as a new card and retire the sources, which it supersedes.

    `events` are the bank's: the verdicts on the sources are handed on. `details` has the new id, name.
    """
    _need_two(cards)
    carried = carried_verdicts(cards, events)
    details: dict[str, str] = {}

    def build(_act_id: str) -> Act:
        card = _merged_card(curator, proposal, cards)
        details.update(id=card.id, name=card.name)
        made = FileChange(path_of(curator, card), None, render_card(card).encode())
        return _act(curator, card, made, cards, {CARRIED: carried}, reason)

    return replace(perform(curator, build), details=details)


def propose_page_merge(
    pages: Sequence[Page], contents: BankContents, absent: Mapping[str, str]
) -> PageDraft:
    """One page compiled from all cards of the pages that hold. Raises CurateError."""
    _need_two(pages)
    ids = dict.fromkeys(source for page in pages for source in page.sources)
    by_id = {card.id: card for card in contents.cards}
    cards = [by_id[source] for source in ids if source in by_id and source not in absent]
    fullest = max(pages, key=lambda page: (len(page.sources), page.name))
    return compile_page(cards, fullest.type, fullest.title)


def merge_pages(
    curator: Curator, pages: Sequence[Page], draft: PageDraft, events: Iterable[Event]
) -> ActResult:
    """Save the draft as a new page and retire the pages that it replaces."""
    _need_two(pages)
    carried = carried_verdicts(pages, events)
    details: dict[str, str] = {}

    def build(_act_id: str) -> Act:
        page = replace(new_page(curator, draft), supersedes=tuple(page.id for page in pages))
        details.update(id=page.id, name=page.name)
        made = FileChange(path_of(curator, page), None, render_page(page).encode())
        data = {"sources": list(page.sources), CARRIED: carried}
        return _act(curator, page, made, pages, data, "")

    return replace(perform(curator, build), details=details)


def carried_verdicts(items: Sequence[Item], events: Iterable[Event]) -> list[dict[str, Any]]:
    """The verdicts on the items that stand, and those that earlier merges handed on to them."""
    keys = {key_of(item) for item in items}
    found: dict[str, dict[str, Any]] = {}
    for event in standing(events):
        if event.item in keys and event.verb in VERDICTS:
            found[event.id] = to_json(replace(event, data={}))
        elif event.item in keys and event.verb == "merge":
            earlier = event.data.get(CARRIED)
            for line in earlier if isinstance(earlier, list) else ():
                if isinstance(line, dict) and "id" in line:
                    found[str(line["id"])] = line
    return sorted(found.values(), key=lambda line: (str(line.get("at")), str(line.get("id"))))


def _act(
    curator: Curator,
    result: Card | Page,
    made: FileChange,
    sources: Sequence[Item],
    data: Mapping[str, Any],
    reason: str,
) -> Act:
    retired = []
    for item in sources:
        path, bytes_now, _ = read_now(curator, item)
        retired.append(with_keys(path, bytes_now, {"status": Status.RETIRED.value}))
    changes = [made, *retired]
    keys = [key_of(item) for item in sources]
    kept = {
        "from": keys,
        "names": [item.name for item in sources],
        **data,
        **file_data(curator, changes),
    }
    key = key_of(result)
    event = curator.event(
        "act", "merge", key, name=result.name, title=result.title, reason=reason, data=kept
    )
    return Act(
        verb="merge",
        items=(key, *keys),
        title=result.title,
        summary=f"merged {len(sources)} into: {result.title}",
        changes=(*changes, *follow_items(curator, changes, (event,))),
        events=(event,),
    )


def _merged_card(curator: Curator, proposal: MergeProposal, cards: Sequence[Card]) -> Card:
    title = " ".join(redact(proposal.title).text.split())
    if not title:
        raise CurateError("a card needs a title", "say the fact in one line")
    name = free_name(curator, curator.files.cards, title)
    return Card(
        id=new_id(taken_ids(curator)),
        name=name,
        title=title,
        type=proposal.type,
        body=redact(proposal.body).text.rstrip("\n") + "\n",
        path=curator.files.card_path(name),
        digest="",
        tags=proposal.tags,
        scope=proposal.scope,
        importance=proposal.importance,
        origin=proposal.origin,
        author=curator.by,
        created=curator.clock(),
        expires=_joined_expiry(cards),
        pinned=proposal.pinned,
        supersedes=tuple(card.id for card in cards),
        evidence=proposal.evidence,
    )


def _need_two(items: Sequence[Item]) -> None:
    if len({item.id for item in items}) < 2:
        raise CurateError("a merge needs two or more", "mark them with space")


def _joined_scope(cards: Sequence[Card]) -> Scope:
    projects = {card.scope.project for card in cards}
    branches = {card.scope.branch for card in cards}
    return Scope(
        projects.pop() if len(projects) == 1 else None,
        branches.pop() if len(branches) == 1 else None,
        tuple(dict.fromkeys(path for card in cards for path in card.scope.paths)),
    )


def _joined_evidence(cards: Sequence[Card]) -> tuple[Evidence, ...]:
    return tuple({(e.ref, e.quote): e for card in cards for e in card.evidence}.values())


def _joined_expiry(cards: Sequence[Card]) -> datetime | None:
    """The latest, and none when one of them never expires."""
    ends = [card.expires for card in cards]
    return None if any(end is None for end in ends) else max(end for end in ends if end is not None)
