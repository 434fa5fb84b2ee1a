"""The next session's text as rows: every line with its tokens, the cut, and what was held back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

from memtui.inject.model import Decision
from memtui.inject.model import Line as PlanLine
from memtui.reasons import MEANING
from memtui.tui.docs import empty
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.spans import Line, Span, spread, wrap
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import FixedRows, Row
from memtui.workspace.model import BankView, Preview

TOKENS = 5
"""Cells of the column of tokens."""


class PreviewRows:
    """The rows at one width: the text, the cut, and what was held back, which is drawn when it is seen.

    Keys: `("line", n, part, handle)`, `("held", handle)`, `("rule", name)`.
    """

    def __init__(self, preview: Preview, view: BankView, width: int, glyphs: Glyphs) -> None:
        self._held = preview.held
        self._view = view
        self._glyphs = glyphs
        rows = _text_rows(preview, width, glyphs)
        if rows or self._held:
            if not rows:
                rows.append(_fixed(("rule", "empty"), [("nothing would be sent", "muted")], glyphs))
            cut = partial(_cut_line, preview, len(self._held), glyphs=glyphs)
            rows.append(Row(("rule", "cut"), cut))
        else:
            pieces = [piece for line in empty.nothing_sent() for piece in wrap(line, width - 1)]
            rows = [
                _fixed(("rule", f"empty-{number}"), piece, glyphs)
                for number, piece in enumerate(pieces)
            ]
        self._text = FixedRows(rows)
        self._where: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._text) + len(self._held)

    def key(self, index: int) -> Hashable:
        """What the row is about."""
        at = index - len(self._text)
        return self._text.key(index) if at < 0 else ("held", self._held[at].handle)

    def find(self, key: Hashable) -> int | None:
        """Where the row with this key is."""
        if not (isinstance(key, tuple) and key[:1] == ("held",)):
            return self._text.find(key)
        if self._where is None:
            self._where = {held.handle: at for at, held in enumerate(self._held)}
        found = self._where.get(key[1])
        return None if found is None else len(self._text) + found

    def version(self, index: int) -> Hashable:
        """Everything that the row shows."""
        at = index - len(self._text)
        if at < 0:
            return self._text.version(index)
        return self._held[at], _title(self._view, self._held[at].handle)

    def line(self, index: int, width: int) -> Line:
        """The row of one line of the text, or of one item that was held back."""
        at = index - len(self._text)
        if at < 0:
            return self._text.line(index, width)
        held = self._held[at]
        return _held_line(held, _title(self._view, held.handle), width, glyphs=self._glyphs)


def _title(view: BankView, handle: str) -> str:
    found = view.find(handle)
    return line_of(found.item.title or found.item.name) if found else ""


def _text_rows(preview: Preview, width: int, glyphs: Glyphs) -> list[Row]:
    """The exact text, wrapped; the first row of each line carries its tokens."""
    if not preview.plan.text:
        return []
    by_text: dict[str, PlanLine] = {line.text: line for line in preview.plan.lines}
    rows: list[Row] = []
    for number, text in enumerate(preview.plan.text.rstrip("\n").split("\n")):
        line = by_text.get(text)
        spans = _toned(body_of(text), line)
        first = width - TOKENS - 2 if line else None
        for part, piece in enumerate(wrap(spans, width, [("  ", "")], first)):
            cost = f"~{line.tokens}" if line and part == 0 else ""
            key = ("line", number, part, line.handle if line else "")
            rows.append(Row(key, partial(_text_line, piece, cost, glyphs), (text, cost)))
    return rows


def _toned(text: str, line: PlanLine | None) -> Line:
    """A sent line: its handle in the colour of keys; what is around the lines is quieter."""
    if line is None:
        return [(text, "muted")]
    mark = f"[{line.handle}]"
    before, found, after = text.partition(mark)
    tone = "text" if line.section == "checked" else "trust-unchecked"
    return [(before, tone), (mark, "key"), (after, tone)] if found else [(text, tone)]


def _text_line(piece: Line, cost: str, glyphs: Glyphs, width: int) -> Line:
    right: Line = [(f"{cost:>{TOKENS}} ", "faint")] if cost else []
    return spread(piece, right, width, glyphs.ellipsis)


def _cut_line(preview: Preview, held: int, width: int, *, glyphs: Glyphs) -> Line:
    """`╌╌ cut: 3 held back ╌╌╌╌╌╌`."""
    what = f"cut here, {held} held back" if held else "nothing held back"
    text = f"{glyphs.cut * 2} {what} "
    return [(text + glyphs.cut * max(0, width - len(text) - 1), "cut")]


def _held_line(decision: Decision, title: str, width: int, *, glyphs: Glyphs) -> Line:
    """`[k3f9qa] Title                    over budget`."""
    left: Line = [(f"[{decision.handle}] ", "muted"), (title, "muted")]
    return row(
        left, [[(f"{decision.reason} ", _reason_tone(decision.reason))]], width, 14, glyphs.ellipsis
    )


def _reason_tone(reason: str) -> str:
    return "cut" if reason.startswith("over") else "state-warn"


def _fixed(key: tuple[str, ...], line: Sequence[Span], glyphs: Glyphs) -> Row:
    def draw(width: int) -> Line:
        return spread(line, [], width, glyphs.ellipsis)

    return Row(key, draw)


def handle_of(key: object) -> str:
    """The handle behind a row, "" for a row that is no card's or page's."""
    if isinstance(key, tuple) and key:
        if key[0] == "held":
            return str(key[1])
        if key[0] == "line":
            return str(key[3])
    return ""


def gauge(preview: Preview, width: int, glyphs: Glyphs) -> list[Line]:
    """Host and source, then the budget as a bar: `████████░░░ ~412 of 600`."""
    options, plan = preview.options, preview.plan
    head: Line = [
        (options.host, "title"),
        (f" {glyphs.separator} {options.source}", "text"),
        (f" {line_of(options.resumes.partition(':')[2], 9)}" if options.resumes else "", "muted"),
    ]
    if options.branch:
        head.append((f" {glyphs.separator} {line_of(options.branch, 40)}", "muted"))
    own = "" if options.budget is None else " set"
    words = f" ~{plan.tokens} of {plan.budget}{own}"
    lines = f"{len(plan.lines)} line{'' if len(plan.lines) == 1 else 's'}"
    size = max(6, width - len(words) - len(lines) - 3)
    filled = min(size, round(size * plan.tokens / plan.budget)) if plan.budget else 0
    bar: Line = [
        (glyphs.full * filled, "accent"),
        (glyphs.empty * (size - filled), "faint"),
        (words, "text"),
    ]
    return [
        spread(head, [], width, glyphs.ellipsis),
        spread(bar, [(lines, "muted")], width, glyphs.ellipsis),
    ]


def meaning(reason: str) -> str:
    """A reason in a sentence."""
    return MEANING.get(reason, reason)
