"""Search over all projects, and going to where something was found: into another project if need be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from memtui.recall.query import parse
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.project_doc import card_document, found_turn_document, nothing_document
from memtui.tui.docs.project_rows import found_rows, name_of
from memtui.tui.jobs import cancelled
from memtui.tui.rows import FixedRows
from memtui.tui.screens.panel import PanelView
from memtui.tui.screens.scanning import ScanningPart
from memtui.tui.widgets.input_line import InputLine
from memtui.workspace.everywhere import Anywhere, FoundCard
from memtui.workspace.finding import FoundTurn
from memtui.workspace.projects import Found

if TYPE_CHECKING:
    from memtui.tui.ports import Core
    from memtui.tui.screens.browse import BrowseScreen


class SearchAllPart(PanelView, ScanningPart):
    """What `S` does on the list of projects."""

    found: Anywhere | None = None
    shown: dict[str, Found]

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self.shown = {}
        self._asked = ""

    def fill(self) -> None:
        """Show the list of projects again."""
        raise NotImplementedError

    @property
    def all_projects(self) -> list[Found]:
        """Every project that is known."""
        return self.memtui.projects_place.rows

    def read_text(self) -> None:
        """Make the whole text of the sessions findable, in the background."""
        if not self.jobs.running("text"):
            work = partial(self.core.read_text, lambda _: None, cancelled)
            self.jobs.run("text", "reading the sessions' text", work, lambda _: None)

    # Searching

    def action_search_all(self) -> None:
        """Ask what to search for in all projects."""
        hint = "words in cards, pages and sessions of all projects"
        self.input_line.ask("search", "search all", self._asked, hint)

    @on(InputLine.Typed)
    def _search_typed(self, message: InputLine.Typed) -> None:
        if message.purpose == "search":
            self._search(message.text)

    @on(InputLine.Done)
    def _search_done(self, message: InputLine.Done) -> None:
        if message.purpose == "search":
            self.give(self.rows)
            self._search(message.text)

    def _search(self, query: str) -> None:
        self._asked = query.strip()
        if not self._asked:
            self.jobs.drop("search")
            self.leave_found()
            return
        work = partial(self.core.everywhere.search, self._asked)
        self.jobs.run("search", "searching all projects", work, self._take_found)

    def _take_found(self, found: Anywhere) -> None:
        if found.query != self._asked:
            return
        self.found = found
        query = parse(found.query, self.core.clock())
        words = (*query.identifiers, *query.phrases, *(w for w in query.words if len(w) > 1))
        self.rows.say([[("nothing found in any project; esc shows the list", "muted")]])
        self.rows.show(
            FixedRows(found_rows(found, words, self.core.clock(), self.glyphs)), keep=False
        )
        self.list_pane.entitle(f"/{line_of(found.query, 40)}", name="Found in all projects")
        self.follow_found()
        self.refresh_bars()

    def left_out(self) -> list[str]:
        """What the search could not look at."""
        if self.found is None:
            return []
        banks = {one.bank for one in self.all_projects if one.bank is not None}
        unread = len(banks - self.found.searched)
        told = [note.message for note in self.found.notes]
        if unread:
            what = "1 bank was" if unread == 1 else f"{unread} banks were"
            told.insert(0, f"{what} never opened: not searched")
        return told

    def leave_found(self) -> bool:
        """From what was found back to the list; False where nothing was searched for."""
        if self.found is None:
            return False
        self.found, self._asked = None, ""
        self.fill()
        self.rows.go_key(self.memtui.projects_place.key)
        return True

    def _found_here(self) -> FoundCard | FoundTurn | None:
        key, found = self.rows.key, self.found
        if found is None or not isinstance(key, tuple):
            return None
        if key[0] == "card":
            return next((card for card in found.cards if card.hit.document.key == key[1]), None)
        return next((turn for turn in found.turns if (turn.session, turn.seq) == key[1:]), None)

    def _folder_of(self, turn: FoundTurn) -> str:
        folders = self.found.folders if self.found is not None else None
        return (folders or {}).get(turn.session, "")

    def follow_found(self) -> None:
        """Show what the cursor is on."""
        here = self._found_here()
        shown: Document
        if isinstance(here, FoundCard):
            shown = card_document(here)
        elif here is not None:
            shown = found_turn_document(here, self._folder_of(here))
        else:
            shown = nothing_document(self.found) if self.found is not None else Document("", "")
        self.show_text(shown, "Found")

    # Going there

    def open_found(self) -> None:
        """Open the project in which it was found, there."""
        here = self._found_here()
        if isinstance(here, FoundCard):
            bank, handle = here.bank, here.hit.document.id
            one = next((row for row in self.all_projects if row.bank == bank), None)
            self._go(one, partial(_show_item, handle))
        elif here is not None:
            folder, query = self._folder_of(here), self.found.query if self.found else ""
            one = next((row for row in self.all_projects if folder in row.folders), None)
            self._go(one, partial(_show_turn, here.session, here.seq, query))

    def _go(self, one: Found | None, then: Callable[[BrowseScreen], None]) -> None:
        if one is None:
            self.say("its project is not known yet: R looks again", "warning")
        elif one.here and self.memtui.find_browse() is not None:
            self.memtui.action_view("browse")
            self.memtui.browse.call_after_refresh(then, self.memtui.browse)
        else:
            self.open_project(one, then)

    def open_project(self, one: Found, then: Callable[[BrowseScreen], None] | None = None) -> None:
        """Open another project in place of the one that is open; `then` gets its Browse view."""
        stands = self.memtui.stands_in_the_way()
        if stands:
            self.say(stands, "warning")
            return
        work = partial(self.core.projects.open, one)
        use = partial(self.memtui.take_core, then=then)
        self.say(f"opening {name_of(one)}")
        self.jobs.run("open", "opening the project", work, use, self._not_opened)

    def _not_opened(self, error: Exception) -> None:
        do = getattr(error, "do", "")
        told = "; ".join(filter(None, (str(error), do)))
        self.say(f"not opened: {line_of(told, 200)}", "warning")


def _show_turn(session: int, seq: int, query: str, browse: BrowseScreen) -> None:
    browse.go_to_turn(session, seq, "found", query)


def _show_item(handle: str, browse: BrowseScreen) -> None:
    """Go to a card or page as soon as its bank was read."""
    gone = False

    def look(_: object) -> None:
        nonlocal gone
        if gone or browse.view is None:
            return
        gone = True
        found = browse.view.find(handle)
        if found is None:
            browse.say("it is not in the bank any more", "warning")
        else:
            browse.call_after_refresh(browse.go_to_item, found)

    browse.watch(browse, "view", look)
