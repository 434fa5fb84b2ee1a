"""Pane 5: exactly what the next session receives, and what it costs beside the host's own files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from textual import events
from textual.app import ComposeResult

from memtui.agents.instructions import Part
from memtui.tui.actions import bindings
from memtui.tui.docs.cost_rows import (
    Before,
    Place,
    at_start,
    before_rows,
    block_heading,
    hosts_table,
    total_line,
)
from memtui.tui.docs.preview_rows import PreviewRows, gauge
from memtui.tui.docs.side_rows import ROOM, SideRows, column_width, side_head
from memtui.tui.rows import FixedRows, RowSource, Stacked
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pane import Pane
from memtui.workspace.model import BankView, Preview

_TABLE = (44, 40)
"""Cells and lines from which on a table compares the hosts."""


@dataclass(frozen=True, slots=True)
class NextSession:
    """What the pane shows. `files` are the hosts' own, empty while they are being read.

    `others` are the previews by host where there is room for more than one; `open` names the groups
    of files that are open.
    """

    preview: Preview
    view: BankView
    files: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    others: Mapping[str, Preview] = field(default_factory=dict)
    open: frozenset[str] = frozenset()
    place: Place = field(default_factory=Place)


class PreviewPane(Pane):
    """The text with its tokens, the cut, and what was held back and why; above it what comes before."""

    BINDINGS = bindings("preview")
    SCOPE = "preview"
    NUMBER = 5
    NAME = "Next session"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: NextSession | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        """A gauge above the lines; a table of the hosts where there is room."""
        yield Lines(id="gauge")
        yield Lines(id="hosts")
        yield LineList(id="preview-list", markable=False)

    @property
    def compares(self) -> bool:
        """Whether there is room for more than one host."""
        return self._has_table or self.size.width >= ROOM

    @property
    def _has_table(self) -> bool:
        width, height = self.size
        return _TABLE[0] <= width < ROOM and height >= _TABLE[1]

    def show(self, shown: NextSession) -> None:
        """Show it; the cursor keeps its line."""
        self._shown = shown
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """The lines break elsewhere."""
        if self.size.width != self._width:
            self._draw()

    def _draw(self) -> None:
        shown, width = self._shown, self.size.width - 2
        if shown is None or width < 6:
            return
        self._width = self.size.width
        preview = shown.preview
        head = self.query_one("#gauge", Lines)
        parts = shown.files.get(preview.options.host)
        total = total_line(parts, preview, width, head.glyphs)
        head.show([*gauge(preview, width, head.glyphs), total])
        self._compare(shown, width)
        self.query_one(LineList).show(self._rows(shown, width))

    def _compare(self, shown: NextSession, width: int) -> None:
        table = self.query_one("#hosts", Lines)
        chosen, glyphs = shown.preview.options.host, table.glyphs
        wide = self.size.width >= ROOM
        table.display = bool(shown.others) and bool(shown.files) and (wide or self._has_table)
        if not table.display:
            return
        if wide:
            totals = {
                host: at_start(shown.files.get(host, ()), preview)
                for host, preview in shown.others.items()
            }
            lines = [side_head(totals, chosen, width, glyphs)]
        else:
            lines = [*hosts_table(shown.others, shown.files, chosen, width, glyphs), []]
        table.styles.height = len(lines)
        table.show(lines)

    def _rows(self, shown: NextSession, width: int) -> RowSource:
        chosen = shown.preview.options.host
        if self.size.width < ROOM or chosen not in shown.others:
            return self._column(shown, width)
        room = column_width(width, len(shown.others))
        columns = {
            host: self._column(replace(shown, preview=preview), room, aligned=True)
            for host, preview in shown.others.items()
        }
        return SideRows(columns, chosen, room, self.query_one(LineList).glyphs)

    def _column(self, shown: NextSession, width: int, aligned: bool = False) -> RowSource:
        """One host: its own files, then memtui's block."""
        glyphs, host = self.query_one(LineList).glyphs, shown.preview.options.host
        before = Before(host, shown.files.get(host), shown.open, shown.place, aligned)
        rows = before_rows(before, width, glyphs)
        rows.append(block_heading(shown.preview, glyphs))
        return Stacked(FixedRows(rows), PreviewRows(shown.preview, shown.view, width, glyphs))
