"""The base of everything that draws toned lines through the Line API."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.tui.docs.spans import Span
from memtui.tui.glyphs import Glyphs, glyphs_of


class Toned(ScrollView):
    """Turns spans into strips with the styles of the current theme. Text is always literal.

    The app around it has `tones.COMPONENTS` as component classes.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._tone_styles: dict[str, Style] = {}
        self._toned: dict[str, Style] = {}
        self._base: Style | None = None
        self._blank: Style | None = None

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        return glyphs_of(self.app)

    def tone_style(self, tone: str) -> Style:
        """The style of one tone over this widget's own colours."""
        style = self._tone_styles.get(tone)
        if style is None:
            style = self.part_style(f"tone--{tone}") if tone else Style()
            self._tone_styles[tone] = style
        return style

    def part_style(self, name: str) -> Style:
        """The style of one of `tones.COMPONENTS`, without this widget's own colours."""
        return self.app.get_component_styles(name).partial_rich_style

    @property
    def blank_style(self) -> Style:
        """The widget's background."""
        if self._blank is None:
            below, own = self.background_colors
            self._blank = Style.from_color(None, (below + own).rich_color)
        return self._blank

    def strip_of(self, line: Iterable[Span], width: int, over: Style | None = None) -> Strip:
        """A strip of exactly `width` cells; `over` (a cursor) is laid over every span."""
        base = self._base
        if base is None:  # found anew it costs more than the rest of a line
            base = self._base = self.rich_style
        toned = self._toned
        # Reversed, every tone of a row would become a background of its own.
        flat = over is not None and bool(over.reverse)
        segments = []
        for text, tone in line:
            style = base if flat else toned.get(tone)
            if style is None:
                style = toned[tone] = base + self.tone_style(tone)
            segments.append(Segment(text, style + over if over is not None else style))
        fill = base + over if over is not None else base
        return Strip(segments).adjust_cell_length(width, fill)

    def notify_style_update(self) -> None:
        """Forget the styles of the former theme."""
        super().notify_style_update()
        self._tone_styles.clear()
        self._toned.clear()
        self._base = self._blank = None
        self.forget_strips()

    def forget_strips(self) -> None:
        """Drop every strip kept from before; called when theme or width change."""
