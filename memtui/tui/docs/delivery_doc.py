"""What a session was sent by memtui's hook and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.agents.receipts import AS_PREVIEWED, Delivery, Outcome
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import Blank, Block, DiffText, Heading, Prose, Raw
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import full, milliseconds


def delivery_blocks(deliveries: Sequence[Delivery], glyphs: Glyphs) -> list[Block]:
    """A heading with the number of deliveries, then each with its receipt, oldest first."""
    count = len(deliveries)
    note = f"{count}" if count else "none"
    blocks: list[Block] = [Blank(), Heading((("deliveries", "heading"),), ((note, "muted"),))]
    if not deliveries:
        blocks.append(Prose((("memtui sent nothing of this bank to it", "muted"),)))
    for delivery in deliveries:
        blocks += _delivery(delivery, glyphs)
    return blocks


def _delivery(delivery: Delivery, glyphs: Glyphs) -> list[Block]:
    injection = delivery.injection
    sign, tone = outcome_sign(delivery.outcome, glyphs)
    count = len(injection.lines)
    size = f"{count} line{'' if count == 1 else 's'}, ~{injection.tokens} of {injection.budget}"
    when = full(milliseconds(injection.at))
    meta = f" {glyphs.separator} ".join((line_of(injection.source, 20), when, size))
    blocks: list[Block] = [
        Prose(((f"{sign} {delivery.outcome.value}", tone), (f"  {meta}", "muted")))
    ]
    if delivery.detail not in ("", AS_PREVIEWED):
        blocks.append(Prose(((line_of(delivery.detail), "text"),)))
    if delivery.diff:
        blocks.append(DiffText(body_of(delivery.diff)))
    elif injection.text:
        blocks.append(Raw(body_of(injection.text), "muted", "accent"))
    return [*blocks, Blank()]


def outcome_sign(outcome: Outcome, glyphs: Glyphs) -> Span:
    """The sign and tone of what became of a delivery."""
    return {
        Outcome.DELIVERED: (glyphs.verified, "ok"),
        Outcome.DIFFERS: (glyphs.changed, "state-warn"),
        Outcome.MISSING: (glyphs.gone, "state-absent"),
        Outcome.WAITING: (glyphs.ellipsis, "muted"),
        Outcome.NOTHING: (glyphs.note, "muted"),
    }[outcome]
