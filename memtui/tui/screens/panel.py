"""A view that is a list with a text beside it, over the bank that the Browse view keeps up to date."""

from __future__ import annotations

from textual import events, getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from memtui.tui.acting import Deed
from memtui.tui.actions import bindings
from memtui.tui.asking import Asking
from memtui.tui.docs.bars import (
    bank_parts,
    fitting,
    footer_parts,
    header_line,
    note_part,
    waiting_part,
)
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.jobs import Jobs
from memtui.tui.ports import Core
from memtui.tui.screens.view import ViewScreen
from memtui.tui.views import header_views
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.side_pane import ListPane, SidePane, TextPane
from memtui.workspace.model import BankView

_DELAY = 0.05
"""Seconds that the cursor must rest before the text follows."""


class PanelView(Asking, ViewScreen):
    """Each view is a subclass: what the rows are, and what its keys do."""

    CSS_PATH = ["browse.tcss", "panel.tcss"]
    BINDINGS = bindings("view")
    AUTO_FOCUS = "#panel-list"
    LIST_NAME = ""
    TEXT_NAME = "Detail"

    rows = getters.query_one("#panel-list", LineList)
    text = getters.query_one("#panel-text", DocView)
    list_pane = getters.query_one("#panel-list-pane", ListPane)
    text_pane = getters.query_one("#panel-text-pane", TextPane)
    input_line = getters.query_one("#input", InputLine)

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.jobs = Jobs(self, self.run_worker)
        self.zoomed = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Bars above and below, list and text between them."""
        yield Lines(id="header")
        with Horizontal(id="panel-body"):
            yield ListPane(self.LIST_NAME, id="panel-list-pane")
            yield TextPane(self.TEXT_NAME, id="panel-text-pane")
        yield InputLine(id="input")
        yield Lines(id="status")
        yield Lines(id="footer")

    def on_mount(self) -> None:
        """Show what the view is about."""
        self.give(self.rows)
        self.lay_out()
        self.begin()

    def begin(self) -> None:
        """Show the bank as Browse has it, and again whenever that changes."""
        self.watch(self.memtui.browse, "view", self._look)

    @property
    def view(self) -> BankView | None:
        """The bank as the Browse view last read it."""
        return self.memtui.browse.view

    def _look(self) -> None:
        self.look()
        self.refresh_bars()

    def look(self) -> None:
        """The bank was read: show it anew."""
        raise NotImplementedError

    def follow(self) -> None:
        """Show what the cursor is on."""
        raise NotImplementedError

    def show_text(self, shown: Document, name: str = "") -> None:
        """Show a document in the text pane."""
        self.text.show(shown)
        self.text_pane.entitle(name=name or self.TEXT_NAME)

    # Acts

    def act(self, deed: Deed) -> None:
        """Do an act: Browse takes its result, and with that every view."""
        self.memtui.browse.acts.run(deed)

    def action_undo(self) -> None:
        """Take back your last act."""
        self.memtui.browse.action_undo()

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self.memtui.browse.action_redo()

    def complain(self, text: str) -> None:
        """Say what did not work."""
        self.say(text, "warning")

    # Cursor and focus

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_DELAY, self.follow)
        self.count()

    @on(LineList.Changed)
    def _filled(self, message: LineList.Changed) -> None:
        message.stop()
        self.count()

    def count(self) -> None:
        """What stands in the border of the list."""
        rows = self.rows
        self.list_pane.count(f"{rows.cursor + 1}/{len(rows)}" if len(rows) else "")

    @on(LineList.Chosen)
    async def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        await self.run_action("open")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The keys of the pane with the focus."""
        self.lay_out()
        self.refresh_bars()

    def on_resize(self, event: events.Resize) -> None:
        """Another size, another layout."""
        self.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def lay_out(self) -> None:
        """Both panes, or the one with the focus alone where there is no room."""
        single = self.zoomed or self.app.size.width < 40 or self.app.size.height < 12
        self.set_class(single, "-single")
        in_text = self.focused is self.text
        self.list_pane.display = not single or not in_text
        self.text_pane.display = not single or in_text

    def action_cycle(self, step: int) -> None:
        """From the list to its text and back."""
        other = self.rows if self.focused is self.text else self.text
        self.list_pane.display = self.text_pane.display = True
        self.give(other)

    def action_zoom(self, alone: bool) -> None:
        """Show the current pane alone, or both."""
        self.zoomed = alone
        self.lay_out()

    def action_open(self) -> None:
        """Go down: from the list to its text."""
        if self.focused is self.rows:
            self.action_cycle(1)

    def action_back(self) -> None:
        """One step back: input, zoom, text, filter, and then to Browse."""
        if self.input_line.is_open:
            self.input_line.close()
            self.give(self.rows)
        elif self.zoomed:
            self.action_zoom(False)
        elif self.focused is self.text:
            self.action_cycle(-1)
        elif not self.step_back():
            self.memtui.action_view("browse")

    def step_back(self) -> bool:
        """Take back what narrows the list; False when nothing does."""
        return False

    def action_reload(self) -> None:
        """Read the bank again."""
        self.memtui.browse.reload_bank()
        self.say("reading again")

    # Bars

    def scopes(self) -> tuple[str, ...]:
        """Where the focus is, for footer and help."""
        return (self.VIEW, "list", "view", "app")

    def notes(self) -> list[Part]:
        """What this view says in the status bar."""
        return []

    def refresh_bars(self) -> None:
        """Draw the three bars."""
        if not self.is_mounted:
            return
        width = self.app.size.width
        views = header_views(self.VIEW)
        place = (self.core.project, self.core.branch)
        head = header_line(views, place, (), width, self.glyphs)
        self.query_one("#header", Lines).show([head])
        notes = self.notes()
        parts: list[Part | None] = [*notes[:1], *self._waiting(width), *notes[1:]]
        parts += self.bank_notes(width)
        if self.last:
            parts.append(Part(((line_of(self.last, 60), "faint"),)))
        self.query_one("#status", Lines).show_parts(fitting(parts, width))
        keymap, ascii_only = self.memtui.keymap, self.memtui.ascii_only
        limit = 4 if width < 80 else 7
        shown = footer_parts(self.scopes(), keymap, width, limit, ascii_only)
        self.query_one("#footer", Lines).show_parts(shown)

    def bank_notes(self, width: int) -> list[Part | None]:
        """What the status bar says of the bank that is open."""
        counts = bank_parts(self.view, self.core.bank_name, width < 80)
        return [*counts, note_part(self.core.status(), 0, self.glyphs)]

    def _waiting(self, width: int) -> list[Part]:
        """What waits in the inbox stands before whatever has no room."""
        found = waiting_part(self.memtui.upkeep.inbox, width < 120)
        return [found] if found is not None and self.VIEW not in ("inbox", "projects") else []

    @on(Lines.Pressed)
    async def _pressed(self, message: Lines.Pressed) -> None:
        message.stop()
        if message.run.startswith("memtui:"):
            await self.memtui.run_by_id(message.run.removeprefix("memtui:"))
        else:
            await self.run_action(message.run)

    @property
    def pane(self) -> SidePane:
        """The pane with the focus."""
        return self.text_pane if self.focused is self.text else self.list_pane
