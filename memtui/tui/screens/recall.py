"""The Recall view: results as a query is typed, why each stands where it does, and a laboratory."""

from __future__ import annotations

from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.widget import Widget

from memtui.recall.model import Explanation
from memtui.tui.actions import bindings
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Prose, document
from memtui.tui.docs.recall_doc import explanation_blocks, notes_blocks
from memtui.tui.jobs import JobDone, JobFailed
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.screens.recall_base import LOG, MEMORY, SESSIONS
from memtui.tui.screens.recall_log import LogPart
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.tui.widgets.pane import Pane, count_text
from memtui.tui.widgets.query_input import QueryInput
from memtui.tui.widgets.recall_panes import BeforePane, LabPane, ResultsPane, ScorePane


class RecallScreen(LogPart):
    """Find the right memory, and see why it was or was not found."""

    CSS_PATH = ["browse.tcss", "recall.tcss"]
    BINDINGS = [
        binding
        for scope in ("view", "recall", "recall-memory", "recall-log", "recall-typing")
        for binding in bindings(scope)
    ]
    AUTO_FOCUS = "#query-text"

    side = "score"
    _ready = False
    _behind = False
    """Whether the bank was read while another view was shown."""

    def compose(self) -> ComposeResult:
        """Bars above and below, the query, and the panes."""
        yield Lines(id="header")
        with Horizontal(id="recall-query"):
            yield Lines(id="query-label")
            yield QueryInput(self.entered, id="query-text")
            yield Lines(id="query-how")
        with Container(id="recall-body"):
            with Container(id="recall-lists"):
                yield BeforePane(id="before")
                yield ResultsPane(id="results")
            with Container(id="recall-side"):
                yield ScorePane(id="score")
                yield LabPane(id="lab")
        yield InputLine(id="input")
        yield Lines(id="status")
        yield Lines(id="footer")

    def on_mount(self) -> None:
        """Show the view, then read the policy and load the model."""
        self.query_one("#query-label", Lines).show([[(" search ", "key")]])
        self.lay_out()
        self.give(self.field)
        self.show_lab()
        self.show_rows()
        self.watch(self.memtui.browse, "view", self._bank_read)
        self.call_after_refresh(self._first_painted)

    def _first_painted(self) -> None:
        """The first layout may take the focus from a field that it had not placed yet."""
        self.give(self.field)
        self._ready = True
        self.refresh_bars()

    def on_key(self, event: events.Key) -> None:
        """What is typed before the first layout is meant for the query."""
        if not self._ready and event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self.field.insert_text_at_cursor(event.character)

    def on_screen_resume(self) -> None:
        """Shown again: take in what changed meanwhile."""
        if self._behind:
            self._bank_read()

    def _bank_read(self) -> None:
        """The bank was read anew: so are its settings, its vectors and the answer."""
        self._behind = not self.is_current
        if self._behind:
            return
        self.read_policy()
        self.search()
        self.warm()
        if self.what == LOG:
            self.read_log()

    # Panes

    def lay_out(self) -> None:
        """Show the panes that have room: all, or the results above one of score and laboratory."""
        width, height = self.app.size.width, self.app.size.height
        roomy = width >= 120 and height >= 24
        single = self.zoomed or width < 40 or height < 12
        lab, score = self.focused is self.lab_list, self.focused is self.score_pane.main()
        self.set_class(single, "-single")
        self.set_class(self.comparing and self.what == MEMORY, "-comparing")
        both = self.comparing and self.what == MEMORY
        self.before_pane.display = both
        # Without room for two rankings the bank's stands in place of the laboratory's.
        self.results_pane.display = not both or width >= 120
        if both and width < 120 and self.focused is self.results_list:
            self.give(self.before_list)
        elif not both and self.focused is self.before_list:
            self.give(self.results_list)
        with_lab = self.what == MEMORY
        self.lab_pane.display = with_lab and (roomy or self.side == "lab")
        self.score_pane.display = roomy or self.side == "score" or not with_lab
        lists, side = self.query_one("#recall-lists"), self.query_one("#recall-side")
        lists.display = not single or not (lab or score)
        side.display = not single or lab or score

    def show_side(self, name: str) -> None:
        """Bring score or laboratory to the front where only one has room."""
        if self.side != name:
            self.side = name
            self.lay_out()

    def show_rows(self) -> None:
        """Fill the lists."""
        self.lay_out()
        if self.what == LOG:
            self.show_log()
        else:
            if self.what == MEMORY:
                self.results_pane.entitle(name="Laboratory's" if self.comparing else "Results")
            self.show_found()
        self._follow()

    def on_resize(self, event: events.Resize) -> None:
        """Another size, another layout."""
        self.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The keys of what has the focus; the pane with the focus comes to the front."""
        if event.widget is self.lab_list:
            self.side = "lab"
        elif event.widget in (self.results_list, self.before_list, self.score_pane.main()):
            self.side = "score"
        self.lay_out()
        self._follow()
        self.refresh_bars()

    @property
    def list_here(self) -> LineList:
        """The list of results that has, or would get, the focus."""
        if self.focused in (self.results_list, self.before_list):
            return self.results_list if self.focused is self.results_list else self.before_list
        return self.results_list if self.results_pane.display else self.before_list

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()
        if message.list is self.lab_list:
            self.explain_knob()
        else:
            self._count(message.list)
            self._follow()

    @on(LineList.Changed)
    def _changed(self, message: LineList.Changed) -> None:
        message.stop()
        if message.list is not self.lab_list:
            self._count(message.list)

    def _count(self, rows: LineList) -> None:
        pane = rows.parent
        if isinstance(pane, Pane):
            pane.count(count_text(rows))

    def _follow(self) -> None:
        """The score pane shows what the cursor is on."""
        shown = self.log_text() if self.what == LOG else self.shown(self.list_here)
        names = {LOG: "Search", SESSIONS: "Turn", MEMORY: "Score"}
        self.score_pane.entitle(name=names[self.what])
        self.score_pane.show(shown)

    def action_cycle(self, step: int) -> None:
        """Go to the next or previous pane."""
        stops: list[Widget] = [self.field]
        if self.before_pane.display:
            stops.append(self.before_list)
        if self.results_pane.display:
            stops.append(self.results_list)
        stops.append(self.score_pane.main())
        if self.what == MEMORY:
            stops.append(self.lab_list)
        here = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(here + step) % len(stops)]
        self.side = "lab" if target is self.lab_list else "score"
        for pane in target.ancestors:
            if isinstance(pane, Widget) and pane is not self:
                pane.display = True
        self.give(target)
        self.lay_out()

    def action_zoom(self, alone: bool) -> None:
        """Show the current pane alone, or all of them."""
        self.zoomed = alone
        self.lay_out()

    def action_to_results(self) -> None:
        """From the query to its results."""
        self.give(self.list_here)

    # Down and back

    def action_open(self) -> None:
        """Open the card, page or turn in Browse; a logged search is asked again."""
        key = self.list_here.key
        if self.focused is self.lab_list:
            self.action_turn(1)
        elif self.what == LOG:
            self.ask_again()
        elif isinstance(key, tuple) and key[0] == "turn":
            self.memtui.go_to_turn(int(key[1]), int(key[2]), "found", self.query_text)
        else:
            self._open_item()

    def _open_item(self) -> None:
        entry = self.entry(self.list_here)
        if entry is None:
            return
        home = self.core.recalling.home.bank.key if self.core.recalling is not None else ""
        found = self.view.find(entry.document.id) if self.view is not None else None
        if entry.document.bank != home or found is None:
            keys = f"{self.key_of('view-projects')} {self.key_of('search-all')}"
            self.say(f"it lies in another bank: {keys} finds it there and opens it", "warning")
            return
        self.log_search()
        self.memtui.go_to_item(found)

    @on(LineList.Chosen)
    def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.action_open()

    def action_back(self) -> None:
        """One step back: input, embedding, zoom, pane, log, comparison, query, and then to Browse."""
        if self.input_line.is_open:
            self.input_line.close()
            self.give(self.list_here)
        elif self.zoomed:
            self.action_zoom(False)
        elif self.embedding is not None:
            self.jobs.cancel("semantic")
        elif self.focused in (self.score_pane.main(), self.lab_list):
            self.give(self.list_here)
        elif self.what == LOG:
            self.action_log()
        elif self.comparing:
            self.action_compare()
        elif self.focused is self.field and self.query_text:
            self.give(self.list_here)
        else:
            self.memtui.action_view("browse")

    def action_reload(self) -> None:
        """Read bank, policy and log again."""
        self.memtui.browse.reload_bank()
        self._bank_read()

    # Why

    def action_why(self) -> None:
        """At which stage the item under the cursor fell out, or why it stands there."""
        entry = self.entry(self.list_here)
        if entry is None:
            self.action_ask_about()
            return
        self._explain(entry.document.id)

    def action_ask_about(self) -> None:
        """Ask for a card or page by handle or name."""
        if self.core.recalling is None:
            self.say("no bank for this project yet", "warning")
            return
        self.input_line.ask("about", "ask about", "", "handle or name of a card or page")

    @on(InputLine.Done)
    def _asked(self, message: InputLine.Done) -> None:
        message.stop()
        self.give(self.list_here)
        if message.text.strip():
            self._explain(message.text.strip())

    def _explain(self, word: str) -> None:
        recalling = self.core.recalling
        if recalling is not None:
            work = partial(recalling.explain, word, self.ask())
            self.jobs.run("explain", "asking why", work, self._take_explanation)

    def _take_explanation(self, found: Explanation) -> None:
        item = self.view.find(found.id) if self.view is not None else None
        title = line_of(item.item.title or item.item.name) if item is not None else found.id
        query = line_of(found.query) or "(nothing typed)"
        head = [Prose(((title, "title"),)), Prose((("for  ", "muted"), (query, "text")))]
        shown = document(f"why:{found.id}", "why", [*head, *explanation_blocks(found, self.glyphs)])
        self.app.push_screen(PaperScreen(f"Why  {line_of(found.id)}", shown))

    def action_problems(self) -> None:
        """What took no part, and how to get it."""
        shown = document("notes", "notes", notes_blocks(self.notes))
        self.app.push_screen(PaperScreen("Not as asked", shown))

    # Jobs and bars

    @on(JobDone)
    def _job_done(self, message: JobDone) -> None:
        message.stop()
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    @on(JobFailed)
    def _job_failed(self, message: JobFailed) -> None:
        message.stop()
        if not self.jobs.is_current(message.group, message.generation):
            return
        if message.group == "semantic":
            self.model_loading, self.embedding = False, None
        self.say(f"{message.doing} failed: {line_of(str(message.error))}; R tries again", "error")

    @on(Lines.Pressed)
    async def _pressed(self, message: Lines.Pressed) -> None:
        message.stop()
        if message.run.startswith("memtui:"):
            await self.memtui.run_by_id(message.run.removeprefix("memtui:"))
        else:
            await self.run_action(message.run)
