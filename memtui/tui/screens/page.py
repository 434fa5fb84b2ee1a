"""A page in the making: its cards, its text with the cards that each claim cites, both editable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual import on
from textual.binding import Binding

from memtui.bank.model import Card, Page
from memtui.curate.act import ActResult, CurateError
from memtui.curate.clusters import enough
from memtui.curate.compile import PageDraft, compile_page
from memtui.curate.curator import Curator
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.page_doc import draft_document, source_page, source_row
from memtui.tui.ports import Core
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.columns import ColumnsDialog
from memtui.tui.screens.text import TextScreen
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.curating import Done
from memtui.workspace.model import ItemView

Save = Callable[[Curator, PageDraft, str], ActResult]
"""Saves a draft; the last argument says why it is made from so few cards ("" when it is not)."""

_KINDS = ("procedure", "handbook")


class PageScreen(ColumnsDialog):
    """`cards` are what it may be made from, `absent` says why some of them may not (by id)."""

    BINDINGS = [
        Binding("escape,q", "back", "close", id="page-close", show=False),
        Binding("ctrl+s,s", "save", "save", id="page-save", show=False),
        Binding("t", "kind", "kind", id="page-kind", show=False),
        Binding("n", "name", "title", id="page-title", show=False),
        Binding("e", "edit", "edit", id="page-edit", show=False),
        Binding("u", "again", "compile again", id="page-again", show=False),
        Binding("space,x", "leave_out", "leave out", id="page-toggle", show=False, priority=True),
        Binding("tab", "turn(1)", "text", id="page-next", show=False, priority=True),
        Binding("shift+tab", "turn(-1)", "text", id="page-previous", show=False, priority=True),
    ]

    def __init__(
        self,
        core: Core,
        cards: Sequence[ItemView],
        absent: Mapping[str, str],
        save: Save,
        then: Callable[[Done], None],
        *,
        title: str = "",
        kind: str = "procedure",
        asks: bool = True,
        beside: Sequence[Page] = (),
    ) -> None:
        super().__init__(core)
        self._cards = tuple(cards)
        self._absent = dict(absent)
        self._out: set[str] = set()
        self._save = save
        self._then = then
        self._title, self._kind = title, kind
        self._asks = asks
        self._beside = tuple(beside)
        self._edited: str | None = None
        self.draft: PageDraft | None = None

    @property
    def sources(self) -> int:
        """One column for each page that it is merged from."""
        return len(self._beside)

    @property
    def heading(self) -> str:
        """Compiled from cards, or merged from pages."""
        return f"Merge  {self.sources} pages into one" if self.sources else "Compile a page"

    def begin(self) -> None:
        """Compile."""
        self._compile()

    def keys(self) -> list[tuple[str, str]]:
        """What works now."""
        found = [("s", "saves"), ("t", self._other_kind()), ("n", "title"), ("e", "edits")]
        found.append(
            ("u", "drops the edit") if self._edited is not None else ("space", "card in or out")
        )
        return [*found, ("esc", "leaves")]

    def _other_kind(self) -> str:
        return _KINDS[1 - _KINDS.index(self._kind)]

    @property
    def used(self) -> list[Card]:
        """The cards that the page is made from."""
        return [
            view.item
            for view in self._cards
            if isinstance(view.item, Card)
            and view.item.id not in self._absent
            and view.item.id not in self._out
        ]

    def _compile(self) -> None:
        try:
            draft = compile_page(self.used, self._kind, self._title)
        except CurateError as error:
            self.complain(f"{error.what}; {error.do}")
            return
        self._title = draft.title
        self.draft = draft if self._edited is None else replace(draft, body=self._edited)
        self.show_texts()

    def show_texts(self) -> None:
        """The cards, and the page beside or above the pages that it is made from."""
        rows = [self._row(view) for view in self._cards]
        self.listed.show(FixedRows(rows))
        self.listed.styles.height = min(len(rows), max(3, self.app.size.height // 4))
        for at, page in enumerate(self._beside):
            self.source(at).show(source_page(page))
        if self.draft is not None:
            below = self._beside if self.stacked else ()
            self.text.show(draft_document(self.draft, self.used, self.glyphs, below))

    def _row(self, view: ItemView) -> Row:
        item = view.item.id
        why = self._absent.get(item, "left out" if item in self._out else "")
        draw = partial(source_row, view, not why, why, glyphs=self.glyphs)
        return Row(item, draw, (view, why))

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()

    # What can be changed

    def _free(self) -> bool:
        """Whether compiling again loses nothing that was written."""
        if self._edited is not None:
            self.say("the text was edited by hand: u drops the edit first", "state-warn")
        return self._edited is None

    def action_leave_out(self) -> None:
        """Leave the card under the cursor out, or take it in again."""
        if self.field_line.is_open:
            return
        item = str(self.listed.key)
        if item in self._absent:
            self.say(f"it does not hold: {self._absent[item]}", "state-warn")
        elif self._free():
            if item not in self._out and len(self.used) == 1:
                self.say("a page needs a card", "state-warn")
                return
            self._out ^= {item}
            self._compile()
            self.say()

    def action_kind(self) -> None:
        """From procedure to handbook and back."""
        if self._free():
            self._kind = self._other_kind()
            self._compile()
            self.say()

    def action_name(self) -> None:
        """Write the title."""
        self.field_line.ask("title", "title", line_of(self._title, 1000))

    def action_edit(self) -> None:
        """Write the text."""
        if self.draft is not None:
            hint = "claims end in their [[card]]"
            self.app.push_screen(TextScreen("Page", self.draft.body, hint), self._take_text)

    def _take_text(self, text: str | None) -> None:
        if text is not None and self.draft is not None and text != self.draft.body:
            self._edited = text
            self._compile()
            self.say()

    def action_again(self) -> None:
        """Drop the edit: the text as it is compiled."""
        self._edited = None
        self._compile()
        self.say()

    @on(InputLine.Done)
    def _written(self, message: InputLine.Done) -> None:
        message.stop()
        self.set_focus(self.listed)
        if message.purpose == "title" and message.text.strip():
            self._title = message.text.strip()
            self._compile()
            self.say()
        elif message.purpose == "why":
            self._do(message.text.strip())

    def action_open(self) -> None:
        """Enter goes to the text."""
        self.set_focus(self.text)

    def action_back(self) -> None:
        """Close the field, else the dialog."""
        if self.close_field():
            return
        if self._edited is not None:
            self.complain("the text was edited by hand: s saves it, u drops the edit")
        else:
            self.leave(None)

    def action_save(self) -> None:
        """Save; from few cards only with a reason."""
        if self.draft is None:
            return
        if self._asks and not enough(self.used):
            hint = "why a page from so few cards (it is kept)"
            self.field_line.ask("why", "why", "", hint)
        else:
            self._do("")

    def _do(self, override: str) -> None:
        draft = self.draft
        if draft is None:
            return
        if self._asks and not enough(self.used) and not override:
            self.complain("a page from so few cards needs a reason")
            return
        self.act(Deed("compile", lambda curator: self._save(curator, draft, override), self._then))
