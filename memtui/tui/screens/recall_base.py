"""What the parts of the Recall view share: its state, its panes and its bars."""

from __future__ import annotations

from collections.abc import Sequence

from textual import getters
from textual.widgets import Input

from memtui.ledger.model import RetrievalRecord
from memtui.recall.model import DEFAULTS, Comparison, Mode, Note, Results, Settings
from memtui.tui.docs.bars import fitting, footer_parts, header_line, waiting_part
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, clip, plain
from memtui.tui.jobs import Jobs
from memtui.tui.ports import Core
from memtui.tui.screens.view import ViewScreen
from memtui.tui.views import header_views
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.recall_panes import BeforePane, LabPane, ResultsPane, ScorePane
from memtui.workspace.finding import FoundTurns
from memtui.workspace.model import BankView

MEMORY, SESSIONS, LOG = "memory", "sessions", "log"


class RecallBase(ViewScreen):
    """State and helpers. Each part of the screen is a subclass with the actions of one theme."""

    VIEW = "recall"

    field = getters.query_one("#query-text", Input)
    input_line = getters.query_one("#input", InputLine)
    results_pane = getters.query_one("#results", ResultsPane)
    before_pane = getters.query_one("#before", BeforePane)
    score_pane = getters.query_one("#score", ScorePane)
    lab_pane = getters.query_one("#lab", LabPane)
    results_list = getters.query_one("#results-list", LineList)
    before_list = getters.query_one("#before-list", LineList)
    lab_list = getters.query_one("#lab-list", LineList)

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.jobs = Jobs(self, self.run_worker)
        self.what = MEMORY
        self.mode = Mode.AUTO
        self.everywhere = False
        self.own: Settings = DEFAULTS
        self.tried: Settings = DEFAULTS
        self.comparing = False
        self.zoomed = False
        self.found: Results | None = None
        self.compared: Comparison | None = None
        self.turns: FoundTurns | None = None
        self.records: tuple[RetrievalRecord, ...] = ()
        self.facet = "all"
        self.embedding: tuple[int, int] | None = None
        self.model_loading = False

    @property
    def view(self) -> BankView | None:
        """The bank as the Browse view last read it."""
        return self.memtui.browse.view

    @property
    def query_text(self) -> str:
        """What is typed."""
        return self.field.value

    @property
    def notes(self) -> tuple[Note, ...]:
        """What took no part in the answer that is shown, and how to get it."""
        if self.what == SESSIONS:
            return self.turns.degraded if self.turns is not None else ()
        if self.what == MEMORY and self.found is not None:
            return self.found.degraded
        note = self.core.recalling.note() if self.core.recalling is not None else None
        return (note,) if note is not None else ()

    def show_rows(self) -> None:
        """Fill the lists from what was found."""
        raise NotImplementedError

    def search(self) -> None:
        """Ask again."""
        raise NotImplementedError

    # Bars

    def scopes(self) -> tuple[str, ...]:
        """Where the focus is, for footer and help."""
        if self.focused is self.field:
            return ("recall-typing",)
        own = {MEMORY: "recall-memory", LOG: "recall-log"}.get(self.what, "recall")
        return (own, "recall", "list", "view", "app")

    def refresh_bars(self) -> None:
        """Draw the three bars and what stands beside the query."""
        if not self.is_mounted:
            return
        width = self.app.size.width
        views = header_views(self.VIEW)
        place = (self.core.project, self.core.branch)
        self.query_one("#header", Lines).show([header_line(views, place, (), width, self.glyphs)])
        self.query_one("#query-how", Lines).show([self._how(width < 80)])
        self.query_one("#status", Lines).show_parts(fitting(self._status(), width))
        keymap, ascii_only = self.memtui.keymap, self.memtui.ascii_only
        limit = 4 if width < 80 else 9
        shown = footer_parts(self.scopes(), keymap, width, limit, ascii_only)
        self.query_one("#footer", Lines).show_parts(shown)

    def _how(self, narrow: bool) -> Line:
        """`words and meaning · svc-order`: what takes part now, and where."""
        if self.what == SESSIONS:
            words = "sessions"
        elif self.what == LOG:
            words = "log"
        else:
            words = self.found.mode.value if self.found is not None else self.mode.value
        where = "all banks" if self.everywhere else "this project"
        if narrow or self.what == LOG:
            return [(words, "accent")]
        return [(words, "accent"), (f" {self.glyphs.separator} {where}", "muted")]

    def _status(self) -> list[Part | None]:
        parts: list[Part | None] = []
        if self.embedding is not None:
            done, of = self.embedding
            parts.append(
                Part(
                    ((f" embedding {done}/{of}", "accent"), ("  esc stops", "faint")), "screen.back"
                )
            )
        elif self.model_loading:
            parts.append(Part(((" loading the model", "accent"),)))
        parts.append(self._counts())
        parts.append(waiting_part(self.memtui.upkeep.inbox, narrow=True))
        notes = [
            note for note in self.notes if not (self.model_loading and note.topic == "semantic")
        ]
        if notes:
            parts.append(self._note(notes, sum(len(plain(p.spans)) + 2 for p in parts if p)))
        if self.last:
            parts.append(Part(((line_of(self.last, 60), "faint"),)))
        return parts

    def _note(self, notes: Sequence[Note], used: int) -> Part:
        """The first note in words, with what to do where there is room; the others counted."""
        glyphs, more = self.glyphs, f" +{len(notes) - 1}" if len(notes) > 1 else ""
        room = self.app.size.width - used - len(more) - 1
        fix = f": {notes[0].fix}" if notes[0].fix else ""
        text = f"{glyphs.warning} {line_of(notes[0].message)}"
        if len(text) + len(fix) <= room:
            spans = ((text, "warn"), (line_of(fix), "muted"), (more, "warn"))
        else:
            spans = ((clip(text, room, glyphs.ellipsis), "warn"), ("", ""), (more, "warn"))
        return Part(spans, "screen.problems")

    def _counts(self) -> Part | None:
        if self.what == SESSIONS:
            if self.turns is None:
                return None
            return Part(
                (
                    (f" {_number(len(self.turns.turns), 'turn')}", "title"),
                    (f"  {self.turns.ms:.0f} ms", "muted"),
                )
            )
        if self.what == LOG:
            empty = sum(record.empty for record in self.records)
            return Part(
                (
                    (f" {_number(len(self.records), 'search', 'es')}", "title"),
                    (f", {empty} found nothing", "muted"),
                )
            )
        if self.found is None:
            return None
        found = self.found
        spans = [
            (f" {len(found.hits)} of {found.candidates}", "title"),
            (f"  ~{found.tokens} tokens", "muted"),
            (f"  {found.timings.get('total', 0.0):.0f} ms", "faint"),
        ]
        return Part(tuple(spans))


def _number(count: int, word: str, plural: str = "s") -> str:
    return f"{count} {word}{'' if count == 1 else plural}"
