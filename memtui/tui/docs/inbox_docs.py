"""Proposals as rows and documents: what would become, beside what is there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime

from memtui.clock import format_time
from memtui.curate.proposals import Proposal, Verb
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
from memtui.tui.docs.spans import Line, Span, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import days
from memtui.workspace.inbox import Entry
from memtui.workspace.model import BankView

_EXCERPT = 1200
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
    Verb.NOTHING: "nothing new: one more sighting",
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
            [(fit(_left(proposal, self._now), 4, right=True), "faint")] if width >= 44 else [],
        ]
        return row(left, right, width, 24, self._glyphs.ellipsis)


def proposed_document(entry: Entry, now: datetime) -> Document:
    """The card as it would be, and why it is proposed."""
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
    blocks += [Blank(), Heading((("why proposed", "muted"),)), Fields(_fields(entry, now))]
    return document(f"proposal:{proposal.id}", proposal.title, blocks)


def _fields(entry: Entry, now: datetime) -> tuple[tuple[str, tuple[Span, ...]], ...]:
    proposal = entry.proposal
    draft = proposal.draft
    scope = [draft.scope.project or "", *draft.scope.paths] if draft else []
    rows = [
        ("reason", line_of(proposal.reason)),
        ("type", draft.type if draft else ""),
        ("tags", " ".join(draft.tags) if draft else ""),
        ("scope", "  ".join(part for part in scope if part)),
        ("session", proposal.session),
        ("seen", f"{entry.sightings} times" if entry.sightings > 1 else "once"),
        ("surprise", f"{proposal.surprise:.2f}"),
        ("expires", f"{format_time(proposal.expires)[:10]}, in {_left(proposal, now)}"),
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
    for record in proposal.records:
        when = f"{format_time(record.at)}  " if record.at else ""
        blocks.append(Prose(((f"{when}{line_of(record.kind)}  {line_of(record.ref)}", "faint"),)))
        blocks += [Raw(body_of(record.text[:_EXCERPT]), "text", "faint"), Blank()]
    return document(f"beside:{proposal.id}", "nearest and evidence", blocks)


def _left(proposal: Proposal, now: datetime) -> str:
    return days((proposal.expires - now).days)
