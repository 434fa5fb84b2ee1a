"""What the parts of the Browse screen share: its state, its lists, its jobs and its voice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from textual import getters
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from memtui.sessions.rows import Facet
from memtui.tui.jobs import Jobs
from memtui.tui.listing import ListQuery
from memtui.tui.screens.scanning import ScanningPart
from memtui.tui.trail import Subject, Trail
from memtui.tui.widgets.cards_pane import CardsPane
from memtui.tui.widgets.detail_pane import DetailPane
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pages_pane import PagesPane
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.preview_pane import PreviewPane
from memtui.tui.widgets.sessions_pane import SessionsPane
from memtui.workspace.model import BankView, EvidenceView, Preview, PreviewOptions

if TYPE_CHECKING:
    from memtui.tui.ports import Core
    from memtui.workspace.curating import Reloaded


class BrowseBase(ScanningPart):
    """State and helpers. Each part of the screen is a subclass with the actions of one theme."""

    VIEW = "browse"

    view: reactive[BankView | None] = reactive(None, init=False)
    preview: reactive[Preview | None] = reactive(None, init=False)
    options: reactive[PreviewOptions] = reactive(PreviewOptions(), init=False)
    cards_query: reactive[ListQuery] = reactive(ListQuery(), init=False)
    pages_query: reactive[ListQuery] = reactive(ListQuery(sort="title"), init=False)

    sessions_pane = getters.query_one("#sessions", SessionsPane)
    cards_pane = getters.query_one("#cards", CardsPane)
    pages_pane = getters.query_one("#pages", PagesPane)
    detail_pane = getters.query_one("#detail", DetailPane)
    preview_pane = getters.query_one("#preview", PreviewPane)
    sessions_list = getters.query_one("#sessions-list", LineList)
    cards_list = getters.query_one("#cards-list", LineList)
    pages_list = getters.query_one("#pages-list", LineList)
    support_list = getters.query_one("#support-list", LineList)
    preview_list = getters.query_one("#preview-list", LineList)
    input_line = getters.query_one("#input", InputLine)

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        wanted = core.settings.inject
        options = PreviewOptions(host=wanted.host, source=wanted.source, branch=core.branch)
        self.set_reactive(BrowseBase.options, options)
        self.jobs = Jobs(self, self.run_worker)
        self.trail = Trail()
        self.subject: Subject | None = None
        self.facet = Facet.TURNS.value
        self.support: tuple[EvidenceView, ...] = ()
        self.words: tuple[str, ...] = ()
        self.wanted_tags: tuple[str, ...] = ()
        self._detail_timer: Timer | None = None
        self._pane: Pane | None = None

    @property
    def pane(self) -> Pane:
        """The pane that has, or last had, the focus."""
        return self._pane or self.cards_pane

    def reveal(self, pane: Widget) -> None:
        """Make a pane visible, whatever the layout hides."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Show the panes that have room."""
        raise NotImplementedError

    def unfilter(self, rows: LineList) -> None:
        """Show all rows of a list again."""
        raise NotImplementedError

    def show_subject(self, subject: Subject) -> None:
        """Show a turn, session, card or page in the detail pane."""
        raise NotImplementedError

    def toggle_part(self, kind: str) -> None:
        """Open or close a group of the host's own files in the preview."""
        raise NotImplementedError

    def compare_hosts(self) -> None:
        """Plan for every host where they have room side by side."""
        raise NotImplementedError

    def open_turn(self, key: Hashable) -> None:
        """Go down from a row of the timeline."""
        raise NotImplementedError

    def take_reloaded(self, reloaded: Reloaded) -> None:
        """Look at a bank that was read."""
        raise NotImplementedError

    def with_bank(self, then: Callable[[], None]) -> None:
        """Call `then` once there is a bank; without one, ask where to begin it."""
        raise NotImplementedError

    def reload_bank(self) -> None:
        """Read the bank again."""
        raise NotImplementedError

    def change_facet(self, facet: str) -> None:
        """Show other rows of the timeline."""
        raise NotImplementedError
