"""Projects as rows of a list, and what was found in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from memtui.bank.model import Tier
from memtui.tui.docs.clean import homely, line_of
from memtui.tui.docs.columns import highlight, row
from memtui.tui.docs.recall_rows import marked
from memtui.tui.docs.spans import Line, Span, clip, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.tui.tones import tier_sign
from memtui.tui.when import age
from memtui.workspace.everywhere import Anywhere, FoundCard
from memtui.workspace.finding import FoundTurn
from memtui.workspace.projects import Found

SORTS = {
    "activity": ("last activity", "l"),
    "name": ("name", "n"),
    "sessions": ("sessions, most first", "s"),
    "cards": ("cards, most first", "c"),
    "waiting": ("proposals waiting, most first", "w"),
}
_KEEP = 20
"""Cells that a name keeps before columns beside it are dropped."""


def ordered(rows: Sequence[Found], sort: str) -> list[Found]:
    """The rows in an order; within it by last activity."""
    newest = sorted(rows, key=lambda one: (-(one.last or 0), one.name.casefold(), one.key))
    if sort == "name":
        return sorted(newest, key=lambda one: one.name.casefold())
    if sort in ("sessions", "cards", "waiting"):
        return sorted(newest, key=lambda one: -int(getattr(one, sort) or 0))
    return newest


def project_rows(
    rows: Sequence[Found], words: Sequence[str], now: datetime, home: Path, glyphs: Glyphs
) -> list[Row]:
    """Rows with the project's key."""
    return [
        Row(
            one.key,
            partial(_line, one, tuple(words), now, home, glyphs),
            (one, tuple(words), age(one.last, now)),
        )
        for one in rows
    ]


def name_of(one: Found) -> str:
    """What a project is called on screen."""
    return line_of(one.name) or "(no folder)"


def place_of(one: Found, home: Path) -> str:
    """Its folder, with `~`; the bank's where there is none."""
    path = one.folder or one.bank
    if path is None:
        return ""
    return line_of(homely(path, home))


def health_tone(one: Found) -> str:
    """The tone of its health."""
    if not one.looked or one.bank is None:
        return "muted"
    return "state-warn" if one.troubles else "ok"


def _line(
    one: Found, words: tuple[str, ...], now: datetime, home: Path, glyphs: Glyphs, width: int
) -> Line:
    """`svc-order  ~/work/svc-order     2d  17 sessions  36 cards  3 waiting  ok`."""
    left: Line = [(name_of(one), "strong" if one.here else "text")]
    if one.here:
        left.append((" here", "accent"))
    left.append((f"  {place_of(one, home)}", "faint"))
    when = age(one.last, now) or "-"
    right: list[Sequence[Span]] = [
        [(f"{when:>4}", "muted")],
        [(_counted(one.sessions, "session", 13), "text" if one.sessions else "faint")],
        [_cards(one)],
        [_waiting(one)],
        [(fit(_told(one), 24, glyphs.ellipsis), health_tone(one))],
    ]
    return row(highlight(left, words), right, width, _KEEP, glyphs.ellipsis)


def _told(one: Found) -> str:
    """Its health, but for what the column of the cards says already."""
    return line_of("" if one.bank is None and not one.troubles else one.health, 60)


def _counted(count: int, word: str, width: int) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}".rjust(width)


def _cards(one: Found) -> Span:
    if not one.looked:
        return " " * 9, ""
    if one.bank is None:
        return f"{'no bank':>9}", "faint"
    return _counted(one.cards, "card", 9), "text"


def _waiting(one: Found) -> Span:
    if one.waiting is None:
        return f"{'? waiting':>10}", "state-warn"
    if not one.waiting:
        return " " * 10, ""
    return f"{one.waiting} waiting".rjust(10), "accent"


def found_rows(found: Anywhere, words: Sequence[str], now: datetime, glyphs: Glyphs) -> list[Row]:
    """Rows with keys `("card", bank, row)` and `("turn", session, seq)`."""
    shown = tuple(words)
    rows = [
        Row(
            ("card", card.hit.document.key),
            partial(_card_line, card, shown, glyphs),
            (card, shown),
        )
        for card in found.cards
    ]
    folders = found.folders or {}
    rows += [
        Row(
            ("turn", turn.session, turn.seq),
            partial(_turn_line, turn, folders.get(turn.session, ""), now, glyphs),
            (turn, now),
        )
        for turn in found.turns
    ]
    return rows


def _card_line(card: FoundCard, words: tuple[str, ...], glyphs: Glyphs, width: int) -> Line:
    document = card.hit.document
    try:
        sign, tone = tier_sign(Tier(document.tier), glyphs)
    except ValueError:
        sign, tone = " ", ""
    left: Line = [(f"{document.layer:<5}", "muted"), (f"{sign} ", tone)]
    left += highlight([(line_of(document.title or document.name), "text")], words)
    project = clip(line_of(card.project, 60), 24, glyphs.ellipsis)
    return row(left, [[(project, "role-call")]], width, _KEEP, glyphs.ellipsis)


def _turn_line(turn: FoundTurn, folder: str, now: datetime, glyphs: Glyphs, width: int) -> Line:
    left: Line = [(f"{age(turn.at, now) or '-':<5}", "muted"), (f"{glyphs.note} ", "faint")]
    left += marked(turn)
    project = clip(line_of(Path(folder).name or folder, 60), 24, glyphs.ellipsis)
    return row(left, [[(project, "role-call")]], width, _KEEP, glyphs.ellipsis)
