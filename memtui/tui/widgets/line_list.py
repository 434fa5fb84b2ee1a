"""The one list of the screen: virtual, one line a row, the same at ten rows and at a million."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size, Spacing
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from memtui.tui.actions import bindings
from memtui.tui.docs.spans import Line, wrap
from memtui.tui.rows import FixedRows, ListPlace, RowSource
from memtui.tui.widgets.toned import Toned

_CACHED_STRIPS = 512
_SQUASHED = 3
"""Rows of a list that gave its room to another: its scroll is remembered, not measured."""
NO_GUTTER = Spacing()
_CONTEXT = 4
"""Rows kept above the cursor after a jump."""


class LineList(Toned, can_focus=True):
    """Rows of a `RowSource` with a cursor and marks. Cursor, marks and scroll are kept by key."""

    BINDINGS = bindings("list")
    BLANK: ClassVar[bool] = False

    cursor: reactive[int] = reactive(0, init=False)

    @dataclass
    class Moved(Message):
        """The cursor stands on another row; `key` is None in an empty list."""

        list: LineList
        key: Hashable | None

        @property
        def control(self) -> LineList:
            """The list, for `on` selectors."""
            return self.list

    @dataclass
    class Chosen(Message):
        """A double click on a row."""

        list: LineList
        key: Hashable

        @property
        def control(self) -> LineList:
            """The list, for `on` selectors."""
            return self.list

    @dataclass
    class Changed(Message):
        """Rows or marks changed: whoever shows counts should look again."""

        list: LineList

        @property
        def control(self) -> LineList:
            """The list, for `on` selectors."""
            return self.list

    def __init__(self, *, id: str | None = None, markable: bool = True) -> None:  # noqa: A002
        super().__init__(id=id)
        self.source: RowSource = FixedRows()
        self.marks: set[Hashable] = set()
        self.placeholder: Sequence[Line] = ()
        self._wrapped: dict[int, list[Line]] = {}
        self._markable = markable
        self._height = 0
        self._above = 0
        self._strips: LRUCache[object, Strip] = LRUCache(_CACHED_STRIPS)

    def __len__(self) -> int:
        return len(self.source)

    # What is shown

    def show(self, source: RowSource, *, keep: bool = True, place: ListPlace | None = None) -> None:
        """Show other rows; with `keep` the cursor stays on its row, at the same height on screen.

        `place` is where the list stood before a source that changes by itself has changed.
        """
        if place is None:
            place = self.place() if keep else ListPlace(None, 0, 0)
        if source is not self.source:
            self._strips.clear()
        self.source = source
        self.marks = {key for key in self.marks if source.find(key) is not None}
        self._resize_content(len(source))
        self.restore(place)
        self.refresh()
        self.call_after_refresh(self._place_thumb)
        self.post_message(self.Changed(self))

    def _resize_content(self, rows: int) -> None:
        """So many rows; while the scroll bar stays, the screen is not laid out anew for it."""
        size, height = Size(0, rows), self.container_size.height
        if self.show_vertical_scrollbar and min(rows, self.virtual_size.height) > height > 0:
            self.set_reactive(LineList.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = rows
        else:
            self.virtual_size = size

    def _place_thumb(self) -> None:
        """A scroll bar that appears does not know where the list stands."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.scroll_y

    def place(self) -> ListPlace:
        """Where the list stands, to come back to."""
        return ListPlace(self.key, self.cursor, self._rows_above())

    def _rows_above(self) -> int:
        """Rows above the cursor on screen; while squashed, as many as there were before."""
        if self._height <= _SQUASHED:
            return self._above
        return self.cursor - self.scroll_offset.y

    def restore(self, place: ListPlace) -> None:
        """Stand where `place` says, or as near as the rows allow."""
        index = self.source.find(place.key) if place.key is not None else place.index
        if index is None:
            index = place.index
        index = max(0, min(index, len(self.source) - 1))
        self._above = max(0, place.above)
        moved = index != self.cursor
        self.set_reactive(LineList.cursor, index)
        self._scroll(index - max(0, place.above))
        self._reveal()
        if moved or self.key != place.key:
            self.post_message(self.Moved(self, self.key))

    def note_change(self) -> None:
        """The same source draws its rows differently now (a match, a filter word)."""
        self._strips.clear()
        self.refresh()

    def say(self, lines: Sequence[Line]) -> None:
        """What an empty list shows instead of rows."""
        self.placeholder = lines
        self._wrapped.clear()
        self.refresh()

    @property
    def key(self) -> Hashable | None:
        """The key of the row under the cursor."""
        return self.source.key(self.cursor) if 0 <= self.cursor < len(self.source) else None

    @property
    def at_end(self) -> bool:
        """Whether the cursor is on the last row."""
        return self.cursor >= len(self.source) - 1

    # Moving

    def go(self, index: int, *, context: bool = False) -> None:
        """Put the cursor on a row and bring it into view, with rows around it for `context`."""
        if len(self.source):
            self.cursor = max(0, min(index, len(self.source) - 1))
            top, height = self.scroll_offset.y, self.size.height
            if not height:
                self._above = self.cursor
            if context and height and not top <= self.cursor < top + height:
                self._above = max(_CONTEXT, height // 3)
                self._scroll(self.cursor - self._above)
            self._reveal()

    def go_key(self, key: Hashable) -> bool:
        """Put the cursor on the row with this key; False when there is none."""
        index = self.source.find(key)
        if index is None:
            return False
        self.go(index)
        return True

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw the two rows and tell where the cursor is."""
        self.refresh_line(old)
        self.refresh_line(new)
        self.post_message(self.Moved(self, self.key))

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, immediate=True, force=True)

    def _reveal(self) -> None:
        height = self.size.height
        if not height:
            return
        top = self.scroll_offset.y
        if self.cursor < top:
            self._scroll(self.cursor)
        elif self.cursor >= top + height:
            self._scroll(self.cursor - height + 1)

    def _on_resize(self, event: events.Resize) -> None:
        self._strips.clear()
        before, self._height = self._height, self.size.height
        if before > _SQUASHED >= self._height:
            self._above = self.cursor - self.scroll_offset.y
        elif before <= _SQUASHED < self._height:
            self._scroll(self.cursor - min(self._above, self._height - 1))
        self._reveal()
        self.call_after_refresh(self._place_thumb)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """What the list scrolled while the bar was away, the bar was not told."""
        if shown:
            self.call_after_refresh(self._place_thumb)

    def action_move(self, step: int) -> None:
        """Move the cursor by rows."""
        self.go(self.cursor + step)

    def action_page(self, step: float) -> None:
        """Move the cursor by a part of the height."""
        self.go(self.cursor + int(step * max(2, self.size.height - 1)))

    def action_ends(self, end: int) -> None:
        """Move the cursor to the first (0) or last (1) row."""
        self.go(len(self.source) - 1 if end else 0)

    def action_mark(self) -> None:
        """Mark or unmark the row and go on to the next."""
        key = self.key
        if key is None or not self._markable:
            return
        self.marks ^= {key}
        self.refresh_line(self.cursor)
        self.go(self.cursor + 1)
        self.post_message(self.Changed(self))

    def unmark(self, keys: Iterable[Hashable]) -> None:
        """Take the marks of these rows away."""
        left = self.marks - set(keys)
        if left != self.marks:
            self.marks = left
            self.refresh()
            self.post_message(self.Changed(self))

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click opens."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if index >= len(self.source):
            return
        self.go(index)
        if event.chain == 2:
            self.post_message(self.Chosen(self, self.source.key(index)))

    def on_focus(self) -> None:
        """The cursor's row is drawn differently with focus."""
        self.refresh_line(self.cursor)

    def on_blur(self) -> None:
        """See `on_focus`."""
        self.refresh_line(self.cursor)

    # Drawing

    def forget_strips(self) -> None:
        """See `Toned`."""
        self._strips.clear()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows as they are kept: `Widget.render_lines` makes each anew whenever the list scrolls,
        for borders and padding, and what Textual keeps of a strip (filtered, cut, as text) is lost."""
        if self.styles.gutter != NO_GUTTER or self.opacity != 1.0:
            return super().render_lines(crop)
        filters, background = self.get_line_filters(), self.background_colors[1]
        top, width = self.scroll_offset.y, self.scrollable_content_region.width
        strips = []
        for y in crop.line_range:
            strip = self._row(y, y + top, width)
            for one in filters:
                strip = strip.apply_filter(one, background)
            strips.append(strip)
        if crop.column_span != (0, self.region.width):
            return [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        return self._row(y, y + self.scroll_offset.y, self.scrollable_content_region.width)

    def _row(self, y: int, index: int, width: int) -> Strip:
        if index >= len(self.source):
            if not len(self.source):
                return self._whole(self.strip_of(self._said(y, width), width))
            below = self._strips.get((width, "below"))
            if below is None:
                below = self._strips[width, "below"] = self._whole(self.strip_of([], width))
            return below
        key = self.source.key(index)
        state = 0
        if index == self.cursor:
            state = 2 if self.has_focus else 1
        marked = key in self.marks
        cached = (key, self.source.version(index), width, state, marked)
        strip = self._strips.get(cached)
        if strip is None:
            strip = self._draw(index, width, state, marked)
            self._strips[cached] = strip
        return strip

    def _said(self, y: int, width: int) -> Line:
        """One line of the placeholder, which begins below an empty line where there is room."""
        lines = self._wrapped.get(width)
        if lines is None:
            lines = [part for line in self.placeholder for part in wrap(line, width - 2)]
            self._wrapped[width] = lines
        at = y - (self.size.height > len(lines))
        return [(" ", ""), *lines[at]] if 0 <= at < len(lines) else []

    def _draw(self, index: int, width: int, state: int, marked: bool) -> Strip:
        glyphs = self.glyphs
        over = None
        if state:
            name = "row--cursor" if state == 2 else "row--cursor-blurred"
            over = self.part_style(name)
        line = self.source.line(index, width - 1)
        sign = (" ", "")
        if marked:
            sign = (glyphs.mark, "mark")
        elif state:
            sign = (glyphs.cursor, "accent" if state == 2 else "faint")
        return self._whole(self.strip_of([sign, *line], width, over))

    def _whole(self, strip: Strip) -> Strip:
        """As wide as the list, the place of its scroll bar included."""
        return strip.adjust_cell_length(self.content_region.width, self.blank_style)
