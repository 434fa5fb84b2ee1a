"""Shows a document: laid out once for its width, drawn a line at a time, at any length."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from memtui.tui.actions import bindings
from memtui.tui.docs.document import Document
from memtui.tui.docs.spans import Line, plain
from memtui.tui.widgets.toned import Toned

_INLINE = 24 * 1024
"""Characters that are laid out on the spot; more goes through a worker."""

_EMPTY = Document("", "")


class DocView(Toned, can_focus=True):
    """A scrolling page of text. The keys of a list scroll it."""

    BINDINGS = bindings("list")

    @dataclass
    class LaidOut(Message):
        """A worker laid the document out."""

        generation: int
        lines: list[Line]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.document = _EMPTY
        self._lines: list[Line] = []
        self._generation = 0
        self._laid_width = 0

    def show(self, document: Document) -> None:
        """Show a document; the same one again keeps its scroll."""
        same = document.key == self.document.key
        if document == self.document:
            return
        self.document = document
        if not same:
            self.scroll_to(y=0, animate=False, immediate=True, force=True)
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        self._generation += 1
        if width <= 0:
            self._laid_width = 0  # hidden: it is laid out when it is shown, at whatever width
            return
        self._laid_width = width
        document, glyphs = self.document, self.glyphs
        if document.size <= _INLINE:
            self._take(document.lines(width, glyphs))
            return
        generation = self._generation

        def work() -> None:
            lines = document.lines(width, glyphs)
            self.post_message(self.LaidOut(generation, lines))

        self.run_worker(work, thread=True, exclusive=True, group="layout", exit_on_error=False)

    def on_doc_view_laid_out(self, message: LaidOut) -> None:
        """Show what the worker made, unless another document came in between."""
        message.stop()
        if message.generation == self._generation:
            self._take(message.lines)

    def _take(self, lines: list[Line]) -> None:
        self._lines = lines
        self.virtual_size = Size(0, len(lines))
        self.refresh()

    def _on_resize(self, event: events.Resize) -> None:
        if self.scrollable_content_region.width != self._laid_width:
            self._lay_out()

    @property
    def text(self) -> str:
        """The laid-out text."""
        return "\n".join(plain(line) for line in self._lines)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under a mouse selection."""
        return selection.extract(self.text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Redraw with the selection."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if index >= len(self._lines):
            return self.strip_of([], width)
        strip = self.strip_of(self._lines[index], width)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(index)) is not None:
            start, end = span
            end = strip.cell_length if end == -1 else end
            style = self.screen.get_component_rich_style("screen--selection")
            strip = Strip.join(
                [strip.crop(0, start), strip.crop(start, end).apply_style(style), strip.crop(end)]
            )
        return strip.apply_offsets(0, index)

    def action_move(self, step: int) -> None:
        """Scroll by lines."""
        self._scroll(self.scroll_offset.y + step)

    def action_page(self, step: float) -> None:
        """Scroll by a part of the height."""
        self._scroll(self.scroll_offset.y + int(step * max(2, self.size.height - 1)))

    def action_ends(self, end: int) -> None:
        """Scroll to the start (0) or the end (1)."""
        self._scroll(len(self._lines) if end else 0)

    def action_mark(self) -> None:
        """Space pages down, as in a pager."""
        self.action_page(1)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, immediate=True, force=True)
