"""Sessions: facets, jumps, going to a time, following the newest turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain

from textual import on

from memtui.sessions.rows import FACETS, Facet
from memtui.sessions.timeline import Step, Timeline
from memtui.tui.docs import empty
from memtui.tui.docs.timeline_rows import HEADING, TimelineRows
from memtui.tui.screens.find import FindPart
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.trail import SessionSubject, TurnSubject
from memtui.tui.when import milliseconds, moment, parse_when
from memtui.tui.widgets.input_line import InputLine
from memtui.workspace.inbox import InboxView

_HIDDEN = "hidden"
_LABELS = {
    Facet.TURNS: ("turns: prompts, answers, failures", "u"),
    Facet.ALL: ("everything, each call on a row", "a"),
    Facet.PROMPTS: ("prompts", "p"),
    Facet.CALLS: ("tool calls", "c"),
    Facet.ERRORS: ("errors", "e"),
    Facet.DIFFS: ("diffs", "d"),
}


class TimelinePart(FindPart):
    """What pane 1 does."""

    following = False
    unseen = 0
    sorted_once = False
    """Whether the first scan is through and its sessions are in their order."""
    with_hidden = False
    _hidden: frozenset[str] = frozenset()
    _appended = False
    """Whether rows came since the timeline was opened: they stand last, wherever they belong."""
    _tags: Mapping[str, tuple[str, ...]] = {}

    def show_timeline(self) -> None:
        """Open the timeline of the facet; the cursor starts at the newest turn."""
        self.sessions_list.show(self._new_rows())
        self.sessions_list.action_ends(1)

    def _new_rows(self) -> TimelineRows:
        rows = TimelineRows(self._timeline(), self.glyphs, self.core.clock())
        rows.words, rows.hidden, rows.tags = self.words, self._hidden, self._tags
        rows.outcomes = self.memtui.upkeep.inbox.outcomes
        return rows

    def _timeline(self) -> Timeline:
        self._appended = False
        old = self.timeline_rows
        closed: frozenset[int] = frozenset()
        if old is not None:
            closed = frozenset(s.session for s in old.timeline.sessions() if s.collapsed)
            old.timeline.close()
        self._hidden, self._tags = self.core.hidden, self.core.tags
        among = None
        if self.wanted_tags:
            among = frozenset(
                ref for ref, tags in self._tags.items() if _has(tags, self.wanted_tags, self._tags)
            )
        return self.core.timeline(self.facet, closed, with_hidden=self.with_hidden, among=among)

    def change_facet(self, facet: str) -> None:
        """Show other rows; the cursor stays on its row or the nearest before it."""
        self.facet = facet
        self._reopen()
        self._entitle()
        self.refresh_bars()

    def _entitle(self) -> None:
        shown = [f"#{tag}" for tag in self.wanted_tags]
        if self.facet != Facet.TURNS.value:
            shown.insert(0, self.facet)
        self.sessions_pane.entitle(" ".join(shown))

    def set_tags(self, tags: tuple[str, ...]) -> None:
        """Show only the sessions that have all these tags."""
        if tags != self.wanted_tags:
            self.wanted_tags = tags
            self._reopen()
            self._entitle()
            none = empty.no_sessions(self.key_of, self.facet, self.core.project)
            self.sessions_list.say(empty.no_tagged(tags) if tags else none)
            self.count_sessions()
            self.refresh_bars()

    def _reopen(self) -> None:
        target = self.timeline_rows.target if self.timeline_rows else None
        rows = self._new_rows()
        rows.target = target
        self.sessions_list.show(rows)

    def take_inbox(self, found: InboxView) -> None:
        """Sessions that were read say how they went."""
        rows = self.timeline_rows
        if rows is not None and rows.outcomes != found.outcomes:
            rows.outcomes = found.outcomes
            self.sessions_list.note_change()
            if isinstance(self.subject, SessionSubject):
                self.show_subject(self.subject)
        self.refresh_bars()

    def sort_timeline(self) -> None:
        """Put sessions that a scan found in between where they belong: `refresh` only appends."""
        rows, to_end = self.timeline_rows, self._stays_at_end()  # before new rows move the end
        if rows is not None and not self._appended and rows.timeline.refresh().first is None:
            return  # a scan that found nothing, over as many sessions as there may be
        self._reopen()
        if to_end:
            self.sessions_list.action_ends(1)
        self.count_sessions()

    def _stays_at_end(self) -> bool:
        """Where nobody looks, and until the first scan is through, the newest turn stays in view."""
        idle = not self.sorted_once or not self.sessions_list.has_focus
        return self.sessions_list.at_end and (self.following or idle)

    def refresh_timeline(self) -> None:
        """Take in what was catalogued since; with follow the cursor goes to the end."""
        rows = self.timeline_rows
        if rows is None:
            return
        to_end = self._stays_at_end()
        place = self.sessions_list.place()
        change = rows.timeline.refresh()
        if change.first is None:
            return
        rows.now = self.core.clock()
        grown = change.after - change.before
        self._appended = True
        self.sessions_list.show(rows, place=place)
        if to_end:
            self.sessions_list.action_ends(1)
        elif self.following:
            self.unseen += max(0, grown)
        self.count_sessions()
        shown = self.subject
        if isinstance(shown, TurnSubject | SessionSubject) and shown.session in change.sessions:
            self.show_subject(shown)

    def count_sessions(self) -> None:
        """The count in the border: position, and what is new while following."""
        rows = self.sessions_list
        parts = [f"{rows.cursor + 1}/{len(rows)}"] if len(rows) else []
        if self.following:
            parts.insert(0, f"{self.unseen} new" if self.unseen else "following")
        if rows.marks:
            parts.insert(0, f"{len(rows.marks)} marked")
        self.sessions_pane.count("  ".join(parts))

    def session_facets(self) -> None:
        """Choose which rows are shown."""
        choices = [
            Choice(
                facet.value,
                _LABELS[facet][0],
                key=_LABELS[facet][1],
                chosen=facet.value == self.facet,
            )
            for facet in FACETS
        ]

        count = len(self.core.hidden)
        if count:
            label = f"hidden sessions too ({count})"
            choices.append(Choice(_HIDDEN, label, key="h", chosen=self.with_hidden))

        choices += [
            Choice(f"#{tag}", f"tagged #{tag} ({count})", chosen=tag in self.wanted_tags)
            for tag, count in sorted(Counter(chain(*self.core.tags.values())).items())
        ]

        def chosen(name: str | None) -> None:
            if name is not None and name.startswith("#"):
                tag = name.removeprefix("#")
                kept = tuple(one for one in self.wanted_tags if one != tag)
                self.set_tags(kept if tag in self.wanted_tags else (*kept, tag))
            elif name == _HIDDEN:
                self.with_hidden = not self.with_hidden
                self.change_facet(self.facet)
            elif name is not None:
                self.change_facet(name)

        self.app.push_screen(MenuScreen("Show", choices), chosen)

    def follow_hidden(self) -> None:
        """Sessions were hidden, shown again or tagged: the timeline follows."""
        marks = (self.core.hidden, self.core.tags)
        if self.timeline_rows is not None and (self._hidden, self._tags) != marks:
            self._reopen()
            self.count_sessions()

    def open_turn(self, key: Hashable) -> None:
        """A heading folds its session; a turn is read in the detail pane."""
        rows = self.timeline_rows
        if rows is None or not isinstance(key, tuple):
            return
        session, seq = key
        if seq == HEADING:
            index = rows.find(key)
            if index is not None:
                folded = rows.timeline.row(index).session.collapsed
                rows.timeline.collapse(session, not folded)
                self.sessions_list.show(rows)
            return
        self._leave(self.here_label() or "turn")
        self.reveal(self.detail_pane)
        subject = self.subject_of(self.sessions_list)
        if subject is not None and not self._noted(subject):
            self.show_subject(subject)
        self.give(self.detail_pane.text)

    def action_jump(self, what: str, direction: int) -> None:
        """Go to the next or previous session, prompt or failure, or from a failure to its success."""
        rows = self.timeline_rows
        if rows is None or not len(rows):
            return
        step, here = Step(what), self.sessions_list.cursor
        index = rows.timeline.next(here, step, direction)
        if index is None and step is Step.PAIR:
            step = Step.FAILURE
            index = rows.timeline.next(here, step, direction)
        if index is None:
            self.say(f"no {'further' if direction > 0 else 'earlier'} {step.value}")
            return
        self.sessions_list.go(index, context=True)

    def action_follow(self) -> None:
        """Follow the newest turn, or stop following."""
        self.following = not self.following
        self.unseen = 0
        if self.following:
            self.sessions_list.action_ends(1)
        self.say("following the newest turn" if self.following else "no longer following")
        self.count_sessions()

    def action_go_time(self) -> None:
        """Ask for a time."""
        self.input_line.ask("time", "go to", "", "14:02, 2026-11-05, yesterday, -2h")

    @on(InputLine.Done)
    def _words_done(self, message: InputLine.Done) -> None:
        if message.purpose == "time":
            self.give(self.sessions_list)
            self._go_time(message.text)
        elif message.purpose == "find":
            self.give(self.sessions_list)
            words = message.text.casefold().split()
            self.set_tags(tuple(word[1:] for word in words if len(word) > 1 and word[0] == "#"))
            self.set_words(tuple(word for word in words if not word.startswith("#")))
            if self.words or not self.wanted_tags:
                self.action_find_next(1)

    def _go_time(self, text: str) -> None:
        rows, row = self.timeline_rows, self.timeline_row()
        if rows is None or not text.strip():
            return
        near = moment(row.at) if row is not None and row.at is not None else None
        try:
            when = parse_when(text, self.core.clock(), near)
        except ValueError as error:
            self.say(str(error), "warning")
            return
        self.sessions_list.go(rows.timeline.at_time(milliseconds(when)), context=True)


def _has(tags: Sequence[str], wanted: Sequence[str], known: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether tags have all that are wanted; one that is no whole tag anywhere stands for its beginning."""
    whole = frozenset(chain(*known.values()))
    return all(
        word in tags or (word not in whole and any(tag.startswith(word) for tag in tags))
        for word in wanted
    )
