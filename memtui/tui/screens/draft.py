"""The editor of a card: its fields, its text, what it cites, and the linter's word while one types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.timer import Timer
from textual.widgets import Input, TextArea

from memtui.bank.model import CARD_TYPES, PAGE_TYPES, BankContents, Card, Item, Page
from memtui.curate.draft import Draft
from memtui.curate.lint import DraftWarning, draft_lint, neighbours_of
from memtui.curate.rewrite import joined
from memtui.curate.similar import Match, Neighbours
from memtui.tui.docs.bars import fitting
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.draft_doc import cited_document, cited_rows, warning_lines
from memtui.tui.docs.spans import Line
from memtui.tui.glyphs import glyphs_of
from memtui.tui.jobs import JobDone, JobFailed, Jobs
from memtui.tui.rows import FixedRows
from memtui.tui.screens.draft_fields import FIELDS, shown_body, texts_of, with_texts
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.near import KEEP, MERGE, SUPERSEDE, UPDATE, Answer, NearScreen
from memtui.tui.screens.wording import WordingPart
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.wish import Save, Wish
from memtui.workspace.drafting import Material

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

DEBOUNCE = 0.15
"""Seconds without a key after which the linter looks."""
_HINTS = {
    "title": "the fact, in one line",
    "type": "pitfall, convention, decision, env, fact ...",
    "tags": "words, with commas between",
    "scope": "paths with commas between; branch:NAME for one branch",
}


class DraftScreen(WordingPart):
    """Edits a draft until it is saved or given up; True means saved.

    `edited` is the item whose text this is, for an edit of what exists already.
    """

    CSS_PATH = "draft.tcss"
    BINDINGS = [
        Binding("ctrl+s", "save", "save", id="draft-save", priority=True, show=False),
        Binding("ctrl+n", "near", "near", id="draft-near", priority=True, show=False),
        Binding("ctrl+t", "type", "type", id="draft-type", priority=True, show=False),
        Binding("ctrl+g", "word", "drafter", id="draft-word", priority=True, show=False),
        Binding("escape", "leave", "leave", id="draft-leave", priority=True, show=False),
        Binding("delete,backspace", "uncite", "leave out", id="draft-uncite", show=False),
    ]

    def __init__(
        self,
        title: str,
        material: Material,
        contents: BankContents,
        save: Save,
        edited: Item | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._material = material
        self._contents = contents
        self._save = save
        self._edited = edited
        self._first: Draft | None = None
        self._neighbours: Neighbours | None = None
        self._warnings: Sequence[DraftWarning] = ()
        self._linted: tuple[str, str, str] | None = None
        self._saving = False
        self._sent = False
        self._settled: set[str] = {edited.id} if edited is not None else set()
        self._supersedes: tuple[Item, ...] = ()
        self._timer: Timer | None = None
        self.jobs = Jobs(self, self.run_worker)

    def compose(self) -> ComposeResult:
        """Fields and text on the left; citations and warnings on the right, or below."""
        yield Lines(id="draft-head")
        with Container(id="draft-body"):
            with Vertical(id="draft-left"):
                for name in FIELDS:
                    with Horizontal(classes="draft-row"):
                        yield Lines(id=f"draft-label-{name}")
                        yield Input(
                            id=f"draft-{name}",
                            compact=True,
                            placeholder=_HINTS[name],
                            suggester=SuggestFromList(self._types) if name == "type" else None,
                        )
                yield Lines(id="draft-count", classes="draft-note")
                yield TextArea(id="draft-text", compact=True, highlight_cursor_line=False)
            with Vertical(id="draft-right"):
                yield Lines(id="draft-doubts", classes="draft-note")
                yield Lines(id="draft-warnings")
                yield Lines(id="draft-cites", classes="draft-note")
                yield LineList(id="draft-cited", markable=False)
                yield DocView(id="draft-record")
        yield Lines(id="draft-keys")

    @property
    def _types(self) -> tuple[str, ...]:
        return PAGE_TYPES if isinstance(self._edited, Page) else CARD_TYPES

    @property
    def memtui(self) -> MemtuiApp:
        """The app, with its own attributes."""
        return cast("MemtuiApp", self.app)

    def on_mount(self) -> None:
        """Fill the fields; the cursor stands in the text, which needs a look most."""
        for name in FIELDS:
            self.query_one(f"#draft-label-{name}", Lines).show([[(name, "muted")]])
        self.show_head()
        text = self.query_one("#draft-text", TextArea)
        text.cursor_blink = False
        self._fill(self._material)
        self._first = self.draft
        text.focus()
        self._lint()

    def show_head(self) -> None:
        """What is edited, and how the drafter stands to it."""
        told = self.worded_spans()
        title = self._title.partition(",")[0] if told else self._title
        line: Line = [(f" {line_of(title)} ", "chip"), *told]
        self.query_one("#draft-head", Lines).show([line])

    def material(self) -> Material:
        """The draft as it stands in the fields, with the records that it cites."""
        return self._now(self.draft)

    def fill(self, material: Material) -> None:
        """Put another draft into the fields."""
        self._fill(material)
        self._typed()

    def _fill(self, material: Material) -> None:
        self._material = material
        for name, text in texts_of(material.draft).items():
            field = self.query_one(f"#draft-{name}", Input)
            field.value = text
            field.cursor_position = 0
        self.query_one("#draft-text", TextArea).text = shown_body(material.draft)
        self._show_cited()

    @property
    def draft(self) -> Draft:
        """The draft as it stands in the fields."""
        texts = {name: self.query_one(f"#draft-{name}", Input).value for name in FIELDS}
        body = self.query_one("#draft-text", TextArea).text
        return with_texts(self._material.draft, texts, body)

    @property
    def unsaved(self) -> bool:
        """Whether something was typed that would be lost."""
        return self._first is not None and self.draft != self._first

    # What is cited

    def _show_cited(self) -> None:
        evidence = self._material.draft.evidence
        glyphs = glyphs_of(self.app)
        count = len(evidence)
        head = f"evidence: {count} record{'' if count == 1 else 's'}" if count else "evidence: none"
        hint = "  del leaves one out" if count else ""
        self.query_one("#draft-cites", Lines).show([[(head, "heading"), (hint, "faint")]])
        rows = self.query_one("#draft-cited", LineList)
        read = {record.ref for record in self._material.records}
        rows.show(FixedRows(cited_rows(evidence, read, glyphs)))
        rows.display = bool(count)
        self._show_record()

    @on(LineList.Moved)
    def _show_record(self) -> None:
        key = self.query_one("#draft-cited", LineList).key
        found = next((one for one in self._material.draft.evidence if one.ref == key), None)
        texts = {record.ref: record.text for record in self._material.records}
        shown = cited_document(found, texts.get(found.ref, "")) if found else Document("", "")
        self.query_one("#draft-record", DocView).show(shown)

    def action_uncite(self) -> None:
        """Leave the citation under the cursor out."""
        rows = self.query_one("#draft-cited", LineList)
        if self.focused is not rows or rows.key is None:
            return
        draft = self._material.draft
        kept = tuple(one for one in draft.evidence if one.ref != rows.key)
        self._material = replace(self._material, draft=replace(draft, evidence=kept))
        self._show_cited()
        self._show_doubts()

    # What the linter says

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(DEBOUNCE, self._lint)
        self._show_doubts()

    @property
    def looking(self) -> bool:
        """Whether the linter has not seen the text as it is."""
        return self._linted != _read(self.draft)

    def _lint(self) -> None:
        draft = self.draft
        work = partial(self._look, draft)
        self.jobs.run("lint", "looking at the draft", work, partial(self._looked, draft))

    def _look(self, draft: Draft) -> list[DraftWarning]:
        if isinstance(self._edited, Page):
            return []
        if self._neighbours is None:
            self._neighbours = neighbours_of(self._contents)
        return draft_lint(draft.title, draft.body, self._neighbours, self._material.texts)

    def _looked(self, draft: Draft, warnings: list[DraftWarning]) -> None:
        self._linted = _read(draft)
        self._warnings = [kept for one in warnings if (kept := self._unsettled(one)) is not None]
        if self._type_fault(draft):
            fault = self._type_fault(draft)
            self._warnings = [DraftWarning("type", fault), *self._warnings]
        self._show_doubts()
        if self._saving:
            self._saving = False
            self.action_save()

    def _unsettled(self, warning: DraftWarning) -> DraftWarning | None:
        """The warning without the items that were decided about; None when it was about those alone."""
        if not warning.near:
            return warning
        near = tuple(match for match in warning.near if match.item.id not in self._settled)
        return replace(warning, near=near) if near else None

    def _type_fault(self, draft: Draft) -> str:
        if draft.type in self._types:
            return ""
        return f"no type {draft.type!r}: {', '.join(self._types)}"

    @property
    def _near(self) -> tuple[Match, ...]:
        return next((warning.near for warning in self._warnings if warning.near), ())

    def _show_doubts(self) -> None:
        glyphs = glyphs_of(self.app)
        count = len(self.query_one("#draft-text", TextArea).text.split())
        self.query_one("#draft-count", Lines).show(
            [[("text", "muted"), (f"  {count} words", "faint")]]
        )
        box = self.query_one("#draft-warnings", Lines)
        most = 12 if self.app.size.width >= 120 else 4
        width = max(20, self.query_one("#draft-right").size.width - 3)
        lines = warning_lines(self._warnings, width, most, glyphs)
        box.styles.height = len(lines)
        box.show(lines)
        doubts = "linter: looking" if self.looking else "linter"
        self.query_one("#draft-doubts", Lines).show([[(doubts, "heading")]])
        self._show_keys()

    def _show_keys(self) -> None:
        keys = [("^s", "save"), ("esc", "leave"), ("tab", "next field"), ("^t", "type")]
        if self._near:
            keys.insert(1, ("^n", "what is close"))
        if self._edited is None and (said := self.word_key()):
            keys.insert(1, ("^g", said))
        parts = [Part(((key, "key"), (f" {text}", "muted"))) for key, text in keys]
        self.query_one("#draft-keys", Lines).show_parts(fitting(parts, self.app.size.width))

    def on_resize(self) -> None:
        """More or less room for warnings."""
        self.call_after_refresh(self._show_doubts)

    @on(JobDone)
    def _job_done(self, message: JobDone) -> None:
        if self.jobs.is_current(message.group, message.generation):
            message.use()

    @on(JobFailed)
    def _job_failed(self, message: JobFailed) -> None:
        if self.jobs.is_current(message.group, message.generation):
            if message.use is not None:
                message.use(message.error)
                return
            self._saving = False
            self.memtui.tell(f"{message.doing} failed: {line_of(str(message.error))}", "error")

    # Keys

    def action_type(self) -> None:
        """The next type."""
        field = self.query_one("#draft-type", Input)
        types = self._types
        here = types.index(field.value) if field.value in types else -1
        field.value = types[(here + 1) % len(types)]

    def action_near(self) -> None:
        """Show what says nearly the same."""
        if self._near:
            self.app.push_screen(NearScreen(self.draft, self._near), self._answered)

    def action_save(self) -> None:
        """Save, after the linter has seen the text as it is; an item that is close is asked about."""
        draft = self.draft
        if self.looking:
            self._saving = True
            self._lint()
            return
        fault = "a card needs a title" if not draft.title else self._type_fault(draft)
        if fault:
            self.memtui.tell(fault, "warning")
        elif self._near:
            self.action_near()
        else:
            self._do(Wish(self._now(draft), supersedes=self._supersedes))

    def _now(self, draft: Draft) -> Material:
        cited = {one.ref for one in draft.evidence}
        records = tuple(record for record in self._material.records if record.ref in cited)
        return Material(draft, records)

    def _answered(self, answer: Answer | None) -> None:
        if answer is None:
            return
        draft, item = self.draft, answer.item
        if answer.what == UPDATE and isinstance(item, Card) and self._edited is None:
            self._do(Wish(self._now(draft), updates=item, supersedes=self._supersedes))
            return
        self._settled.add(item.id)
        if answer.what in (SUPERSEDE, MERGE):
            self._supersedes = (*self._supersedes, item)
        if answer.what == MERGE and isinstance(item, Card):
            self._fill(replace(self._material, draft=joined(draft, item)))
        self._warnings = [kept for one in self._warnings if (kept := self._unsettled(one))]
        self._show_doubts()
        if answer.what in (SUPERSEDE, KEEP):
            self.action_save()

    def _do(self, wish: Wish) -> None:
        if not self._sent:
            self._sent = True
            self._save(wish, self._saved, self._refused)

    def _saved(self) -> None:
        if self.is_current:
            self.dismiss(True)

    def _refused(self, why: str) -> None:
        self._sent = False
        self.memtui.tell(f"not saved: {why}", "warning")

    def action_leave(self) -> None:
        """Stop the drafter, else leave; what was typed is asked about."""
        if self.stop_wording():
            return
        if not self.unsaved:
            self.dismiss(False)
            return
        choices = [
            Choice("save", "save it", key="s"),
            Choice("go on", "go on editing", key="g"),
            Choice("discard", "discard what was typed", key="d"),
        ]

        def chosen(name: str | None) -> None:
            if name == "save":
                self.action_save()
            elif name == "discard":
                self.dismiss(False)

        self.app.push_screen(MenuScreen("Not saved", choices), chosen)


def _read(draft: Draft) -> tuple[str, str, str]:
    """What of a draft the linter reads."""
    return draft.title, draft.body, draft.type
