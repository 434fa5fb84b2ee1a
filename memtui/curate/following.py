"""Changes of the index of a bank made where it has moved on: a host or another person may write it any time.

An index is a set of lines that each name one file. A line of the index is therefore known by the file that
it names and not by its words, so that a change that is there already, whoever made it, is not made twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memtui.bank.memory_index import IndexLine, parse_index
from memtui.curate.hunks import Hunk, bytes_of, lines_of, place_of, text_of

Key = tuple[str, str]


def follow(text: str, changes: Iterable[Hunk]) -> str:
    """`text` with the changes made, once or twice alike.

    Lines of files that go are dropped wherever they stand; lines to add come after the line that they
    stood below, or at the end, and only if no line names their file. Prose is only added.
    """
    lines = _Lines(text)
    for hunk in lines.lifted(tuple(changes)):
        place = place_of(lines.rows, hunk, hunk.line)
        if place is not None:
            lines.swap(place, hunk)
            continue
        pairs = _pairs(hunk)
        for row in hunk.old:
            if row in pairs:
                lines.rewrite(row, pairs[row])
            elif _entry(row) and row not in hunk.new:
                lines.drop(row)
        # A new title of a line that is gone is nothing to add; a new file is.
        retitled = {new for old, new in pairs.items() if _key(old) == _key(new)}
        lines.add([row for row in hunk.new if row not in retitled], hunk.above)
    return "".join(lines.rows)


def _with_moves(lines: _Lines, changes: list[Hunk]) -> list[Hunk]:
    """The hunks without the old places of lines that only move; those are taken up at once."""
    gone = {_key(row) for hunk in changes for row in _only(hunk.old, hunk.new)}
    come = {_key(row) for hunk in changes for row in _only(hunk.new, hunk.old)}
    moving = gone & come
    if not moving:
        return changes
    left = []
    for hunk in changes:
        for row in _only(hunk.old, hunk.new):
            if _key(row) in moving:
                lines.drop(row)
        old = tuple(row for row in hunk.old if _key(row) not in moving or row in hunk.new)
        if old or hunk.new:
            left.append(replace(hunk, old=old))
    return left


def _only(rows: Sequence[str], others: Sequence[str]) -> list[str]:
    """The index lines among `rows` whose file no line of `others` names."""
    there = {_key(row) for row in others}
    return [row for row in rows if _entry(row) and _key(row) not in there]


def target_of(line: IndexLine) -> str:
    """The file that an index line names, relative to the index, without a fragment."""
    return line.target.split("#")[0].removeprefix("./").replace("%20", " ")


class _Lines:
    """The lines of an index while it is changed."""

    def __init__(self, text: str) -> None:
        self.rows = [text_of(row) for row in lines_of(bytes_of(text))]

    def lifted(self, changes: Sequence[Hunk]) -> list[Hunk]:
        """The changes without the old places of lines that move: they are taken out of the text first.

        A line that moves and is not there any more is not brought back.
        """
        gone = {row for hunk in changes for row in hunk.old if _entry(row)}
        moved = gone & {row for hunk in changes for row in hunk.new}
        absent = {row for row in moved if self._find(row) is None}
        for row in moved - absent:
            self.drop(row)
        return [
            replace(
                hunk,
                old=tuple(row for row in hunk.old if row not in moved),
                new=tuple(row for row in hunk.new if row not in absent),
            )
            for hunk in changes
        ]

    def swap(self, place: int, hunk: Hunk) -> None:
        """Put the hunk's new lines in the place of its old ones, without what is listed elsewhere."""
        end = place + len(hunk.old)
        listed = {_key(row) for row in (*self.rows[:place], *self.rows[end:]) if _entry(row)}
        self.rows[place:end] = [row for row in hunk.new if _key(row) not in listed]

    def rewrite(self, old: str, new: str) -> None:
        """Change the title and target of a line; words behind them that somebody changed stay."""
        at = self._find(old)
        if at is None:
            return
        self.rows[at] = new if self.rows[at] == old else _relinked(self.rows[at], old, new)

    def drop(self, row: str) -> None:
        at = self._find(row)
        if at is not None:
            del self.rows[at]

    def add(self, rows: Sequence[str], above: str) -> None:
        there = {_key(row) for row in self.rows}
        at = self._find(above)
        place = len(self.rows) if at is None else at + 1
        self.rows[place:place] = [row for row in rows if _key(row) not in there]

    def _find(self, row: str) -> int | None:
        if row in self.rows:
            return self.rows.index(row)
        key = _key(row)
        return next((at for at, other in enumerate(self.rows) if _key(other) == key), None)


def _relinked(row: str, old: str, new: str) -> str:
    before, after = _entry(old), _entry(new)
    assert before is not None
    assert after is not None
    link = f"[{before.title}]({before.target})"
    return row.replace(link, f"[{after.title}]({after.target})", 1)


def _pairs(hunk: Hunk) -> dict[str, str]:
    """Old to new line of every file that got another title or another name."""
    found = {}
    for row in hunk.old:
        old = _entry(row)
        news = [(other, _entry(other)) for other in hunk.new if other != row]
        for other, new in news:
            if old and new and (target_of(old) == target_of(new) or old.title == new.title):
                found[row] = other
                break
    return found


def _entry(row: str) -> IndexLine | None:
    found = parse_index(bytes_of(row))
    return found[0] if found else None


def _key(row: str) -> Key:
    entry = _entry(row)
    return ("text", row) if entry is None else ("file", target_of(entry))
