"""The Browse view: five panes, their layout and focus, and what keeps them up to date."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.widget import Widget

from memtui.sessions.rows import Facet
from memtui.tui.actions import bindings
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Blank, Block, Heading, Prose, document
from memtui.tui.docs.spans import Line
from memtui.tui.docs.welcome import welcome_lines
from memtui.tui.jobs import JobDone, JobFailed, cancelled
from memtui.tui.screens.bars import BarsPart
from memtui.tui.screens.items import ItemsPart
from memtui.tui.screens.lists import ListsPart
from memtui.tui.screens.next_session import PreviewPart
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.screens.timeline import TimelinePart
from memtui.tui.widgets.cards_pane import CardsPane
from memtui.tui.widgets.detail_pane import DetailPane
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pages_pane import PagesPane
from memtui.tui.widgets.pane import Pane, count_text
from memtui.tui.widgets.preview_pane import PreviewPane
from memtui.tui.widgets.sessions_pane import SessionsPane
from memtui.workspace.model import BankView, Changed, ScanProgress

_REFRESH = 0.4
"""Seconds between two looks at the timeline while a scan runs."""


class BrowseScreen(BarsPart, ListsPart, TimelinePart, PreviewPart, ItemsPart):
    """Browse what is remembered."""

    CSS_PATH = "browse.tcss"
    BINDINGS = bindings("browse")

    AUTO_FOCUS = "#cards-list"

    zoomed = False
    side = "detail"
    preview_hidden = False

    def compose(self) -> ComposeResult:
        """Bars above and below, the panes between them."""
        yield Lines(id="header")
        with Horizontal(id="body"):
            with Container(id="lists"):
                yield SessionsPane(id="sessions")
                yield CardsPane(id="cards")
                yield PagesPane(id="pages")
            yield DetailPane(id="detail")
            yield PreviewPane(id="preview")
        yield Lines(id="welcome")
        yield InputLine(id="input")
        yield Lines(id="status")
        yield Lines(id="footer")

    def on_mount(self) -> None:
        """Paint first, then read the bank and the sessions."""
        self.missed: set[Path] = set()
        self.cards_pane.add_class("-current", "-active")
        self.lay_out()
        self.cards_list.focus()
        self.show_items()
        self.replan()
        self.sessions_list.say([[("reading the sessions…", "muted")]])
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.reload_bank()
        self.show_timeline()
        self._scan()
        if self.memtui.watches:
            self.run_worker(self._watch(), exclusive=True, group="watch", exit_on_error=False)

    # Reading

    def reload_bank(self) -> None:
        """Read the bank in a worker."""
        if self.core.bank_root is None:
            self.view = None
            self._welcome()
            return
        self.jobs.run("bank", "reading the bank", self.core.load, self._take_bank)

    def _take_bank(self, view: BankView) -> None:
        self.view = view

    def watch_view(self) -> None:
        """A bank was read: every pane looks at it anew."""
        self.show_items()
        self.replan()
        if self.subject is not None:
            self.show_subject(self.subject)
        self.refresh_bars()

    def _scan(self) -> None:
        progress = partial(self.app.call_from_thread, self._progressed)
        work = partial(self.core.scan, progress, cancelled)
        self.jobs.run("scan", "reading the sessions", work, self._scanned)

    def _progressed(self, progress: ScanProgress) -> None:
        """Called in the loop while the scan goes on; its first call shows that there is work."""
        self.progress = progress
        if progress.files_done % 8 == 0:
            self.refresh_timeline()

    def _scanned(self, _: object) -> None:
        self.progress = None
        self.refresh_timeline()
        self.scanned = True
        if self.missed:
            waiting, self.missed = tuple(sorted(self.missed)), set()
            self._update(waiting)
        elif self.core.bank_root is not None:
            self.reload_bank()
        rows = self.sessions_list
        rows.say([[("no sessions of this project yet", "muted")]])
        self._welcome()
        self.refresh_bars()

    def watch_progress(self) -> None:
        """The status bar says how far the scan is."""
        self.refresh_bars()

    async def _watch(self) -> None:
        """Read again what changed, for as long as the screen lives."""
        try:
            async for change in self.core.watch():
                self._changed(change)
        except OSError as error:
            self.say(f"changes are no longer noticed: {error}; R reads everything again", "warning")

    def _changed(self, change: Changed) -> None:
        if change.kind == "bank":
            self.reload_bank()
        elif self.jobs.running("scan"):
            self.missed.update(change.paths)
        else:
            self._update(change.paths)

    def _update(self, paths: tuple[Path, ...]) -> None:
        self.jobs.run(
            "scan", "reading the sessions", partial(self.core.update, paths), self._scanned
        )

    @on(JobDone)
    def _job_done(self, message: JobDone) -> None:
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    @on(JobFailed)
    def _job_failed(self, message: JobFailed) -> None:
        if not self.jobs.is_current(message.group, message.generation):
            return
        if message.group == "scan":
            self.progress = None
        self.say(f"{message.doing} failed: {line_of(str(message.error))}; R tries again", "error")

    def action_reload(self) -> None:
        """Read everything again."""
        self.reload_bank()
        self._scan()
        self.say("reading again")

    # Layout

    @property
    def _is_tiny(self) -> bool:
        return self.app.size.width < 40 or self.app.size.height < 12

    @property
    def _is_small(self) -> bool:
        """Whether detail and preview share one place."""
        return self.app.size.width < 120

    def lay_out(self) -> None:
        """Show the panes that have room: all, or one beside the lists, or the current one alone."""
        current = self.pane
        single = self.zoomed or self._is_tiny
        low = self.app.size.height < 18
        self.set_class(single, "-single")
        self.set_class(self._is_tiny, "-tiny")
        in_lists = (self.sessions_pane, self.cards_pane, self.pages_pane)
        active = next((pane for pane in in_lists if pane.has_class("-active")), self.cards_pane)
        for pane in in_lists:
            pane.display = pane is current if single else pane is active or not low
        self.query_one("#lists").display = not single or current in in_lists
        if single:
            self.detail_pane.display = current is self.detail_pane
            self.preview_pane.display = current is self.preview_pane
        elif self._is_small:
            self.detail_pane.display = self.side == "detail"
            self.preview_pane.display = self.side == "preview"
        else:
            self.detail_pane.display = True
            self.preview_pane.display = not self.preview_hidden

    def on_resize(self, event: events.Resize) -> None:
        """Another size, another layout."""
        self.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def reveal(self, pane: Widget) -> None:
        """Make a pane the current one and visible, whatever the layout hides."""
        if not isinstance(pane, Pane):
            return
        for other in self.query(Pane):
            other.set_class(other is pane, "-current")
        if pane is self.detail_pane or pane is self.preview_pane:
            self.side = "detail" if pane is self.detail_pane else "preview"
            if pane is self.preview_pane:
                self.preview_hidden = False
        else:
            for other in (self.sessions_pane, self.cards_pane, self.pages_pane):
                other.set_class(other is pane, "-active")
        self.lay_out()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the current one; the detail pane follows its cursor."""
        pane = next((p for p in event.widget.ancestors if isinstance(p, Pane)), None)
        if pane is None:
            return
        changed = not pane.has_class("-current")
        self.reveal(pane)
        if changed and isinstance(event.widget, LineList):
            self.follow_cursor(event.widget)
        self.refresh_bars()

    def action_pane(self, number: int) -> None:
        """Go to a pane by its number."""
        for pane in self.query(Pane):
            if number == pane.NUMBER:
                self.reveal(pane)
                pane.main().focus()

    def action_cycle(self, step: int) -> None:
        """Go to the next or previous pane; the list under the detail text is a stop of its own."""
        stops: list[Widget] = []
        for pane in self.query(Pane):
            stops.append(pane.main())
            if pane is self.detail_pane and pane.has_class("-supported") and len(self.support_list):
                stops.append(self.support_list)
        here = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(here + step) % len(stops)]
        self.reveal(next(p for p in target.ancestors if isinstance(p, Pane)))
        target.focus()

    def action_zoom(self, alone: bool) -> None:
        """Show the current pane alone, or all of them."""
        self.zoomed = alone
        self.lay_out()
        self.refresh_bars()

    def action_toggle_preview(self) -> None:
        """Show the next session in place of the detail pane, or hide it where both have room."""
        if self._is_small:
            self.side = "detail" if self.side == "preview" else "preview"
            if self.pane in (self.detail_pane, self.preview_pane):
                pane = self.detail_pane if self.side == "detail" else self.preview_pane
                self.reveal(pane)
                pane.main().focus()
        else:
            self.preview_hidden = not self.preview_hidden
            if self.preview_hidden and self.pane is self.preview_pane:
                self.cards_list.focus()
        self.lay_out()

    def action_back(self) -> None:
        """One step back: input, zoom, walk, filter, highlight, running job."""
        if self.input_line.is_open:
            if self.input_line.purpose == "filter":
                self.unfilter(self.pages_list if self.pane is self.pages_pane else self.cards_list)
            self.input_line.close()
            self.pane.main().focus()
        elif self.zoomed:
            self.action_zoom(False)
        elif self.trail:
            self.step_back()
        elif self.pane is self.cards_pane and self.cards_query.narrows:
            self.unfilter(self.cards_list)
        elif self.pane is self.pages_pane and self.pages_query.narrows:
            self.unfilter(self.pages_list)
        elif self.pane is self.sessions_pane and self.words:
            self.set_words(())
        elif self.pane is self.sessions_pane and self.facet != Facet.TURNS.value:
            self.change_facet(Facet.TURNS.value)
        elif self.pane.main() is not self.focused and self.focused is self.support_list:
            self.detail_pane.text.focus()
        elif self.progress is not None:
            self.jobs.cancel("scan")
            self.say("the scan was stopped; R goes on with it")
            self.progress = None
        elif isinstance(self.pane, DetailPane | PreviewPane):
            self._active_list().focus()

    def _active_list(self) -> LineList:
        lists = (self.sessions_list, self.cards_list, self.pages_list)
        return next(
            (one for one in lists if one.parent and one.parent.has_class("-active")), lists[1]
        )

    # Cursor and counts

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        if message.list is not self.support_list and message.list.has_focus:
            self.follow_cursor(message.list)
        self._count(message.list)

    @on(LineList.Changed)
    def _rows_changed(self, message: LineList.Changed) -> None:
        self._count(message.list)
        if self.subject is None and message.list is self.cards_list and len(message.list):
            self.follow_cursor(message.list)

    def _count(self, rows: LineList) -> None:
        view = self.view
        if rows is self.sessions_list:
            if rows.at_end:
                self.unseen = 0
            self.count_sessions()
        elif rows is self.cards_list:
            self.cards_pane.count(count_text(rows, len(view.cards) if view else None))
        elif rows is self.pages_list:
            self.pages_pane.count(count_text(rows, len(view.pages) if view else None))
        elif rows is self.support_list and self.trail:
            self.refresh_bars()

    def action_facets(self) -> None:
        """Choose what the current list shows."""
        if self.pane is self.sessions_pane:
            self.session_facets()
        else:
            self.item_facets()

    # Notices

    def _welcome(self) -> None:
        """Where there is neither bank nor session: what was looked for, and what to do."""
        rows = self.timeline_rows
        lost = self.core.bank_root is None and (rows is None or not len(rows))
        lost = lost and self.scanned
        self.query_one("#body").display = not lost
        box = self.query_one("#welcome", Lines)
        box.display = lost
        if lost:
            width = max(20, min(96, self.app.size.width - 4))
            box.show(welcome_lines(self.core.looked(), width, self.glyphs))

    def action_problems(self) -> None:
        """List what could not be read, and what is off."""
        blocks: list[Block] = []
        problems = self.problems()
        if problems:
            blocks.append(Heading((("files", "heading"),)))
        for problem in problems:
            where = f", line {problem.line}" if problem.line is not None else ""
            name: Line = [
                (f"{problem.path.name}{where}: ", "strong"),
                (line_of(problem.message), "text"),
            ]
            blocks.append(Prose(tuple(name)))
        notes = self.core.status()
        if notes:
            blocks += [Blank()] if blocks else []
            blocks.append(Heading((("state", "heading"),)))
        tones = {"ok": "ok", "warning": "warn", "error": "error"}
        for note in notes:
            blocks.append(
                Prose(
                    (
                        (f"{note.level}  ", tones.get(note.level, "text")),
                        (line_of(note.text), "text"),
                    )
                )
            )
        if not blocks:
            blocks.append(Prose((("everything was read, nothing is off", "text"),)))
        self.app.push_screen(
            PaperScreen("Problems and state", document("problems", "problems", blocks))
        )

    @on(Lines.Pressed)
    async def _pressed(self, message: Lines.Pressed) -> None:
        message.stop()
        if message.run.startswith("memtui:"):
            await self.memtui.run_by_id(message.run.removeprefix("memtui:"))
        else:
            await self.run_action(message.run)

    @on(InputLine.Done)
    def _asked(self, message: InputLine.Done) -> None:
        self.call_after_refresh(self.refresh_bars)
