"""Markdown to lines of toned spans, at any length in linear time.

Textual's Markdown widget mounts hundreds of widgets for ten kilobytes and Rich's render knows no
theme variables; a reading pane needs neither links nor focus inside the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from memtui.tui.docs.spans import Line, Span, clip, fit, plain, width_of, wrap, wrap_raw
from memtui.tui.glyphs import Glyphs

# 60 modules that the first paint does not need.
if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_CITATION = re.compile(r"(\[\[[^\[\]]+\]\])")
_TONES = {"strong_open": "strong", "em_open": "em", "link_open": "link"}


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def markdown_lines(text: str, width: int, glyphs: Glyphs, base: str = "text") -> list[Line]:
    """The lines of sanitized Markdown `text` at `width` cells."""
    return _Writer(_parser().parse(text), max(width, 8), glyphs, base).lines()


def _cited(text: str, tone: str) -> Line:
    """Text with its `[[name]]` citations toned as links."""
    return [
        (part, "link" if part.startswith("[[") else tone) for part in _CITATION.split(text) if part
    ]


def _inline(tokens: Sequence[Token], base: str) -> list[Line]:
    """The spans of inline tokens: one list for each hard line break."""
    lines: list[Line] = [[]]
    tones = [base]
    links: list[tuple[str, int]] = []
    for token in tokens:
        if token.type in ("text", "html_inline"):
            lines[-1].extend(_cited(token.content, tones[-1]))
        elif token.type == "code_inline":
            lines[-1].append((token.content, "code"))
        elif token.type in _TONES:
            tones.append(_TONES[token.type])
            if token.type == "link_open":
                links.append((str(token.attrGet("href") or ""), len(lines[-1])))
        elif token.type in ("strong_close", "em_close", "link_close"):
            tones.pop()
            if token.type == "link_close":
                href, start = links.pop()
                if href and href != plain(lines[-1][start:]):
                    lines[-1].append((f" ({href})", "faint"))
        elif token.type == "image":
            lines[-1].append((f"[{token.content or 'image'}]", "muted"))
        elif token.type == "softbreak":
            lines[-1].append((" ", tones[-1]))
        elif token.type == "hardbreak":
            lines.append([])
    return lines


class _Writer:
    """Walks the flat token list of markdown-it with a stack of line prefixes."""

    def __init__(self, tokens: Sequence[Token], width: int, glyphs: Glyphs, base: str) -> None:
        self._tokens = tokens
        self._width = width
        self._glyphs = glyphs
        self._base = base
        self._out: list[Line] = []
        self._hang: list[Span] = []
        self._first: Line | None = None
        self._lists: list[int | None] = []
        self._rows: list[list[Line]] = []

    def lines(self) -> list[Line]:
        """All lines, without blank ones at the end."""
        heading = ""
        for index, token in enumerate(self._tokens):
            kind = token.type
            if kind == "heading_open":
                heading = token.tag
            elif kind == "heading_close":
                heading = ""
            elif kind == "inline":
                self._text(token, heading, index)
            elif kind in ("fence", "code_block", "html_block"):
                self._code(token.content, "code" if kind != "html_block" else "muted")
            elif kind == "hr":
                self._gap()
                self._put([(self._glyphs.rule * max(self._room(), 1), "faint")])
            else:
                self._structure(token, index)
        while self._out and not plain(self._out[-1]).strip():
            self._out.pop()
        return self._out

    def _structure(self, token: Token, index: int) -> None:
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            start = token.attrGet("start")
            ordered = kind == "ordered_list_open"
            if not self._lists:
                self._gap()
            self._lists.append(int(start if start is not None else 1) if ordered else None)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
            if not self._lists:
                self._gap()
        elif kind == "list_item_open":
            number = self._lists[-1]
            sign = f"{number}. " if number is not None else f"{self._glyphs.bullet} "
            if number is not None:
                self._lists[-1] = number + 1
            self._first = [(sign, "faint")]
            self._hang.append((" " * len(sign), ""))
        elif kind == "list_item_close":
            self._hang.pop()
            self._first = None
        elif kind == "blockquote_close":
            self._hang.pop()
            if self._out and not plain(self._out[-1]).strip(f" {self._glyphs.quote}"):
                self._out[-1] = []
        elif kind == "blockquote_open":
            self._gap()
            self._hang.append((f"{self._glyphs.quote} ", "faint"))
        elif kind == "paragraph_close":
            if not token.hidden and not self._lists:
                self._gap()
        elif kind == "tr_open":
            self._rows.append([])
        elif kind == "table_close":
            self._table()

    def _room(self) -> int:
        return self._width - width_of(self._hang)

    def _gap(self) -> None:
        """One blank line, never two, never at the start or right below a heading."""
        if (
            self._out
            and not self._below_heading()
            and plain(self._out[-1]).strip(f" {self._glyphs.quote}")
        ):
            self._out.append(list(self._hang) if any(s[1] for s in self._hang) else [])

    def _below_heading(self) -> bool:
        return bool(self._out[-1]) and self._out[-1][-1][1] == "heading"

    def _put(self, line: Line) -> None:
        prefix = list(self._hang)
        if self._first is not None and prefix:
            prefix[-1:] = self._first
            self._first = None
        self._out.append([*prefix, *line])

    def _text(self, token: Token, heading: str, index: int) -> None:
        tone = "heading" if heading else self._base
        pieces = _inline(token.children or (), tone)
        opener = self._tokens[index - 1].type
        if opener in ("th_open", "td_open"):
            joined: Line = [span for piece in pieces for span in piece]
            self._rows[-1].append(joined)
            return
        if heading:
            self._gap()
        for piece in pieces:
            for line in wrap(piece, self._room()):
                self._put(line)
        if heading == "h1":
            self._put([(self._glyphs.rule * min(self._room(), width_of(pieces[0])), "faint")])

    def _code(self, content: str, tone: str) -> None:
        self._gap()
        bar = f"{self._glyphs.quote} "
        for text in content.rstrip("\n").split("\n"):
            for line in wrap_raw(text, tone, self._room() - 2):
                self._put([(bar, "faint"), *line])
        self._out.append(list(self._hang))

    def _table(self) -> None:
        """A table with columns as wide as their content, shrunk from the widest when too wide."""
        rows, self._rows = self._rows, []
        count = max((len(row) for row in rows), default=0)
        if not count:
            return
        widths = [
            max((width_of(row[i]) for row in rows if i < len(row)), default=1) for i in range(count)
        ]
        room = self._room() - 2 * (count - 1)
        while sum(widths) > room and max(widths) > 4:
            widths[widths.index(max(widths))] -= 1
        self._gap()
        for number, row in enumerate(rows):
            line: Line = []
            for i, size in enumerate(widths):
                cell = row[i] if i < len(row) else []
                line.extend(self._cell(cell, size, "strong" if number == 0 else ""))
                if i + 1 < count:
                    line.append(("  ", ""))
            self._put(line)
            if number == 0:
                self._put([(self._glyphs.rule * min(sum(widths) + 2 * (count - 1), room), "faint")])
        self._gap()

    def _cell(self, cell: Line, size: int, tone: str) -> Line:
        ellipsis = self._glyphs.ellipsis
        if width_of(cell) > size or tone:
            return [(fit(clip(plain(cell), size, ellipsis), size, ellipsis), tone or self._base)]
        return [*cell, (" " * (size - width_of(cell)), "")]
