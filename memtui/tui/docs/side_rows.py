"""The next sessions of several hosts side by side: one list, a column for each host."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from memtui.tui.docs.spans import Line, clip_line, spread, width_of
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import RowSource

ROOM = 110
"""Cells from which on the hosts stand side by side."""
_GAP = 3


def column_width(width: int, count: int) -> int:
    """Cells of each of `count` columns."""
    return max(8, (width - _GAP * (count - 1)) // max(1, count))


class SideRows:
    """Rows that hold one row of every host, drawn when they are seen; keys are those of the chosen one."""

    def __init__(
        self, columns: Mapping[str, RowSource], chosen: str, room: int, glyphs: Glyphs
    ) -> None:
        self._columns = tuple(columns.values())
        self._own = columns[chosen]
        self._room = room
        self._glyphs = glyphs

    def __len__(self) -> int:
        return max(map(len, self._columns))

    def key(self, index: int) -> Hashable:
        """The chosen host's key, or the row's number below its last row."""
        return self._own.key(index) if index < len(self._own) else ("side", index)

    def find(self, key: Hashable) -> int | None:
        """Where the chosen host's row with this key is."""
        if isinstance(key, tuple) and key[:1] == ("side",):
            return int(key[1]) if key[1] < len(self) else None
        return self._own.find(key)

    def version(self, index: int) -> Hashable:
        """The versions of all its rows."""
        return tuple(
            column.version(index) if index < len(column) else None for column in self._columns
        )

    def line(self, index: int, width: int) -> Line:
        """The rows of all hosts beside each other."""
        line: Line = []
        for number, column in enumerate(self._columns):
            if number:
                line.append((f" {self._glyphs.quote} ", "faint"))
            part: Line = []
            if index < len(column):
                part = clip_line(column.line(index, self._room), self._room, self._glyphs.ellipsis)
            line += [*part, (" " * (self._room - width_of(part)), "")]
        return line


def side_head(totals: Mapping[str, int], chosen: str, width: int, glyphs: Glyphs) -> Line:
    """The names above the columns, each with what its session starts with: `codex  at start ~486`."""
    room = column_width(width, len(totals))
    line: Line = []
    for number, (host, total) in enumerate(totals.items()):
        if number:
            line.append((" " * _GAP, ""))
        name: Line = [(host, "chip" if host == chosen else "title")]
        line += spread(name, [(f"at start ~{total:,}", "muted")], room, glyphs.ellipsis)
    return line
