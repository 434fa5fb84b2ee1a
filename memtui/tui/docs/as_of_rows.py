"""The files of a bank as it was at a moment, each with what became of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from memtui.curate.history import AsOf
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.spans import Line, Span
from memtui.tui.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class FileThen:
    """A file as it was, and its bytes `now` (None: it is gone)."""

    found: AsOf
    now: bytes | None

    @property
    def became(self) -> Span:
        """In a word, toned, what became of it."""
        if self.now is None:
            return "gone now", "state-absent"
        if self.now != self.found.data:
            return "changed since", "state-warn"
        return ("same", "faint") if self.found.exact else ("same, as far as known", "faint")


class AsOfRows:
    """Files by path."""

    def __init__(self, files: Sequence[FileThen], glyphs: Glyphs) -> None:
        self._files = files
        self._glyphs = glyphs
        self._where = {one.found.path: index for index, one in enumerate(files)}

    def __len__(self) -> int:
        return len(self._files)

    def key(self, index: int) -> Hashable:
        """The file's path."""
        return self._files[index].found.path

    def find(self, key: Hashable) -> int | None:
        """Where the file is."""
        return self._where.get(str(key))

    def version(self, index: int) -> Hashable:
        """What became of it."""
        return self._files[index].became

    def line(self, index: int, width: int) -> Line:
        """`cards/pool-timeout.md                         changed since`."""
        one = self._files[index]
        left: Line = [(line_of(one.found.path), "text")]
        return row(left, [[one.became]], width, 20, self._glyphs.ellipsis)
