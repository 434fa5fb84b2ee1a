"""What the log says of one card in past sessions."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.inject.model import Decision
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Heading, Prose
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import full, milliseconds
from memtui.workspace.model import PastDecision

SHOWN = 20
"""Past sessions that the answer to `w` lists; the command lists any number."""


def past_blocks(past: Sequence[PastDecision] | None, glyphs: Glyphs) -> list[Block]:
    """What was decided about an item in past sessions, newest first; None while it is being read."""
    blocks: list[Block] = [Blank(), Heading((("past sessions", "muted"),))]
    if past is None:
        return [*blocks, Prose((("reading the log", "faint"),))]
    if not past:
        return [*blocks, Prose((("the log of this bank has none", "faint"),))]
    blocks += [_past(one, glyphs) for one in past[:SHOWN]]
    more = len(past) - SHOWN
    if more > 0:
        blocks.append(Prose(((f"{more} more: `memtui why` lists them", "faint"),)))
    return blocks


def _past(one: PastDecision, glyphs: Glyphs) -> Block:
    where = f"{line_of(one.host, 20)} {line_of(one.session.partition(':')[2], 8)}"
    meta = f"{full(milliseconds(one.at))}  {line_of(one.source, 20)}  {where}"
    return Prose((*_decided(one.decision, glyphs), (f"  {meta}", "muted")))


def _decided(decision: Decision | None, glyphs: Glyphs) -> tuple[Span, ...]:
    if decision is None:
        return ((f"{glyphs.note} not in the log", "muted"),)
    if decision.rank:
        return ((f"{glyphs.verified} shown, line {decision.rank}", "ok"),)
    detail = f" ({line_of(decision.detail, 80)})" if decision.detail else ""
    return ((f"{glyphs.gone} held back: {line_of(decision.reason, 40)}{detail}", "state-absent"),)
