"""All projects: every one found over all hosts, open one, or search all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from memtui.tui.actions import bindings
from memtui.tui.docs.bars import progress_part
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.project_doc import project_document
from memtui.tui.docs.project_rows import SORTS, ordered, project_rows
from memtui.tui.jobs import JobFailed, cancelled
from memtui.tui.places import ProjectsPlace
from memtui.tui.ports import Core
from memtui.tui.rows import FixedRows
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.projects_search import SearchAllPart
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.lines import Part
from memtui.workspace.projects import Found, RecentSession

if TYPE_CHECKING:
    from memtui.workspace.model import BankView

_ALL = "everything"
_FACETS = {
    "with a bank": lambda one: one.bank is not None,
    "without a bank": lambda one: one.bank is None,
    "proposals waiting": lambda one: bool(one.waiting),
    "something wrong": lambda one: bool(one.troubles),
}
_NOTHING = Document("", "")


@dataclass
class Told(Message):
    """The list as far as it is known."""

    rows: list[Found]


class ProjectsScreen(SearchAllPart):
    """The list of all projects; with nothing below it, the start screen."""

    VIEW = "projects"
    LIST_NAME = "Projects"
    TEXT_NAME = "Project"
    BINDINGS = bindings("projects")

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._recent: dict[str, tuple[RecentSession, ...]] = {}
        self._looking = self._again = False

    def scopes(self) -> tuple[str, ...]:
        """Nothing here acts on a bank."""
        return (self.VIEW, "list", "app")

    @property
    def place(self) -> ProjectsPlace:
        """What is kept while another project is open."""
        return self.memtui.projects_place

    @property
    def view(self) -> BankView | None:
        """Nothing here is about the bank that is open."""
        return None

    def begin(self) -> None:
        """Show what is known, then look again; without Browse below, the sessions are read here."""
        self.rows.say([[("looking for projects", "muted")]])
        self.fill()
        if self.place.key:
            self.rows.go_key(self.place.key)
        browse = self.memtui.find_browse()
        if browse is None:
            self.call_after_refresh(self.scan_sessions)
        else:
            self.scanned = True
            self.watch(browse, "progress", lambda _: self.look(), init=False)
        self.call_after_refresh(self.look)
        self.refresh_bars()

    # Reading

    def look(self) -> None:
        """Find the projects; one look at a time."""
        if self._looking:
            self._again = True
            return
        self._looking = True

        def tell(rows: list[Found]) -> None:
            self.post_message(Told(rows))

        def work() -> list[Found]:
            return self.core.projects.found(tell, cancelled)

        self.jobs.run("projects", "looking for projects", work, self._take)

    @on(Told)
    def _told(self, message: Told) -> None:
        """A part of the first look; a later one shows its end only."""
        message.stop()
        if not self.place.whole:
            self.place.rows = message.rows
            self.fill()

    def _take(self, rows: list[Found]) -> None:
        self.place.rows, self.place.whole = rows, True
        self._recent.clear()
        nothing = (
            "no agent has left a session here, and there is no bank yet: `memtui demo` shows one"
        )
        self.rows.say([[(nothing if self.scanned else "reading the sessions", "muted")]])
        self.fill()
        again, self._looking, self._again = self._again, False, False
        if again:
            self.look()
        self.refresh_bars()

    def change_bank(self, paths: object) -> None:
        """See `ScanningPart.change_bank`: no bank is open here."""

    def show_sessions(self) -> None:
        """See `ScanningPart.show_sessions`."""
        self.look()

    def take_sessions(self, *, whole: bool, more: bool) -> None:
        """See `ScanningPart.take_sessions`."""
        self.look()
        self.read_text()
        self.refresh_bars()

    def on_job_failed(self, message: JobFailed) -> None:
        """A scan that failed is over."""
        if message.group == "scan":
            self.scan_failed()
        elif message.group == "projects":
            self._looking = self._again = False

    def action_reload(self) -> None:
        """Look again, at the sessions too."""
        browse = self.memtui.find_browse()
        if browse is None:
            self.scan_sessions()
        else:
            browse.action_reload()
        self.look()

    # What is shown

    def fill(self) -> None:
        """Fill the list, keeping cursor and scroll."""
        if self.found is not None:
            return
        words = self.place.words.casefold().split()
        rows = [one for one in self.place.rows if one.matches(words) and self._chosen_by(one)]
        if self.place.rows and not rows:
            self.rows.say([[("nothing matches; esc shows all again", "muted")]])
        shown = ordered(rows, self.place.sort)
        self.shown = {one.key: one for one in shown}
        listed = project_rows(shown, words, self.core.clock(), self.core.home, self.glyphs)
        self.rows.show(FixedRows(listed))
        told = [*sorted(self.place.facets), *([f"/{self.place.words}"] if words else [])]
        self.list_pane.entitle("  ".join(told), name="Projects")
        self.follow()

    def _chosen_by(self, one: Found) -> bool:
        hosts = {name for name, _ in one.hosts}
        kinds = [f for f in self.place.facets if f in _FACETS]
        wanted = self.place.facets - set(kinds)
        return all(_FACETS[kind](one) for kind in kinds) and (not wanted or bool(wanted & hosts))

    def follow(self) -> None:
        """Show the project under the cursor; its newest sessions follow."""
        if self.found is not None:
            self.follow_found()
            return
        one = self.project_here()
        if one is None:
            self.show_text(_NOTHING)
            return
        self.place.key = one.key
        recent = self._recent.get(one.key)
        self.show_text(project_document(one, recent, self.core.clock()))
        if recent is None and one.folders:
            use = partial(self._take_recent, one)
            work = partial(self.core.projects.recent, one)
            self.jobs.run("recent", "reading its sessions", work, use)

    def _take_recent(self, one: Found, recent: tuple[RecentSession, ...]) -> None:
        self._recent[one.key] = recent
        if self.project_here() is one:
            self.show_text(project_document(one, recent, self.core.clock()))

    def project_here(self) -> Found | None:
        """The project under the cursor."""
        return self.shown.get(str(self.rows.key)) if self.found is None else None

    def notes(self) -> list[Part]:
        """How many there are, and what is being read."""
        if self.progress is not None:
            return [progress_part(self.progress, self.glyphs)]
        rows = self.place.rows
        waiting = sum(one.waiting or 0 for one in rows)
        count = f" {len(rows):,} project{'' if len(rows) == 1 else 's'}"
        parts = [Part(((count, "title"),))] if rows or self.place.whole else []
        if waiting:
            parts.append(Part(((f"{waiting:,} proposals waiting", "accent"),)))
        left_out = self.left_out()
        if left_out:
            more = f" +{len(left_out) - 1}" if len(left_out) > 1 else ""
            told = f"{self.glyphs.warning} {line_of(left_out[0], 60)}{more}"
            parts.append(Part(((told, "warn"),)))
        if self._looking:
            parts.append(Part((("looking", "muted"),)))
        return parts

    def bank_notes(self, width: int) -> list[Part | None]:
        """Nothing here is about the bank that is open."""
        return []

    def action_undo(self) -> None:
        """Acts belong to a project."""
        self.say("acts are undone in their own project: open it first")

    def action_redo(self) -> None:
        """See `action_undo`."""
        self.action_undo()

    # Opening

    def action_open(self) -> None:
        """Open the project under the cursor, or where the words were found."""
        if self.found is not None:
            self.open_found()
            return
        one = self.project_here()
        if one is None:
            return
        if one.here:
            self.memtui.action_view("browse")
        else:
            self.open_project(one)

    # Filter, facets, order

    def action_filter(self) -> None:
        """Ask for words of the projects."""
        self.leave_found()
        hint = "words of name, folder, remote, host, health"
        self.input_line.ask("filter", "filter", self.place.words, hint)

    @on(InputLine.Typed)
    def _filter_typed(self, message: InputLine.Typed) -> None:
        if message.purpose == "filter":
            self._narrow(message.text)

    @on(InputLine.Done)
    def _filter_done(self, message: InputLine.Done) -> None:
        if message.purpose == "filter":
            self.give(self.rows)
            self._narrow(message.text)

    def _narrow(self, words: str) -> None:
        self.place.words = words.strip()
        self.fill()

    def action_sort(self) -> None:
        """Choose an order."""
        choices = [
            Choice(name, text, key=key, chosen=name == self.place.sort)
            for name, (text, key) in SORTS.items()
        ]

        def chosen(name: str | None) -> None:
            if name is not None:
                self.place.sort = name
                self.fill()

        self.app.push_screen(MenuScreen("Order", choices), chosen)

    def action_facets(self) -> None:
        """Choose which projects are shown; choosing one again takes it away."""
        rows, held = self.place.rows, self.place.facets
        hosts: dict[str, int] = {}
        for one in rows:
            for name, _ in one.hosts:
                hosts[name] = hosts.get(name, 0) + 1
        choices = [Choice(_ALL, _ALL, f"{len(rows)}", chosen=not held)]
        for name, test in _FACETS.items():
            choices.append(Choice(name, name, f"{sum(map(test, rows))}", chosen=name in held))
        for name, count in sorted(hosts.items()):
            choices.append(Choice(name, line_of(name), f"{count}", chosen=name in held))

        def chosen(name: str | None) -> None:
            if name is not None:
                self.place.facets = frozenset() if name == _ALL else held ^ {name}
                self.fill()

        self.app.push_screen(MenuScreen("Show only", choices), chosen)

    def step_back(self) -> bool:
        """From what was found to the list, from a filter to all, from a running scan to none."""
        if self.leave_found():
            return True
        if self.place.words or self.place.facets:
            self.place.words, self.place.facets = "", frozenset()
            self.fill()
            return True
        if self.progress is not None:
            self.stop_scan()
            return True
        if self.memtui.find_browse() is None:
            self.say(
                f"{self.key_of('view-browse')} shows this folder, {self.key_of('quit')} leaves"
            )
            return True
        return False
