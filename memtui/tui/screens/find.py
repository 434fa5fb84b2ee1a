"""Find in the sessions: `/` asks for words, `n` and `N` go on, over the whole text of all records."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.message import Message

from memtui.tui.docs.clean import line_of
from memtui.tui.docs.timeline_rows import RowKey, TimelineRows
from memtui.tui.jobs import cancelled
from memtui.tui.screens.walk import WalkPart

_Sorted = tuple[int, int, int]
"""Number of the session in the list, sequence number, row id of the session."""


@dataclass
class TextRead(Message):
    """So much of the sessions' text can be found by now, 0 to 1."""

    share: float


@dataclass(frozen=True, slots=True)
class _Hits:
    """What was found, in the order of the list, for one state of list and full text."""

    state: tuple[object, ...]
    places: tuple[_Sorted, ...]


class FindPart(WalkPart):
    """Words in the timeline."""

    text_share = 1.0
    """How much of the text of the sessions can be found."""
    _hits: _Hits | None = None
    _stands: tuple[RowKey, _Sorted] | None = None
    """The row under the cursor, and the place for which `n` or `N` went there."""

    def read_text(self) -> None:
        """Make the whole text of the sessions findable, in the background; goes on where it stopped."""
        if self.jobs.running("text"):
            return

        def told(share: float) -> None:
            self.post_message(TextRead(share))

        work = partial(self.core.read_text, told, cancelled)
        self.jobs.run("text", "reading the sessions' text", work, self._text_read)

    def _text_read(self, complete: bool) -> None:
        if complete:
            self.text_share = 1.0
            self.refresh_bars()

    @on(TextRead)
    def _text_goes_on(self, message: TextRead) -> None:
        before, self.text_share = self.text_share, message.share
        if int(100 * before) != int(100 * message.share):
            self.refresh_bars()

    def set_words(self, words: tuple[str, ...]) -> None:
        """Highlight these words in the timeline."""
        self.words = words
        self._hits = self._stands = None
        if self.timeline_rows is not None:
            self.timeline_rows.words = words
            self.sessions_list.note_change()
        self.refresh_bars()

    def find_text(self) -> str:
        """The words with the number of the match and how many there are, for the status bar."""
        words = line_of(" ".join(self.words), 40)
        hits = self._hits
        if hits is None or not hits.places:
            return words
        at = 0
        if self._stands is not None and self._stands[1] in hits.places:
            at = bisect_left(hits.places, self._stands[1]) + 1
        return f"{words} {at}/{len(hits.places)}"

    def action_find(self) -> None:
        """Ask for the words to find."""
        told = [*(f"#{tag}" for tag in self.wanted_tags), *self.words]
        hint = "words; n and N go on; #tag shows only its sessions"
        self.input_line.ask("find", "find", " ".join(told), hint)

    def action_find_next(self, direction: int) -> None:
        """Go to the next or previous row that has all the words."""
        rows = self.timeline_rows
        if not self.words:
            self.action_find()
        elif rows is not None and len(rows):
            state = (self.words, self.facet, len(rows), self.text_share)
            if self._hits is not None and self._hits.state == state:
                self._go_on(rows, direction)
                return
            sessions = tuple(session.session for session in rows.timeline.sessions())
            work = partial(self.core.find, sessions, self.words)
            use = partial(self._found, state, direction)
            self.jobs.run("find", "finding", work, use)

    def _found(self, state: tuple[object, ...], direction: int, places: frozenset[RowKey]) -> None:
        rows = self.timeline_rows
        if rows is None or state[0] != self.words:
            return
        order = _order(rows)
        known = ((order[session], seq, session) for session, seq in places if session in order)
        self._hits = _Hits(state, tuple(sorted(known)))
        self._go_on(rows, direction)

    def _go_on(self, rows: TimelineRows, direction: int) -> None:
        """The next match after the row under the cursor, around the end."""
        places = self._hits.places if self._hits is not None else ()
        if not places:
            self.say(f"not found: {line_of(' '.join(self.words), 40)}{self._not_read()}")
            return
        here = self._here(rows)
        at = bisect_right(places, here) if direction > 0 else bisect_left(places, here) - 1
        found = places[at % len(places)]
        index = rows.find((found[2], found[1]))
        if index is None:
            return
        self.sessions_list.go(index, context=True)
        key = self.sessions_list.key
        assert isinstance(key, tuple)
        self._stands = key, found
        self.refresh_bars()

    def _not_read(self) -> str:
        if self.text_share >= 1.0:
            return ""
        return f"; {self.text_share:.0%} of the full text is read"

    def _here(self, rows: TimelineRows) -> _Sorted:
        """The place under the cursor; the match itself where its own row is hidden or folded."""
        key = self.sessions_list.key
        if self._stands is not None and self._stands[0] == key:
            return self._stands[1]
        assert isinstance(key, tuple)
        session, seq = key
        return _order(rows)[session], int(seq), session


def _order(rows: TimelineRows) -> dict[int, int]:
    """Where each session stands in the list."""
    return {session.session: at for at, session in enumerate(rows.timeline.sessions())}
