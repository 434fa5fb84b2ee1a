"""The settings of the laboratory as rows, and the retrieval log as rows and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from memtui.ledger.model import RetrievalRecord
from memtui.recall.model import Settings
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.document import Blank, Block, Document, Fields, Heading, Prose, document
from memtui.tui.docs.spans import Line, Span, fit, spread
from memtui.tui.glyphs import Glyphs
from memtui.tui.laboratory import KNOBS, Knob
from memtui.tui.rows import Row
from memtui.tui.when import age, full, milliseconds

_SHOWN = 20
"""Candidates of a logged search that are listed."""


def lab_rows(own: Settings, tried: Settings, glyphs: Glyphs) -> list[Row]:
    """A row for each setting, its key the setting's name."""
    return [
        Row(knob.name, partial(_knob_line, knob, own, tried, glyphs), (own, tried))
        for knob in KNOBS
    ]


def _knob_line(knob: Knob, own: Settings, tried: Settings, glyphs: Glyphs, width: int) -> Line:
    """`meaning               0.4 > 0.2`."""
    before, after = knob.shown(own), knob.shown(tried)
    if before == after:
        return spread([(knob.label, "text")], [(f"{after} ", "muted")], width, glyphs.ellipsis)
    right: Line = [(before, "muted"), (f" {glyphs.arrow} ", "faint"), (f"{after} ", "accent")]
    return spread([(knob.label, "strong")], right, width, glyphs.ellipsis)


def log_rows(records: Sequence[RetrievalRecord], now: datetime, glyphs: Glyphs) -> list[Row]:
    """A row for each logged search, its key the record's id."""
    return [
        Row(("log", record.id), partial(_log_line, record, now, glyphs), now) for record in records
    ]


def _log_line(record: RetrievalRecord, now: datetime, glyphs: Glyphs, width: int) -> Line:
    """`2d terminal  query                 3 of 12  ~240  4.1 ms  hybrid`."""
    shown = len(record.shown)
    left: Line = [
        (f"{age(milliseconds(record.at), now):>4} ", "faint"),
        (fit(record.origin, 9), "muted"),
    ]
    if record.empty:
        left.append((f"{glyphs.gone} ", "state-absent"))
    left.append((line_of(record.query) or "(nothing)", "state-warn" if record.empty else "text"))
    count: Span = (fit(f"{shown} of {len(record.candidates)}", 9, right=True), "text")
    if record.empty:
        count = (fit("nothing", 9, right=True), "state-absent")
    cost: list[Span] = [
        (f" ~{record.tokens:<5}", "muted"),
        (fit(f"{record.ms:.1f} ms", 10, right=True), "muted"),
    ]
    return row(left, [[count], cost, [(fit(record.mode, 13), "faint")]], width, 34, glyphs.ellipsis)


def log_document(record: RetrievalRecord, titles: Mapping[str, str], glyphs: Glyphs) -> Document:
    """One logged search: who, when, how long, and what became of each candidate."""
    rows: list[tuple[str, tuple[Span, ...]]] = [
        ("when", ((full(milliseconds(record.at)), "text"),)),
        ("from", ((line_of(f"{record.origin} {record.session}"), "text"),)),
        ("mode", ((line_of(record.mode), "text"),)),
        ("cost", ((f"~{record.tokens} tokens, {record.ms:.1f} ms", "text"),)),
        ("shown", ((f"{len(record.shown)} of {len(record.candidates)} candidates", "text"),)),
    ]
    blocks: list[Block] = [
        Prose(((line_of(record.query) or "(nothing)", "title"),)),
        Fields(tuple(rows)),
    ]
    if record.empty:
        gap = "nothing was found: a gap in the bank, or words that no card uses"
        blocks += [Blank(), Prose(((f"{glyphs.gone} {gap}", "state-warn"),))]
    if record.candidates:
        blocks += [Blank(), Heading((("candidates", "muted"),))]
    for candidate in record.candidates[:_SHOWN]:
        blocks.append(Prose(_candidate(candidate, titles)))
    more = len(record.candidates) - _SHOWN
    if more > 0:
        blocks.append(Prose(((f"and {more} more", "faint"),)))
    return document(f"log:{record.id}", "search", blocks)


def _candidate(candidate: Mapping[str, Any], titles: Mapping[str, str]) -> tuple[Span, ...]:
    handle = str(candidate.get("id", ""))
    score = candidate.get("score")
    number = f"{score:6.3f}  " if isinstance(score, int | float) else "     -  "
    stage = str(candidate.get("stage", ""))
    why = str(candidate.get("reason") or stage)
    title = line_of(titles.get(handle, "no longer in the bank"), 90)
    rank = candidate.get("rank")
    where: Span = (
        (f"  rank {rank}", "ok") if stage == "shown" else (f"  {line_of(why)}", "state-warn")
    )
    return (number, "muted"), (f"{line_of(handle)}  ", "key"), (title, "text"), where
