"""Changes of a text, line by line: made, applied elsewhere, turned round. Three-way merge by hunks."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hunk:
    """`old` lines at line `line` (from 0) become `new`; `above` and `below` are the lines around them.

    Lines keep their ends. Around the start and end of the text `above` and `below` are empty.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    above: str = ""
    below: str = ""

    def reversed(self) -> Hunk:
        """The change that takes this one back."""
        return Hunk(self.line, self.new, self.old, self.above, self.below)


def text_of(data: bytes) -> str:
    """The text of a file; bytes that are not UTF-8 survive `bytes_of`."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The inverse of `text_of`."""
    return text.encode("utf-8", "surrogateescape")


def lines_of(data: bytes) -> list[bytes]:
    """Lines of a file with their ends, split on LF alone; joined, they are the file."""
    parts = data.split(b"\n")
    ended = [part + b"\n" for part in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended


def hunks(before: str, after: str) -> list[Hunk]:
    """What turns `before` into `after`, in order of lines."""
    old, new = _lines(before), _lines(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            above = old[i1 - 1] if i1 else ""
            below = old[i2] if i2 < len(old) else ""
            found.append(Hunk(i1, tuple(old[i1:i2]), tuple(new[j1:j2]), above, below))
    return found


def turned(changes: Sequence[Hunk]) -> list[Hunk]:
    """The hunks that take `changes` back, at the lines where these left their text."""
    back, shift = [], 0
    for hunk in changes:
        turned_hunk = hunk.reversed()
        back.append(Hunk(hunk.line + shift, *_rest(turned_hunk)))
        shift += len(hunk.new) - len(hunk.old)
    return back


def apply(text: str, changes: Iterable[Hunk]) -> str | None:
    """`text` with the changes made where their old lines now stand; None if one finds no place."""
    lines = _lines(text)
    shift = 0
    for hunk in changes:
        place = place_of(lines, hunk, hunk.line + shift)
        if place is None:
            return None
        lines[place : place + len(hunk.old)] = hunk.new
        shift = place - hunk.line + len(hunk.new) - len(hunk.old)
    return "".join(lines)


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What `ours` changed in `base`, made in `theirs`; None where both changed the same lines."""
    merged = apply(text_of(theirs), hunks(text_of(base), text_of(ours)))
    return None if merged is None else bytes_of(merged)


def place_of(lines: Sequence[str], hunk: Hunk, near: int) -> int | None:
    """Where the hunk's old lines stand between their neighbours, else where they stand alone once."""
    size = len(hunk.old)
    stands = [at for at in range(len(lines) - size + 1) if tuple(lines[at : at + size]) == hunk.old]
    between = [at for at in stands if _above(lines, at) == hunk.above]
    between = [at for at in between if _below(lines, at + size) == hunk.below]
    if between:
        return min(between, key=lambda at: abs(at - near))
    return stands[0] if size and len(stands) == 1 else None


def unified(before: bytes | None, after: bytes | None, path: str) -> str:
    """A unified diff for reading; a missing file is empty."""
    old, new = text_of(before or b""), text_of(after or b"")
    rows = difflib.unified_diff(
        old.splitlines(),
        new.splitlines(),
        "absent" if before is None else path,
        "absent" if after is None else path,
        lineterm="",
    )
    return "\n".join(rows)


def dump(changes: Iterable[Hunk]) -> list[list[object]]:
    """Hunks as JSON values."""
    return [[h.line, list(h.old), list(h.new), h.above, h.below] for h in changes]


def load(data: Iterable[Sequence[object]]) -> list[Hunk]:
    """The inverse of `dump`. Raises ValueError on anything else."""
    found = []
    for row in data:
        match row:
            case [int(line), list(old), list(new), str(above), str(below)]:
                found.append(Hunk(line, tuple(map(str, old)), tuple(map(str, new)), above, below))
            case _:
                raise ValueError("not a change of lines")
    return found


def _rest(hunk: Hunk) -> tuple[tuple[str, ...], tuple[str, ...], str, str]:
    return hunk.old, hunk.new, hunk.above, hunk.below


def _lines(text: str) -> list[str]:
    """Lines with their ends, split on LF alone: a lone CR or a form feed belongs to its line."""
    parts = text.split("\n")
    ended = [part + "\n" for part in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended


def _above(lines: Sequence[str], at: int) -> str:
    return lines[at - 1] if at else ""


def _below(lines: Sequence[str], at: int) -> str:
    return lines[at] if at < len(lines) else ""
