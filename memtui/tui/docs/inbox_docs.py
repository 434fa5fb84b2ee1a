"""Proposals as rows and documents: what would become, beside what is there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from functools import partial

from memtui.clock import format_time
from memtui.curate.cited import session_of
from memtui.curate.proposals import Proposal, Status, Verb
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.document import (
    Blank,
    Block,
    Document,
    Fields,
    Heading,
    MarkdownText,
    Prose,
    Raw,
    document,
)
from memtui.tui.docs.item_doc import item_document
from memtui.tui.docs.item_rows import evidence_row, letter, state_of, trust_span
from memtui.tui.docs.spans import Line, Span, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.tui.when import days, full, milliseconds
from memtui.workspace.inbox import Entry, InboxView
from memtui.workspace.model import BankView, EvidenceView, ItemView

_EXCERPT = 1200
_QUOTE = 200
_SHORT = 8
"""Characters of a session's id."""
_SOON = 7
"""Days before its end in which a proposal is shown louder."""
_STILL = "it can be accepted still, and is not proposed again"
_TONES = {
    Verb.ADD: "add",
    Verb.UPDATE: "warn",
    Verb.MERGE: "accent",
    Verb.STALE: "state-warn",
    Verb.FLAG: "state-warn",
    Verb.NOTHING: "muted",
}
SAYS = {
    Verb.ADD: "becomes a card",
    Verb.UPDATE: "becomes a card that supersedes the nearest",
    Verb.MERGE: "is merged with the nearest into one card",
    Verb.STALE: "the nearest becomes stale",
    Verb.FLAG: "the nearest is flagged, with the reason",
    Verb.NOTHING: "becomes no card: one more sighting",
}


class ProposalRows:
    """What waits, in the order given."""

    def __init__(self, entries: Sequence[Entry], glyphs: Glyphs, now: datetime) -> None:
        self.entries = tuple(entries)
        self._glyphs = glyphs
        self._now = now
        self._where = {entry.proposal.id: at for at, entry in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def key(self, index: int) -> Hashable:
        """The proposal's id."""
        return self.entries[index].proposal.id

    def find(self, key: Hashable) -> int | None:
        """Where it is."""
        return self._where.get(str(key))

    def version(self, index: int) -> Hashable:
        """What the row shows."""
        entry = self.entries[index]
        return entry.proposal.verb, entry.sightings, _left(entry.proposal, self._now)

    def line(self, index: int, width: int) -> Line:
        """`update  Title                  pitfall  seen 20  24d`."""
        entry = self.entries[index]
        proposal = entry.proposal
        left: Line = [
            (fit(proposal.verb.value, 8), _TONES[proposal.verb]),
            (line_of(proposal.title), "text"),
        ]
        kind = proposal.draft.type if proposal.draft else ""
        right: list[Sequence[Span]] = [
            [(f"seen {entry.sightings}", "accent")] if entry.sightings > 1 else [],
            [(fit(line_of(kind), 10), "muted")] if width >= 60 else [],
            [_left_span(proposal, self._now)] if width >= 44 else [],
        ]
        return row(left, right, width, 24, self._glyphs.ellipsis)


def proposed_document(entry: Entry, now: datetime, group: str = "") -> Document:
    """The card as it would be, and why it is proposed; `group` says what one key accepts together."""
    proposal = entry.proposal
    blocks: list[Block] = [
        Prose(
            ((f"{proposal.verb.value}: ", _TONES[proposal.verb]), (SAYS[proposal.verb], "muted"))
        ),
        Blank(),
        Prose(((line_of(proposal.title), "title"),)),
    ]
    draft = proposal.draft
    if draft is not None:
        blocks += [Blank(), MarkdownText(body_of(draft.body))]
    blocks += [Blank(), Heading((("why proposed", "muted"),)), Fields(_fields(entry, now, group))]
    return document(f"proposal:{proposal.id}", proposal.title, blocks)


def _fields(entry: Entry, now: datetime, group: str) -> tuple[tuple[str, tuple[Span, ...]], ...]:
    proposal = entry.proposal
    draft = proposal.draft
    scope = [draft.scope.project or "", *draft.scope.paths] if draft else []
    rows = [
        ("reason", line_of(proposal.reason)),
        ("type", draft.type if draft else ""),
        ("tags", " ".join(draft.tags) if draft else ""),
        ("scope", "  ".join(part for part in scope if part)),
        ("session", short_session(proposal.session)),
        ("group", group),
        ("seen", f"{entry.sightings} times" if entry.sightings > 1 else "once"),
        ("surprise", f"{proposal.surprise:.2f}"),
        ("expires", _expiry(proposal, now)),
        ("by", proposal.proposer),
    ]
    return tuple((name, ((line_of(text), "text"),)) for name, text in rows if text)


def beside_document(entry: Entry, view: BankView | None, glyphs: Glyphs) -> Document:
    """The nearest items of the bank, then the records that the proposal rests on."""
    proposal = entry.proposal
    blocks: list[Block] = []
    for number, key in enumerate(proposal.targets):
        found = view.find(key.partition(":")[2]) if view else None
        score = f"{proposal.likeness:.0%} alike" if not number and proposal.draft else ""
        title = "nearest" if not number else "also near"
        blocks.append(Heading(((title, "heading"),), ((score, "muted"),) if score else ()))
        if found is None:
            blocks.append(Prose(((f"{line_of(key)} is gone", "state-absent"),)))
        else:
            blocks += item_document(found, glyphs).blocks
        blocks.append(Blank())
    if not proposal.targets:
        blocks += [Prose((("nothing in the bank is like it", "muted"),)), Blank()]
    if proposal.records:
        blocks.append(Heading((("evidence", "heading"),)))
    for index, record in enumerate(proposal.records):
        when = full(milliseconds(record.at))[:16] if record.at else ""
        told = (when, line_of(record.kind), short_session(session_of(record.ref)))
        said = "  ".join(part for part in told if part)
        blocks.append(Prose(((f"{letter(index)}  ", "key"), (said, "faint"))))
        blocks += [Raw(body_of(record.text[:_EXCERPT]), "text", "faint"), Blank()]
    return document(f"beside:{proposal.id}", "nearest and evidence", blocks)


def beside_rows(
    entry: Entry, view: BankView | None, support: Sequence[EvidenceView], glyphs: Glyphs
) -> list[Row]:
    """What can be opened: items as `("item", id)`, records as `("record", n)`, checked or not yet."""
    proposal = entry.proposal
    rows = []
    for number, key in enumerate(proposal.targets):
        found = view.find(key.partition(":")[2]) if view else None
        if found is not None:
            word = "also near" if number else "nearest"
            draw = partial(_near_row, word, found, glyphs=glyphs)
            rows.append(Row(("item", found.item.id), draw, (found.item.title, found.states)))
    quotes = {one.ref: one.quote for one in proposal.draft.evidence} if proposal.draft else {}
    for index, record in enumerate(proposal.records):
        check = support[index].check if index < len(support) else None
        quote = quotes.get(record.ref, "") or record.text[:_QUOTE]
        draw = partial(evidence_row, index, quote, record.ref, check, glyphs=glyphs)
        rows.append(Row(("record", index), draw, check))
    return rows


def _near_row(word: str, found: ItemView, width: int, glyphs: Glyphs) -> Line:
    left: Line = [
        (fit(word, 11), "muted"),
        *trust_span(found, glyphs),
        (" ", ""),
        (line_of(found.item.title or found.item.name), "text"),
    ]
    state = state_of(found)
    return row(left, [[state]] if state else [], width, 24, glyphs.ellipsis)


def failed_document(found: InboxView) -> Document:
    """The sessions that could not be read, and those that the rules drafted without the drafter."""
    blocks: list[Block] = []
    parts = (
        ("not read; they are tried again when they go on", found.failed, "error"),
        ("the drafter failed, the rules drafted instead", found.fell_back, "warn"),
    )
    for title, sessions, tone in parts:
        if sessions:
            blocks += [Blank()] if blocks else []
            blocks.append(Heading(((f"{len(sessions)} {title}", "heading"),)))
        for name, why in sessions:
            said = line_of(why, 400)
            blocks.append(Prose(((f"{short_session(name)}: ", tone), (said, "text"))))
    if not blocks:
        blocks.append(Prose((("every session was read", "text"),)))
    if found.drafted:
        blocks += [Blank(), Prose(((line_of(found.drafted), "muted"),))]
    return document("failed", "failed", blocks)


def short_session(name: str) -> str:
    """`claude-code e4d07b39`: a session as a person tells it from others."""
    host, _, rest = line_of(name).partition(":")
    return f"{host} {rest[:_SHORT]}" if rest else host


def _left(proposal: Proposal, now: datetime) -> str:
    return days((proposal.expires - now).days)


def _left_span(proposal: Proposal, now: datetime) -> Span:
    """How long it waits yet, louder in the last week."""
    left = (proposal.expires - now).days
    text = "over" if proposal.expires <= now else days(left)
    return fit(text, 4, right=True), "warn" if left < _SOON else "faint"


def _expiry(proposal: Proposal, now: datetime) -> str:
    day = format_time(proposal.expires)[:10]
    if proposal.status is Status.EXPIRED:
        return f"expired {day}; {_STILL}"
    if proposal.expires <= now:
        return f"{day}: the next sleep takes it out of the inbox"
    return f"{day}, in {_left(proposal, now)}"
