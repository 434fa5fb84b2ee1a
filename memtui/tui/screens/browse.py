"""The Browse view: five panes, their layout and focus, and what keeps them up to date."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal

from memtui.sessions.rows import Facet
from memtui.tui.actions import bindings
from memtui.tui.docs import empty
from memtui.tui.screens.beginning import BeginningPart
from memtui.tui.screens.blaming import BlamingPart
from memtui.tui.screens.layout import LayoutPart
from memtui.tui.screens.notices import NoticesPart
from memtui.tui.screens.session_acts import SessionActsPart
from memtui.tui.screens.shaping import ShapingPart
from memtui.tui.widgets.cards_pane import CardsPane
from memtui.tui.widgets.detail_pane import DetailPane
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pages_pane import PagesPane
from memtui.tui.widgets.pane import count_text
from memtui.tui.widgets.preview_pane import PreviewPane
from memtui.tui.widgets.sessions_pane import SessionsPane


class BrowseScreen(
    NoticesPart, BeginningPart, LayoutPart, ShapingPart, BlamingPart, SessionActsPart
):
    """Browse what is remembered."""

    CSS_PATH = "browse.tcss"
    BINDINGS = bindings("browse")

    AUTO_FOCUS = "#cards-list"

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
        self.cards_pane.add_class("-active")
        self.lay_out()
        self.give(self.cards_list)
        self.show_items()
        self.replan()
        self.sessions_list.say(empty.READING_SESSIONS)
        self.memtui.when_painted(self, self.begin)

    def action_back(self) -> None:
        """One step back: input, zoom, walk, filter, highlight, running job."""
        if self.input_line.is_open:
            if self.input_line.purpose == "filter":
                self.set_filter("")
            self.input_line.close()
            self.give(self.pane.main())
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
        elif self.pane is self.sessions_pane and self.wanted_tags:
            self.set_tags(())
        elif self.pane is self.sessions_pane and self.facet != Facet.TURNS.value:
            self.change_facet(Facet.TURNS.value)
        elif self.pane.main() is not self.focused and self.focused is self.support_list:
            self.give(self.detail_pane.text)
        elif self.jobs.running("export"):
            self.jobs.cancel("export")
        elif self.memtui.upkeep.sleeping:
            self.memtui.upkeep.cancel()
        elif self.progress is not None:
            self.stop_scan()
        elif isinstance(self.pane, DetailPane | PreviewPane):
            self.give(self._active_list())
        elif self.memtui.from_projects:
            self.memtui.action_view("projects")

    def action_sleep(self) -> None:
        """Read finished sessions, propose, put away: in the background."""
        self.with_bank(self.memtui.upkeep.start)

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
