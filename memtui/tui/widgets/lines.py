"""Some fixed toned lines, a part of which may be clicked: bars, gauges and notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from memtui.tui.docs.spans import Line
from memtui.tui.widgets.toned import Toned


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar; `run` is the action that a click on it runs."""

    spans: tuple[tuple[str, str], ...]
    run: str = ""


class Lines(Toned, can_focus=False):
    """Draws lines that it was given, and no more than that."""

    @dataclass
    class Pressed(Message):
        """A part with an action was clicked."""

        run: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._lines: list[Line] = []
        self._spots: list[tuple[int, int, str]] = []
        self._drawn: dict[tuple[Region, Size], list[Strip]] = {}

    def show(self, lines: Sequence[Line]) -> None:
        """Draw these lines."""
        wanted = [list(line) for line in lines]
        if wanted != self._lines:
            self._lines = wanted
            self.refresh()

    def show_parts(self, parts: Sequence[Part], gap: str = "  ") -> None:
        """Draw one line of parts, each of which may be clicked."""
        line: Line = []
        self._spots = []
        x = 0
        for number, part in enumerate(parts):
            if number:
                line.append((gap, ""))
                x += cell_len(gap)
            start = x
            for span in part.spans:
                line.append(span)
                x += cell_len(span[0])
            if part.run:
                self._spots.append((start, x, part.run))
        self.show([line])

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they were drawn last: a frame of anything above and below asks for them too."""
        key = (crop, self.region.size)
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._drawn[key] = super().render_lines(crop)
        return drawn

    def _set_dirty(self, *regions: Region) -> None:
        self._drawn.clear()
        super()._set_dirty(*regions)

    def forget_strips(self) -> None:
        """See `Toned`."""
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        """One line."""
        return self.strip_of(self._lines[y] if y < len(self._lines) else [], self.size.width)

    def on_click(self, event: events.Click) -> None:
        """Run what was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y:
            return
        for start, end, run in self._spots:
            if start <= offset.x < end:
                self.post_message(self.Pressed(run))
