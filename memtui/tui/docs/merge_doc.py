"""Cards to be merged beside the card that comes of it: field by field, and as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.bank.model import Card
from memtui.curate.merge import MergeProposal, left_out
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
    document,
)
from memtui.tui.docs.spans import Line, fit
from memtui.tui.glyphs import Glyphs

FIELDS = ("title", "type", "tags", "body")
"""The fields that are chosen or written; the others are joined."""
EDITED, JOINED = "edited", "joined"
_NAME = 6


@dataclass(frozen=True, slots=True)
class Merging:
    """A merge in the making. `chosen` says for each field which source it came from: the place of a
    card, `edited` or `joined`."""

    cards: tuple[Card, ...]
    proposal: MergeProposal
    chosen: Mapping[str, int | str]
    verdicts: int = 0

    def value(self, field: str) -> str:
        """The proposed text of a field."""
        if field == "tags":
            return " ".join(self.proposal.tags)
        return str(getattr(self.proposal, field))

    def with_text(self, field: str, text: str, source: int | str) -> Merging:
        """With another text in a field."""
        chosen = {**self.chosen, field: source}
        if field == "tags":
            tags = tuple(dict.fromkeys(text.replace(",", " ").split()))
            return replace(self, proposal=replace(self.proposal, tags=tags), chosen=chosen)
        if field == "title":
            proposal = replace(self.proposal, title=text)
        elif field == "type":
            proposal = replace(self.proposal, type=text)
        else:
            proposal = replace(self.proposal, body=text)
        return replace(self, proposal=proposal, chosen=chosen)

    def unsaid(self, card: Card) -> tuple[str, ...]:
        """What a source says and the result does not."""
        return left_out(card, f"{self.proposal.title}\n\n{self.proposal.body}")

    def joined(self, field: str) -> Merging:
        """With what all sources say: all tags; the body, and after it what it leaves out."""
        if field == "tags":
            tags = " ".join(tag for card in self.cards for tag in card.tags)
            return self.with_text(field, tags, JOINED)
        missing = [sentence for card in self.cards for sentence in self.unsaid(card)]
        body = self.proposal.body.rstrip("\n") + "\n"
        text = body + "".join(f"\n{sentence}\n" for sentence in dict.fromkeys(missing))
        return self.with_text(field, text, JOINED)


def sign_of(source: int) -> str:
    """The key that takes a field from a source: `1` for the first."""
    return str(source + 1)


def source_value(card: Card, field: str) -> str:
    """What a source says in a field."""
    return " ".join(card.tags) if field == "tags" else str(getattr(card, field))


def begin(cards: Sequence[Card], proposal: MergeProposal, verdicts: int) -> Merging:
    """The proposal, with the source of each of its fields."""
    kept = tuple(cards)
    chosen: dict[str, int | str] = {}
    for field in FIELDS:
        wanted = proposal.tags if field == "tags" else getattr(proposal, field)
        same = [at for at, card in enumerate(kept) if getattr(card, field) == wanted]
        chosen[field] = same[0] if same else JOINED
    return Merging(kept, proposal, chosen, verdicts)


def field_row(merging: Merging, field: str, width: int, glyphs: Glyphs) -> Line:
    """`title  b  Pool timeouts come from an unset ORDER_POOL_SIZE`."""
    source = merging.chosen[field]
    said = sign_of(source) if isinstance(source, int) else source
    value = line_of(merging.value(field))
    left: Line = [
        (fit(field, _NAME), "muted"),
        (fit(said, 7), "key"),
        (value or "empty", "text" if value else "faint"),
    ]
    return row(left, [], width, 10, glyphs.ellipsis)


def field_document(merging: Merging, field: str, glyphs: Glyphs) -> Document:
    """One field: every source's text under each other, then the result."""
    blocks: list[Block] = []
    for at, card in enumerate(merging.cards):
        mark = f" {glyphs.verified}" if merging.chosen[field] == at else ""
        blocks.append(
            Heading(((f"{sign_of(at)}{mark} ", "key"), (line_of(card.name, 60), "muted")))
        )
        blocks.append(_text(field, source_value(card, field)))
        blocks.append(Blank())
    blocks.append(Heading((("result", "heading"),)))
    blocks.append(_text(field, merging.value(field)))
    if field == "body":
        blocks += _left_out(merging, glyphs)
    blocks += [Blank(), *_joined(merging)]
    return document(f"merge:{field}", field, blocks)


def source_document(merging: Merging, at: int, field: str, glyphs: Glyphs) -> Document:
    """One source as a whole; the field under the cursor stands out."""
    card = merging.cards[at]
    taken = [name for name in FIELDS if merging.chosen[name] == at]
    head = Prose(((f"{sign_of(at)} ", "key"), (line_of(card.name, 200), "strong")))
    values = {name: source_value(card, name) for name in FIELDS}
    blocks = [head, *_card_blocks(values, field, taken, glyphs)]
    blocks += [Blank(), Heading((("kept, retired", "muted"),))]
    blocks.append(Fields((("records", ((f"{len(card.evidence)}", "text"),)),)))
    return document(f"merge-source:{card.id}", card.name, blocks)


def result_document(merging: Merging, field: str, glyphs: Glyphs) -> Document:
    """The card that comes of it."""
    head = Prose((("the merged card", "heading"),))
    blocks = [
        head,
        *_card_blocks({name: merging.value(name) for name in FIELDS}, field, (), glyphs),
    ]
    blocks += [*_left_out(merging, glyphs), Blank(), *_joined(merging)]
    return document("merge-result", "result", blocks)


def _card_blocks(
    values: Mapping[str, str], field: str, taken: Sequence[str], glyphs: Glyphs
) -> list[Block]:
    blocks: list[Block] = []
    for name in FIELDS:
        mark = f" {glyphs.verified}" if name in taken else ""
        tone = "accent" if name == field else "muted"
        blocks.append(Heading(((f"{name}{mark}", tone),)))
        blocks.append(_text(name, values[name]))
    return blocks


def _text(field: str, text: str) -> Block:
    if not text.strip():
        return Prose((("empty", "faint"),))
    if field == "body":
        return MarkdownText(body_of(text).strip())
    return Prose(((line_of(text, 2000), "title" if field == "title" else "text"),))


def _left_out(merging: Merging, glyphs: Glyphs) -> list[Block]:
    """Sentences of the sources that the result does not say."""
    blocks: list[Block] = []
    for card in merging.cards:
        for sentence in merging.unsaid(card):
            said = ((f"{glyphs.warning} not said, {line_of(card.name, 40)}: ", "state-warn"),)
            blocks.append(Prose((*said, (line_of(sentence, 500), "muted"))))
    return [Blank(), *blocks] if blocks else []


def _joined(merging: Merging) -> list[Block]:
    proposal, count = merging.proposal, len(merging.cards)
    scope = [proposal.scope.project or "", proposal.scope.branch or "", *proposal.scope.paths]
    return [
        Heading((("joined", "muted"),)),
        Fields((
            ("evidence", ((_count(len(proposal.evidence), "record"), "text"),)),
            ("verdicts", ((f"{_count(merging.verdicts, 'verdict')} handed on", "text"),)),
            ("scope", ((line_of("  ".join(part for part in scope if part)), "text"),)),
            ("weight", ((f"importance {proposal.importance:g}", "text"),)),
            ("sources", ((f"{count} kept, retired and superseded", "text"),)),
        )),
    ]  # fmt: skip


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
