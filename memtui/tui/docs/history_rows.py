"""Acts of the bank's history as rows of a list."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from memtui.curate.history import Entry
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import highlight, row
from memtui.tui.docs.spans import Line, Span, fit
from memtui.tui.glyphs import Glyphs
from memtui.tui.when import milliseconds, moment

_VERB = 9
_TITLE = 14
_WRITER = 16
TONES = {
    "confirm": "trust-confirmed",
    "validated": "trust-checked",
    "flag": "trust-disputed",
    "purge": "error",
    "undo": "muted",
    "redo": "muted",
    "revert": "muted",
}


class HistoryRows:
    """Acts, newest first."""

    def __init__(self, entries: Sequence[Entry], glyphs: Glyphs, words: Sequence[str] = ()) -> None:
        self.entries = entries
        self._glyphs = glyphs
        self._words = tuple(words)
        self._where = {entry.act: index for index, entry in enumerate(entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def key(self, index: int) -> Hashable:
        """The act's id."""
        return self.entries[index].act

    def find(self, key: Hashable) -> int | None:
        """Where the act is."""
        return self._where.get(str(key))

    def version(self, index: int) -> Hashable:
        """An act never changes, but it may be taken back."""
        return self.entries[index].undone, self._words

    def line(self, index: int, width: int) -> Line:
        """`11-19 10:08 confirm   Pool timeouts in tests come ...      lee-desktop`."""
        entry = self.entries[index]
        at = moment(milliseconds(entry.at))
        tone = "muted" if entry.undone else TONES.get(entry.verb, "accent")
        left: Line = [
            (at.strftime("%m-%d %H:%M "), "faint"),
            (fit(line_of(entry.verb, 20), _VERB, self._glyphs.ellipsis), tone),
            (" ", ""),
            (title_of(entry), "muted" if entry.undone else "text"),
        ]
        right: list[Sequence[Span]] = []
        if entry.undone:
            right.append([("undone", "state-warn")])
        writer = line_of(entry.writer, 60)
        right.append([(fit(writer, min(len(writer), _WRITER), self._glyphs.ellipsis), "faint")])
        return row(highlight(left, self._words), right, width, 23 + _TITLE, self._glyphs.ellipsis)


def title_of(entry: Entry) -> str:
    """What an act was about: its title, else its items."""
    many = f" (+{len(entry.items) - 1})" if len(entry.items) > 1 else ""
    title = line_of(entry.title) or " ".join(line_of(item, 60) for item in entry.items[:3])
    return f"{title}{many}" if entry.title else title


def words_of(entry: Entry) -> str:
    """Verb, title, writer, reason, items and act in one text, folded, for a filter to look in."""
    fields = (
        entry.verb,
        entry.title,
        entry.writer,
        entry.by,
        entry.reason,
        entry.act,
        *entry.items,
    )
    return " ".join(fields).casefold()
