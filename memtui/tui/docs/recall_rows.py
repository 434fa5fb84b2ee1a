"""Results of a search as rows: those shown, the cut, and what fell out with its stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from memtui.bank.model import Tier
from memtui.recall.model import Document, Dropped, Hit, Move, Results, Stage
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import highlight, row
from memtui.tui.docs.spans import Line, Span, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.tui.tones import tier_sign
from memtui.tui.when import age, clock
from memtui.workspace.finding import FoundTurn

_TITLE = 20
"""Cells that a title keeps before columns beside it are dropped."""
_LISTS = {"words": "words", "trigram": "parts", "vectors": "meaning", "start": "start"}


def result_rows(
    results: Results, moves: Mapping[str, Move] | None, glyphs: Glyphs, words: Sequence[str]
) -> list[Row]:
    """Rows with keys `("hit", key)`, `("rule",)`, `("out", key)`; `moves` of None shows no rank marks."""
    rows = [
        Row(
            ("hit", hit.document.key),
            partial(_hit_line, hit, _mark(moves, hit, glyphs), glyphs, tuple(words)),
            (hit, None if moves is None else moves.get(hit.document.key), tuple(words)),
        )
        for hit in results.hits
    ]
    if results.dropped:
        count = len(results.dropped)
        rows.append(Row(("rule",), partial(_rule_line, count, glyphs), count))
    rows += [
        Row(
            ("out", dropped.document.key),
            partial(_out_line, dropped, glyphs, tuple(words)),
            (dropped, tuple(words)),
        )
        for dropped in results.dropped
    ]
    return rows


def found_by(sources: Sequence[str]) -> str:
    """The lists that proposed an item, in words."""
    return ", ".join(_LISTS.get(name, name) for name in sources)


def _mark(moves: Mapping[str, Move] | None, hit: Hit, glyphs: Glyphs) -> Span | None:
    """`↑2`, `↓1`, `new`, `=`: against the bank's own ranking."""
    if moves is None:
        return None
    move = moves.get(hit.document.key)
    if move is None or move.before == move.after:
        return fit("=", 4), "faint"
    if not move.before:
        return fit("new", 4), "ok"
    step = move.before - move.after
    if step > 0:
        return fit(f"{glyphs.up}{step}", 4), "ok"
    return fit(f"{glyphs.down}{-step}", 4), "warn"


def _hit_line(
    hit: Hit, mark: Span | None, glyphs: Glyphs, words: tuple[str, ...], width: int
) -> Line:
    left: Line = [(f"{hit.rank:>2} ", "muted")]
    if mark is not None:
        left.append(mark)
    left += [(f"{hit.score:5.3f} ", "strong"), *_title(hit.document, glyphs, words, "text")]
    right: list[Sequence[Span]] = [[(fit(hit.document.type, 10), "muted")]]
    if width >= 74:
        right.append([(fit(found_by(hit.sources), 21), "faint")])
    return row(left, right, width, _TITLE + 12, glyphs.ellipsis)


def _out_line(dropped: Dropped, glyphs: Glyphs, words: tuple[str, ...], width: int) -> Line:
    score = "    - " if dropped.score is None else f"{dropped.score:5.3f} "
    left: Line = [("   ", ""), (score, "faint"), *_title(dropped.document, glyphs, words, "muted")]
    return row(left, [[(stage_words(dropped), "state-warn")]], width, _TITLE + 8, glyphs.ellipsis)


def stage_words(dropped: Dropped) -> str:
    """Where it fell out, in a word or two."""
    if dropped.stage in (Stage.STATUS, Stage.FILTER) and dropped.reason:
        return dropped.reason
    return dropped.stage.value


def _title(document: Document, glyphs: Glyphs, words: Sequence[str], tone: str) -> Line:
    try:
        sign, sign_tone = tier_sign(Tier(document.tier), glyphs)
    except ValueError:
        sign, sign_tone = " ", ""
    title: Line = [(line_of(document.title or document.name), tone)]
    return [(f"{sign} ", sign_tone), *highlight(title, words)]


def _rule_line(count: int, glyphs: Glyphs, width: int) -> Line:
    text = f"{glyphs.cut * 2} {count} fell out "
    return [(text + glyphs.cut * max(0, width - len(text) - 1), "cut")]


def turn_rows(turns: Sequence[FoundTurn], now: datetime, glyphs: Glyphs) -> list[Row]:
    """Rows of session hits, with keys `("turn", session, seq)`."""
    return [
        Row(
            ("turn", turn.session, turn.seq),
            partial(_turn_line, turn, now, glyphs),
            (turn, now),
        )
        for turn in turns
    ]


def _turn_line(turn: FoundTurn, now: datetime, glyphs: Glyphs, width: int) -> Line:
    """`3w 14:02  ...the passage with its words...   session title`."""
    old = age(turn.at, now)
    left: Line = [(f"{old:>4} {clock(turn.at)} ", "faint"), *marked(turn)]
    if turn.missing:
        left.append((f"  without {line_of(', '.join(turn.missing), 40)}", "state-warn"))
    right: list[Sequence[Span]] = []
    if width >= 90:
        right = [[(fit(line_of(turn.title, 60), 26, glyphs.ellipsis), "muted")]]
    return row(left, right, width, _TITLE + 12, glyphs.ellipsis)


def marked(turn: FoundTurn) -> Line:
    """The passage, its words toned as matches."""
    words = {turn.passage[start:end] for start, end in turn.marks}
    return highlight([(line_of(turn.passage), "text")], sorted(words, key=len, reverse=True))
