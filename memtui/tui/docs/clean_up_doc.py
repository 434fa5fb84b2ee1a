"""The clean-up as a plan: what sleep would do, and which cards a person may put away now."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.bank.model import Item
from memtui.curate.sleep.model import Report, Step
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Document, Entry, Heading, Prose, document
from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs

_SHOWN = 3
_ROW = 200
"""Characters of a line of a step: more than a row of the box."""


def clean_up_document(
    report: Report, cold: Sequence[Item], lapsed: Sequence[Item], glyphs: Glyphs
) -> Document:
    """`cold` are cards shown often and never used, `lapsed` those whose expiry date has passed."""
    blocks: list[Block] = []
    safe = [step for step in report.steps if step.safe and step.count]
    safe.reverse()  # what is put away, then what is proposed, then what is read for it
    other = [step for step in report.steps if not step.safe and step.count and step.name != "cold"]
    if cold or lapsed:
        blocks += [Heading((("what you may put away", "heading"),)), Blank()]
    put_away = (
        ("cold cards", "shown 20 times or more, never used or confirmed", cold),
        ("expired cards", "held back already: their expiry date has passed", lapsed),
    )
    for name, why, items in put_away:
        if items:
            lines = tuple(item.title or item.name for item in items)
            blocks += _step(Step(name, name, len(items), why, lines[:_SHOWN]), glyphs)
    title = "what sleep would do" if safe else "sleep has nothing to do"
    cost = f"{report.read} sessions, {report.bytes / 1e6:.1f} MB, {report.seconds:.1f} s"
    blocks += [Heading(((title, "heading"),), ((cost, "muted"),)), Blank()]
    for step in safe:
        blocks += _step(step, glyphs)
    if report.drafted is not None:
        blocks += [Prose((("drafter: ", "muted"), (line_of(report.drafted.line), "text"))), Blank()]
    blocks += [
        Prose((("failed: ", "error"), (line_of(f"{name}: {why}", 400), "text")))
        for name, why in report.failed[:_SHOWN]
    ]
    if other:
        blocks += [Heading((("what needs a look", "heading"),)), Blank()]
    for step in other:
        blocks += _step(step, glyphs)
    return document("clean-up", "clean up", blocks)


def _step(step: Step, glyphs: Glyphs) -> list[Block]:
    count: Span = (f"{step.count} {step.noun}", "strong")
    blocks: list[Block] = [Prose((count, (f": {line_of(step.why, 300)}", "muted")))]
    dot = glyphs.separator
    blocks += [Entry(((f"  {dot} {line_of(line, _ROW)}", "text"),)) for line in step.lines[:_SHOWN]]
    more = step.count - len(step.lines[:_SHOWN])
    if step.lines and more > 0:
        blocks.append(Prose(((f"    and {more} more", "faint"),)))
    return [*blocks, Blank()]
