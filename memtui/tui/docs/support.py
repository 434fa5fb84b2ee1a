"""What a card or page rests on: rows of claims and citations, and the excerpt of a record that is gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memtui.bank.model import Evidence
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import Blank, Block, Document, Heading, Prose, Raw, document
from memtui.tui.docs.item_rows import (
    check_span,
    cited_row,
    claim_row,
    evidence_row,
    evidence_view_row,
    missing_row,
)
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.workspace.model import ClaimView, EvidenceView


def claim_rows(claims: Sequence[ClaimView], glyphs: Glyphs) -> list[Row]:
    """Every claim, and under it the cards that it cites. Keys: `("claim", n, card id, ...)`."""
    rows: list[Row] = []
    for index, claim in enumerate(claims):
        first = claim.cards[0].item.id if claim.cards else ""
        rows.append(
            Row(("claim", index, first), partial(claim_row, index, claim, glyphs=glyphs), claim)
        )
        for card in claim.cards:
            key = ("claim", index, card.item.id, "card")
            rows.append(Row(key, partial(cited_row, card, glyphs=glyphs), card))
        for name in claim.missing:
            key = ("claim", index, "", name)
            rows.append(Row(key, partial(missing_row, name, glyphs=glyphs)))
    return rows


def citation_rows(cited: Sequence[Evidence], glyphs: Glyphs) -> list[Row]:
    """Citations that are still being checked. Keys: `("evidence", n)`."""
    return [
        Row(
            ("evidence", index),
            partial(evidence_row, index, one.quote, one.ref, None, glyphs=glyphs),
        )
        for index, one in enumerate(cited)
    ]


def evidence_rows(evidence: Sequence[EvidenceView], glyphs: Glyphs) -> list[Row]:
    """Checked citations, under the same keys."""
    return [
        Row(("evidence", index), partial(evidence_view_row, index, one, glyphs=glyphs), one.check)
        for index, one in enumerate(evidence)
    ]


def excerpt_document(view: EvidenceView, index: int, glyphs: Glyphs) -> Document:
    """The redacted excerpt that the bank kept of a cited record, and that it is one."""
    sign, tone = check_span(view.check, glyphs)
    excerpt, quote = view.excerpt, body_of(view.evidence.quote)
    words = line_of(view.detail) or "the transcript is not there"
    blocks: list[Block] = [Prose(((sign, tone), (f"  {words}", "text")))]
    if excerpt is not None:
        blocks += [
            Prose((("kept with the bank, redacted, when the card was made:", "muted"),)),
            Blank(),
            Heading(
                ((line_of(excerpt.kind), "muted"), (f"  {line_of(excerpt.at or '')}", "faint"))
            ),
            Raw(body_of(excerpt.text), "text", "state-absent"),
        ]
    elif quote:
        blocks += [
            Prose((("no excerpt was kept; this is the quote in the card:", "muted"),)),
            Blank(),
            Raw(quote, "text", "state-absent"),
        ]
    else:
        blocks.append(Prose((("no excerpt was kept", "muted"),)))
    blocks += [
        Blank(),
        Heading((("record", "muted"),)),
        Raw(line_of(view.evidence.ref, 1000), "faint"),
    ]
    return document(f"excerpt:{view.evidence.ref}:{index}", "kept excerpt", blocks)
