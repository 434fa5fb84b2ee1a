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


class Stacked:
    """Sources one below the other; their keys must not clash."""

    def __init__(self, *sources: RowSource) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return sum(map(len, self._sources))

    def _at(self, index: int) -> tuple[RowSource, int]:
        for source in self._sources[:-1]:
            if index < len(source):
                return source, index
            index -= len(source)
        return self._sources[-1], index

    def key(self, index: int) -> Hashable:
        """The row's key."""
        source, at = self._at(index)
        return source.key(at)

    def find(self, key: Hashable) -> int | None:
        """The row's position."""
        above = 0
        for source in self._sources:
            found = source.find(key)
            if found is not None:
                return above + found
            above += len(source)
        return None

    def version(self, index: int) -> Hashable:
        """The row's version."""
        source, at = self._at(index)
        return source.version(at)

    def line(self, index: int, width: int) -> Line:
        """The row's line."""
        source, at = self._at(index)
        return source.line(at, width)


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a list stood: the key under its cursor, the position, and the rows above it on screen."""

    key: Hashable | None
    index: int
    above: int
