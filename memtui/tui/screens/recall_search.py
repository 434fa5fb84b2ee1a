"""The query of the Recall view: typed, searched in a worker, and what became of each candidate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import on
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from memtui.recall.model import Comparison, Dropped, Hit, Mode, Move, Results, SemanticState
from memtui.recall.query import parse
from memtui.recall.semantic import Refreshed
from memtui.tui.docs.document import Document
from memtui.tui.docs.recall_doc import dropped_document, hit_document, turn_document
from memtui.tui.docs.recall_rows import result_rows, turn_rows
from memtui.tui.docs.spans import Line
from memtui.tui.jobs import cancelled
from memtui.tui.rows import FixedRows
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.recall_base import LOG, MEMORY, SESSIONS, RecallBase
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.finding import FoundTurns
from memtui.workspace.recalling import Ask, Recalling

DEBOUNCE = 0.08
"""Seconds without a key after which is searched."""
REST = 1.5
"""Seconds without a key after which a search counts as meant, and is logged."""
TURNS = 50
_NOTHING = Document("", "")
_MODES = {
    Mode.AUTO: ("by words, and by meaning when the model is loaded", "a"),
    Mode.LEXICAL: ("by words alone", "w"),
    Mode.SEMANTIC: ("by meaning alone", "m"),
}


@dataclass
class Embedding(Message):
    """So many texts of so many have their vector."""

    done: int
    of: int


class SearchPart(RecallBase):
    """Typing, searching, and the rows."""

    _timer: Timer | None = None
    _rest: Timer | None = None
    _logged = ""
    _meant = ""
    """A query that is to be logged when its answer comes."""

    # Typing

    @on(Input.Changed, "#query-text")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.what == LOG:
            self.what = MEMORY
        self._restart()

    def entered(self) -> None:
        """Enter: the search is meant, and the results are next."""
        if self._timer is not None:
            self._timer.stop()
        if self.found is None or self.found.query != self.query_text:
            self.search()
        self.log_search()
        self.give(self.list_here)

    def _restart(self) -> None:
        for timer in (self._timer, self._rest):
            if timer is not None:
                timer.stop()
        self._timer = self.set_timer(DEBOUNCE, self.search)
        self._rest = self.set_timer(REST, self.log_search)

    def action_query(self) -> None:
        """Type."""
        if self.what == LOG:
            self.what = MEMORY
            self.show_rows()
        self.give(self.field)

    @property
    def list_here(self) -> LineList:
        """The list of results that has, or would get, the focus."""
        raise NotImplementedError

    # Searching

    def ask(self) -> Ask:
        """The search as it is set now."""
        return Ask(self.query_text, self.everywhere, None, self.mode, settings=self.tried)

    def search(self) -> None:
        """Search in a worker; answers to what was typed before are dropped."""
        if self.what == SESSIONS:
            work = partial(
                self.core.finding.search,
                self.query_text,
                None if self.everywhere else self.core.project_keys,
                self.core.hidden,
                TURNS,
            )
            self.jobs.run("search", "searching the sessions", work, self._take_turns)
            return
        recalling = self.core.recalling
        if recalling is not None:
            work_ = partial(_answer, recalling, self.ask(), self.own)
            self.jobs.run("search", "searching", work_, self._take)

    def _take(self, answer: Results | Comparison) -> None:
        before = self.found.query if self.found is not None else ""
        if isinstance(answer, Comparison):
            self.compared, self.found = answer, answer.after
        else:
            self.compared, self.found = None, answer
        recalling = self.core.recalling
        if recalling is not None and self._meant and self.found.query == self._meant:
            self._log(recalling, self.found)
        if self.what == MEMORY:
            self.show_rows()
            if self.query_text != before:
                # Another question: its best answer. The same one under other settings keeps its row.
                self.results_list.action_ends(0)
                self.before_list.action_ends(0)
        self.refresh_bars()

    def _take_turns(self, turns: FoundTurns) -> None:
        self.turns = turns
        if self.what == SESSIONS:
            self.show_rows()
        self.refresh_bars()

    def log_search(self) -> None:
        """Keep a search that was meant: once for each query, in a worker, as soon as it is answered."""
        recalling, found = self.core.recalling, self.found
        asked = self.query_text.strip()
        if recalling is None or self.what == SESSIONS or not asked or asked == self._logged:
            return
        if found is None or found.query != self.query_text:
            self._meant = self.query_text
        else:
            self._log(recalling, found)

    def _log(self, recalling: Recalling, found: Results) -> None:
        self._logged, self._meant = found.query.strip(), ""
        self.jobs.run("log", "logging the search", partial(recalling.log, found), lambda _: None)

    # Rows

    def words(self) -> tuple[str, ...]:
        """What the rows highlight."""
        query = parse(self.query_text, self.core.clock())
        return (*query.identifiers, *query.phrases, *(w for w in query.words if len(w) > 1))

    def show_found(self) -> None:
        """The results, or the turns."""
        if self.what == SESSIONS:
            turns = self.turns.turns if self.turns is not None else ()
            self.results_list.say(self._nothing())
            self.results_list.show(FixedRows(turn_rows(turns, self.core.clock(), self.glyphs)))
            self.results_pane.entitle(name="Turns")
            return
        self.results_list.say(self._nothing())
        words = self.words()
        moves = self.moves()
        rows = result_rows(self.found, moves, self.glyphs, words) if self.found else []
        # Who still types looks at the best, which may be another one once the model has answered.
        self.results_list.show(FixedRows(rows), keep=self.focused is not self.field)
        before = self.compared.before if self.compared is not None else self.found
        held = result_rows(before, None, self.glyphs, words) if before and self.comparing else []
        self.before_list.show(FixedRows(held))

    def moves(self) -> dict[str, Move] | None:
        """How each item moved against the bank's own ranking; None when nothing was changed."""
        if self.compared is None:
            return None
        return {move.document.key: move for move in self.compared.moves}

    def _nothing(self) -> list[Line]:
        if self.core.recalling is None and self.what == MEMORY:
            return [
                [("no bank for this project yet", "muted")],
                [("v searches the sessions", "faint")],
            ]
        if self.what == MEMORY and self.found is None:
            return [[("reading the bank", "muted")]]
        if not self.query_text.strip():
            return [[("type words, names, error codes or a question", "muted")]]
        tried = "fewer or other words; v searches the sessions"
        if self.what == SESSIONS:
            tried = "fewer or other words; v searches the bank"
        return [[("nothing found", "state-absent")], [(tried, "faint")]]

    def shown(self, rows: LineList) -> Document:
        """The text about the row under the cursor."""
        key = rows.key
        if not isinstance(key, tuple):
            return _NOTHING
        if key[0] == "turn" and self.turns is not None:
            found = [t for t in self.turns.turns if (t.session, t.seq) == (key[1], key[2])]
            return turn_document(found[0]) if found else _NOTHING
        results = self.results_of(rows)
        entry = self.entry(rows)
        if results is None or entry is None:
            return _NOTHING
        if isinstance(entry, Hit):
            return hit_document(results, entry, self.glyphs)
        return dropped_document(results, entry, self.glyphs)

    def results_of(self, rows: LineList) -> Results | None:
        """The results that a list shows."""
        if rows is self.before_list and self.compared is not None:
            return self.compared.before
        return self.found

    def entry(self, rows: LineList) -> Hit | Dropped | None:
        """The candidate under the cursor of a list."""
        key, results = rows.key, self.results_of(rows)
        if results is None or not isinstance(key, tuple) or key[0] not in ("hit", "out"):
            return None
        every: tuple[Hit | Dropped, ...] = (*results.hits, *results.dropped)
        return next((one for one in every if one.document.key == key[1]), None)

    # What, where and how

    def action_what(self) -> None:
        """Search the sessions, or cards and pages again."""
        self.what = MEMORY if self.what == SESSIONS else SESSIONS
        if self.what == SESSIONS:
            fill = partial(self.core.finding.fill, cancelled, gentle=True)
            self.jobs.run("fill", "reading the sessions", fill, lambda _: self.search())
        self.show_rows()
        self.search()
        self.refresh_bars()

    def action_where(self) -> None:
        """This project, or everything."""
        self.everywhere = not self.everywhere
        self.search()
        self.refresh_bars()

    def action_mode(self) -> None:
        """Choose what takes part."""
        choices = [
            Choice(mode.value, label, key=key, chosen=mode is self.mode)
            for mode, (label, key) in _MODES.items()
        ]

        def chosen(name: str | None) -> None:
            if name is not None:
                self.mode = Mode(name)
                self.search()
                self.refresh_bars()

        self.app.push_screen(MenuScreen("Search", choices), chosen)

    # The model

    def warm(self) -> None:
        """Load the model and embed what is new, in a worker; off stays off."""
        recalling = self.core.recalling
        if recalling is None or recalling.state is SemanticState.OFF or self.model_loading:
            return
        self.model_loading = True

        def progress(done: int, of: int) -> bool:
            self.post_message(Embedding(done, of))
            return not cancelled()

        work = partial(recalling.warm, progress)
        self.jobs.run("semantic", "embedding", work, self._warmed)

    @on(Embedding)
    def _progressed(self, message: Embedding) -> None:
        if self.model_loading:
            self.embedding = (message.done, message.of) if message.done < message.of else None
            self.refresh_bars()

    def _warmed(self, done: Refreshed) -> None:
        self.model_loading, self.embedding = False, None
        if done.cancelled:
            self.say("embedding was stopped; R goes on with it")
        self.search()
        self.refresh_bars()


def _answer(recalling: Recalling, ask: Ask, own: object) -> Results | Comparison:
    """The results, beside those of the bank's own settings where these differ."""
    if ask.settings is None or ask.settings == own:
        return recalling.search(ask)
    return recalling.compare(ask)
