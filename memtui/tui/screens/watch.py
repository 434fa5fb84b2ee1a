"""The pane beside a running agent: it finds the session, follows it, and says what is known and new."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, partial

from textual import on
from textual.app import ComposeResult

from memtui.curate.act import ConflictError, CurateError
from memtui.curate.candidates import Candidate
from memtui.tui.acting import Acts, Deed
from memtui.tui.actions import BY_ID, bindings
from memtui.tui.docs.bars import (
    events_part,
    fitting,
    footer_parts,
    note_part,
    polling_part,
    progress_part,
)
from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import Document, MarkdownText, document
from memtui.tui.docs.item_doc import item_document
from memtui.tui.docs.live_rows import head_line, note_rows, session_choices, summary_lines
from memtui.tui.docs.spans import clip
from memtui.tui.docs.timeline_rows import HEADING, TimelineRows
from memtui.tui.docs.turn_doc import turn_document
from memtui.tui.rows import FixedRows, ListPlace
from memtui.tui.screens.conflict import ask_choice
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.screens.watch_reading import WatchReading
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.workspace.curating import Done
from memtui.workspace.live import Receipt


class WatchScreen(WatchReading):
    """Follows the live session of this project, of whichever host."""

    CSS_PATH = "watch.tcss"
    BINDINGS = bindings("watch")
    AUTO_FOCUS = "#tail"

    _noted: Sequence[tuple[Hashable, Hashable]] = ()

    @cached_property
    def acts(self) -> Acts:
        """The acts of this screen."""
        return Acts(self.jobs, self.core, self._take_done, self._refuse)

    def compose(self) -> ComposeResult:
        """Bars above and below; the summary, errors and candidates, and the tail of the session."""
        yield Lines(id="header")
        yield Lines(id="summary")
        yield LineList(id="notes", markable=False)
        yield Lines(id="rule")
        yield LineList(id="tail", markable=False)
        yield Lines(id="status")
        yield Lines(id="footer")

    def on_mount(self) -> None:
        """Paint first, then read the bank and the sessions."""
        self.tail.say([[("looking for the session of this folder", "muted")]])
        self.notes_list.display = False
        self.refresh_bars()
        self.memtui.when_painted(self, self.begin)

    def on_resize(self) -> None:
        """Lines are cut to the width."""
        self.call_after_refresh(self.refresh_bars)

    def scopes(self) -> tuple[str, ...]:
        """See `ViewScreen.scopes`."""
        return "watch", "list", "app"

    # What is shown

    @property
    def tail_rows(self) -> TimelineRows | None:
        """The rows of the session."""
        source = self.tail.source
        return source if isinstance(source, TimelineRows) else None

    def open_tail(self) -> None:
        """Show the rows of the session, at their end."""
        old = self.tail_rows
        if old is not None:
            old.timeline.close()
        if self.session is not None:
            timeline = self.core.live.timeline(self.session)
            self.tail.show(TimelineRows(timeline, self.glyphs, self.core.clock()), keep=False)
            self.tail.action_ends(1)
            self.unseen = 0

    def show_new(self) -> None:
        """New rows; the cursor goes to the end while following, else stays on its row."""
        rows = self.tail_rows
        if rows is None:
            return
        place, at_end = self.tail.place(), self.tail.at_end
        change = rows.timeline.refresh()
        if change.first is None:
            return
        rows.now = self.core.clock()
        if self.following and at_end:
            self.tail.show(rows, place=ListPlace(None, len(rows) - 1, self.tail.size.height - 1))
        else:
            self.tail.show(rows, place=place)
            self.unseen += max(0, change.after - change.before)

    def show_notes(self) -> None:
        """Errors and candidates."""
        rows = note_rows(self.live, self.receipt, self.found, self.glyphs) if self.live else []
        told = [(row.key, row.version) for row in rows]
        if told != self._noted:  # mostly they are as they were, and drawing them again costs
            self._noted = told
            self.notes_list.display = bool(rows)
            self.notes_list.show(FixedRows(rows))

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        if message.list is self.tail and self.tail.at_end and self.unseen:
            self.unseen = 0
            self.refresh_bars()

    def refresh_bars(self) -> None:
        """See `ViewScreen.refresh_bars`."""
        if not self.is_mounted:
            return
        width, now = self.app.size.width, self.core.clock()
        others = sum(one.is_live(now) for one in self.known if one != self.session)
        head = head_line(self.session, others, now, width, self.glyphs)
        self.query_one("#header", Lines).show([head])
        low = self.app.has_class("-low") or self.app.size.height < 18
        self.set_class(low, "-low")
        if self.live is not None:
            inside = width if low else width - 2
            lines = summary_lines(self.live, self.receipt, inside, self.glyphs, titled=not low)
            self.query_one("#summary", Lines).show(lines)
        self.query_one("#rule", Lines).show([self._rule(width)])
        said = clip(line_of(self.last), width - 2, self.glyphs.ellipsis)
        mode = self.core.watching.mode
        parts = [Part(((said, "muted"),)) if said else None]
        if self.progress is not None:
            paused = self.key_of("pause") if self.paused else ""
            parts.insert(0, progress_part(self.progress, self.glyphs, paused))
        parts.insert(0, polling_part(mode))
        parts.append(note_part(self.core.status(), 0, self.glyphs))
        parts.append(events_part(mode))
        shown = fitting(parts, width - 1)
        shown[:1] = [Part(((" ", ""), *first.spans), first.run) for first in shown[:1]]
        self.query_one("#status", Lines).show_parts(shown)
        limit = 6 if width < 80 else 8
        keymap, ascii_only = self.memtui.keymap, self.memtui.ascii_only
        keys = footer_parts(self.scopes(), keymap, width, limit, ascii_only)
        self.query_one("#footer", Lines).show_parts(keys)

    def _rule(self, width: int) -> list[tuple[str, str]]:
        """What parts errors from the tail: whether it follows, and how much is new."""
        if self.unseen:
            state, tone = f"{self.unseen} new", "accent"
        else:
            state, tone = ("following", "ok") if self.following else ("not following", "muted")
        rule = self.glyphs.rule
        dashes = rule * max(0, width - len(state) - 6)
        return [(f"{rule} ", "faint"), (state, tone), (f" {dashes}", "faint")]

    # Keys

    def action_follow(self) -> None:
        """Follow the newest turn, or stay where the cursor is."""
        self.following = not self.following
        if self.following:
            self.tail.action_ends(1)
            self.unseen = 0
        self.refresh_bars()

    def action_reload(self) -> None:
        """Read everything again."""
        self.read_bank()
        self.scan_sessions()

    def action_cycle(self, step: int) -> None:
        """Between the errors and the tail."""
        here = self.focused is self.notes_list
        self.give(self.tail if here or not self.notes_list.display else self.notes_list)

    def action_back(self) -> None:
        """End the scan, else to the end of the tail, and follow."""
        if self.progress is not None:
            self.stop_scan()
            return
        self.give(self.tail)
        self.following = False
        self.action_follow()

    def action_other_session(self) -> None:
        """Choose the session to follow."""
        here = str(self.session.session) if self.session else ""
        choices = [
            Choice(value, label, note, chosen=value == here)
            for value, label, note in session_choices(self.known, self.core.clock())
        ]
        if choices:
            self.memtui.push_screen(MenuScreen("Follow", choices), self._chosen)

    def _chosen(self, value: str | None) -> None:
        found = next((one for one in self.known if str(one.session) == value), None)
        self.chosen = self.chosen or found is not None
        if found is not None and (self.session is None or found.session != self.session.session):
            self.session, self.told = found, -1
            self.found, self.receipt = (), Receipt()
            self.open_tail()
            self.look()

    def action_open(self) -> None:
        """Show what the cursor is on: the turn, the card, the draft."""
        key = self.focused.key if isinstance(self.focused, LineList) else None
        session = self.session
        if not isinstance(key, tuple) or session is None:
            return
        if self.focused is self.tail:
            if key[1] != HEADING:
                self._open_turn(int(str(key[1])))
        elif key[0] == "error":
            self._open_turn(int(key[1]))
        elif key[0] == "known" and self.view is not None:
            found = self.view.by_id.get(str(key[2]))
            if found is not None:
                self._paper("Card", item_document(found, self.glyphs))
        elif key[0] == "keep":
            candidate = self._candidate()
            if candidate is not None:
                text = f"# {candidate.draft.title}\n\n{candidate.draft.body}"
                self._paper("Draft", document("draft", "Draft", [MarkdownText(body_of(text))]))

    def _open_turn(self, seq: int) -> None:
        session = self.session
        if session is not None:
            work = partial(self.core.turn, session.session, seq)
            shown = lambda turn: self._paper("Turn", turn_document(turn, self.glyphs))  # noqa: E731
            self.jobs.run("detail", "reading the turn", work, shown)

    def _paper(self, title: str, shown: Document) -> None:
        self.memtui.push_screen(PaperScreen(title, shown))

    def action_yank(self) -> None:
        """Copy the line of the card that covers the error under the cursor, to paste into the chat."""
        failure = self._covered()
        if failure is None or self.view is None:
            self.say("no error or command here is covered by a card")
            return
        line = self.core.live.line_of(failure, self.view)
        self.memtui.copy_text(line, f"the line of {failure}")

    def _covered(self) -> str | None:
        """The card of the row under the cursor, else of the newest error that has one."""
        key = self.notes_list.key if self.focused is self.notes_list else None
        if isinstance(key, tuple) and key[0] == "known":
            return str(key[2])
        failures = (*self.live.failures, *self.live.repeated) if self.live else ()
        if isinstance(key, tuple) and key[0] == "error":
            failures = tuple(one for one in failures if one.seq == key[1])
        covered = (one.covered for one in reversed(failures) if one.covered is not None)
        return next((one.handle for one in covered), None)

    def _candidate(self) -> Candidate | None:
        """The candidate under the cursor, else the first."""
        key = self.notes_list.key if self.focused is self.notes_list else None
        if isinstance(key, tuple) and key[0] == "keep":
            return next((one for one in self.found if one.draft.title == key[1]), None)
        return next(iter(self.found), None)

    def action_promote(self) -> None:
        """Make a card of the candidate, its evidence sealed; `u` takes it back."""
        candidate, session = self._candidate(), self.session
        if candidate is None or session is None:
            self.say("nothing to keep yet")
            return
        deed = Deed("promote", self.core.live.promoting(session, candidate))
        self.acts.run(deed)

    def action_undo(self) -> None:
        """Take back the last act."""
        from memtui.curate import verbs

        self.acts.run(Deed("undo", verbs.undo, resolved=verbs.undo))

    def _take_done(self, done: Done) -> None:
        self.take_view(done.after.view)
        self.rest_then_read(0.0)
        undo = f". {self.memtui.keymap.shown(BY_ID['undo'])} undoes" if done.result.undoable else ""
        self.say(f"{line_of(done.result.summary, 100)}{undo}")

    def _refuse(self, deed: Deed, error: Exception) -> None:
        if isinstance(error, ConflictError):
            told = f"{line_of(error.what)}; nothing was changed"
            unchanged = partial(self.say, told, "warning")
            ask_choice(self.memtui, self.acts, deed, error, unchanged)
        elif isinstance(error, CurateError):
            self.say("; ".join(filter(None, (line_of(error.what), error.do))), "warning")
        else:
            self.say(f"{deed.doing} failed: {line_of(str(error))}; nothing was changed", "error")
