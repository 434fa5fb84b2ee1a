"""What a `LineList` shows: rows found by position and by key, drawn one at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memtui.tui.docs.spans import Line


class RowSource(Protocol):
    """Rows of a list. Only what is on screen is ever asked for, so a source may be huge."""

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def key(self, index: int) -> Hashable:
        """What identifies the row over refreshes."""
        ...

    def find(self, key: Hashable) -> int | None:
        """Where the row with this key is now."""
        ...

    def version(self, index: int) -> Hashable:
        """Changes whenever the row would be drawn differently."""
        ...

    def line(self, index: int, width: int) -> Line:
        """The row at `width` cells: one line, never wrapped."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a short list: `draw` gives its line at a width."""

    key: Hashable
    draw: Callable[[int], Line]
    version: Hashable = 0


class FixedRows:
    """A short list of rows held in memory."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._rows = tuple(rows)
        self._where = {row.key: index for index, row in enumerate(self._rows)}

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, index: int) -> Hashable:
        """The row's key."""
        return self._rows[index].key

    def find(self, key: Hashable) -> int | None:
        """The row's position."""
        return self._where.get(key)

    def version(self, index: int) -> Hashable:
        """The row's version."""
        return self._rows[index].version

    def line(self, index: int, width: int) -> Line:
        """The row's line."""
        return self._rows[index].draw(width)


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a list stood: the key under its cursor, the position, and the rows above it on screen."""

    key: Hashable | None
    index: int
    above: int
