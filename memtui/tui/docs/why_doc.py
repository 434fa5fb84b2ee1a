"""Why an item is shown or held back next time, and how its trust adds up."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.reasons import MEANING, SHOWN, WARNINGS
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Document, Fields, Heading, Prose, document
from memtui.tui.docs.item_rows import trust_span
from memtui.tui.docs.past_doc import past_blocks
from memtui.tui.glyphs import Glyphs
from memtui.workspace.model import ClaimView, ItemView, PastDecision, Preview


def why_document(
    view: ItemView,
    preview: Preview | None,
    glyphs: Glyphs,
    claims: Sequence[ClaimView] = (),
    past: Sequence[PastDecision] | None = None,
) -> Document:
    """The decision of the next plan about the item, its states, its trust as a sum, and its past.

    `claims` are a page's: those that lost their support are named, with what became of their cards.
    `past` of None is still being read.
    """
    item = view.item
    blocks: list[Block] = [Prose(((line_of(item.title or item.name), "title"),)), Blank()]
    blocks += _next_time(view, preview, glyphs)
    warnings = [state for state in view.states if state.reason in WARNINGS]
    for state in warnings:
        cause = f": {line_of(state.cause)}" if state.cause else ""
        blocks.append(Prose(((f"{glyphs.warning} {state.reason}{cause}", "state-warn"),)))
    blocks += _lost(claims, glyphs)
    blocks += [Blank(), Heading((("trust", "muted"),)), *_trust(view, glyphs)]
    blocks += past_blocks(past, glyphs)
    return document(f"why:{item.id}", "why", blocks)


def _lost(claims: Sequence[ClaimView], glyphs: Glyphs) -> list[Block]:
    """The sentences of a page of which no cited card holds, and why not."""
    lost = [claim for claim in claims if not claim.holds and (claim.cards or claim.missing)]
    if not claims:
        return []
    title = (
        f"{len(lost)} of {len(claims)} claims lost their support" if lost else "every claim holds"
    )
    blocks: list[Block] = [Blank(), Heading(((title, "muted"),))]
    for claim in lost:
        said = line_of(claim.claim.text, 500)
        blocks.append(Prose(((f"{glyphs.gone} ", "state-absent"), (said, "text"))))
        for card in claim.cards:
            state = card.states[0] if card.states else None
            cause = f": {line_of(state.cause)}" if state and state.cause else ""
            reason = f"{state.reason}{cause}" if state else ""
            name = f"  {glyphs.child} {line_of(card.item.name, 80)} "
            blocks.append(Prose(((name, "link"), (reason, "state-absent"))))
        for missing in claim.missing:
            name = f"  {glyphs.child} {line_of(missing, 80)} "
            blocks.append(Prose(((name, "link"), ("no such card", "state-absent"))))
    if lost:
        blocks.append(Prose((("C", "key"), (" rebuilds the page without them", "muted"))))
    return blocks


def _next_time(view: ItemView, preview: Preview | None, glyphs: Glyphs) -> list[Block]:
    if preview is None:
        return [Prose((("the next session is not planned yet", "muted"),))]
    decision = next((d for d in preview.plan.decisions if d.handle == view.item.id), None)
    if decision is None:
        return [Prose((("the plan does not know it yet", "muted"),))]
    options = preview.options
    where = f"next session of {options.host} ({options.source})"
    if decision.reason == SHOWN:
        head = Prose(
            ((f"{glyphs.verified} shown, line {decision.rank}", "ok"), (f"  {where}", "muted"))
        )
    else:
        head = Prose(
            (
                (f"{glyphs.gone} held back: {decision.reason}", "state-absent"),
                (f"  {where}", "muted"),
            )
        )
    blocks: list[Block] = [head]
    if decision.reason in MEANING and decision.reason != SHOWN:
        blocks.append(Prose(((MEANING[decision.reason], "text"),)))
    cause = next((s.cause for s in view.states if s.reason == decision.reason), "")
    for detail in filter(None, (line_of(decision.detail), line_of(cause))):
        blocks.append(Prose(((detail, "muted"),)))
    if decision.score or decision.tokens:
        blocks.append(Fields((
            ("rank score", ((f"{decision.score:.3f}", "text"),)),
            ("tokens", ((f"~{decision.tokens}", "text"),)),
        )))  # fmt: skip
    return blocks


def _trust(view: ItemView, glyphs: Glyphs) -> list[Block]:
    """The printed formula with this item's counts."""
    trust = view.trust
    above = 1 + 2 * trust.confirmed + trust.validated
    below = above + 1 + 3 * trust.flagged
    counts = f"{trust.confirmed} confirmed, {trust.validated} validated, {trust.flagged} flagged"
    sum_above = f"1 + 2x{trust.confirmed} + {trust.validated}"
    sum_below = f"2 + 2x{trust.confirmed} + {trust.validated} + 3x{trust.flagged}"
    return [
        Prose(
            (*trust_span(view, glyphs), (f"  {trust.tier.value}", "text"), (f"  {counts}", "muted"))
        ),
        Prose(
            ((f"({sum_above}) / ({sum_below}) = {above} / {below} = {trust.score:.2f}", "text"),)
        ),
        Prose(
            (
                (
                    "1 and 2 are where every card starts; being shown to an agent adds nothing",
                    "faint",
                ),
            )
        ),
    ]
