"""A document for the detail pane: blocks that lay themselves out at any width."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memtui.tui.docs.diff import diff_lines
from memtui.tui.docs.markdown import markdown_lines
from memtui.tui.docs.spans import Line, Span, clip_line, width_of, wrap, wrap_raw
from memtui.tui.docs.terms import Terms
from memtui.tui.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class Prose:
    """Plain text with tones, wrapped at spaces."""

    spans: tuple[Span, ...]

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """The paragraph's lines."""
        return wrap(self.spans, width)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a list, cut where the room ends."""

    spans: tuple[Span, ...]

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """One line."""
        return [clip_line(self.spans, width, glyphs.ellipsis)]


@dataclass(frozen=True, slots=True)
class MarkdownText:
    """Text that is Markdown."""

    text: str
    tone: str = "text"

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """The rendered lines."""
        return markdown_lines(self.text, width, glyphs, self.tone)


@dataclass(frozen=True, slots=True)
class Raw:
    """Text shown as it is: a prompt, a command, an output. `bar` draws a line at its left."""

    text: str
    tone: str = "text"
    bar: str = ""

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """The lines, broken at the width."""
        bar: Line = [(f"{glyphs.quote} ", self.bar)] if self.bar else []
        room = width - width_of(bar)
        return [
            [*bar, *line]
            for text in self.text.rstrip("\n").split("\n")
            for line in wrap_raw(text, self.tone, room)
        ]


@dataclass(frozen=True, slots=True)
class DiffText:
    """A unified diff."""

    text: str

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """The toned lines."""
        return diff_lines(self.text, width)


@dataclass(frozen=True, slots=True)
class Heading:
    """A titled rule: `title ─────── note`."""

    title: tuple[Span, ...]
    note: tuple[Span, ...] = ()

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """One line."""
        used = width_of(self.title) + 2 + (width_of(self.note) + 1 if self.note else 0)
        if used >= width:
            return wrap([*self.title, (" ", ""), *self.note], width)
        rule = glyphs.rule * (width - used + 1)
        line = [*self.title, (" ", ""), (rule, "faint")]
        return [[*line, (" ", ""), *self.note] if self.note else line]


@dataclass(frozen=True, slots=True)
class Fields:
    """Labelled values, aligned."""

    rows: tuple[tuple[str, tuple[Span, ...]], ...]

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """One line for each field, its value hanging under itself."""
        size = max((len(label) for label, _ in self.rows), default=0) + 2
        hang: Line = [(" " * size, "")]
        return [
            line
            for label, value in self.rows
            for line in wrap([(label.ljust(size), "muted"), *value], width, hang)
        ]


@dataclass(frozen=True, slots=True)
class Blank:
    """An empty line."""

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """One empty line."""
        return [[]]


Block = Prose | Entry | MarkdownText | Raw | DiffText | Heading | Fields | Blank | Terms


@dataclass(frozen=True, slots=True)
class Document:
    """What the detail pane shows. `key` tells whether two documents are of the same thing."""

    key: str
    title: str
    blocks: tuple[Block, ...] = field(default=())

    @property
    def size(self) -> int:
        """Characters in all, to decide whether to lay out in a worker."""
        total = 0
        for block in self.blocks:
            if isinstance(block, MarkdownText | Raw | DiffText):
                total += len(block.text)
        return total

    def lines(self, width: int, glyphs: Glyphs) -> list[Line]:
        """All blocks laid out at `width` cells."""
        return [line for block in self.blocks for line in block.lines(width, glyphs)]


def document(key: str, title: str, blocks: Iterable[Block]) -> Document:
    """A document of the blocks."""
    return Document(key, title, tuple(blocks))
