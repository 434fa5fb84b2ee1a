"""A page in the making: its cards, its text with the cards that each claim cites, both editable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content

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
from memtui.tui.screens.dialog import COLUMN, DialogScreen
from memtui.tui.screens.text import TextScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines
from memtui.workspace.curating import Done
from memtui.workspace.model import ItemView

Save = Callable[[Curator, PageDraft, str], ActResult]
"""Saves a draft; the last argument says why it is made from so few cards ("" when it is not)."""

_KINDS = ("procedure", "handbook")


class PageScreen(DialogScreen[str]):
    """`cards` are what it may be made from, `absent` says why some of them may not (by id)."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape,q", "back", "close", id="page-close", show=False),
        Binding("ctrl+s,s", "save", "save", id="page-save", show=False),
        Binding("t", "kind", "kind", id="page-kind", show=False),
        Binding("n", "name", "title", id="page-title", show=False),
        Binding("e", "edit", "edit", id="page-edit", show=False),
        Binding("u", "again", "compile again", id="page-again", show=False),
        Binding("space,x", "leave_out", "leave out", id="page-toggle", show=False, priority=True),
        Binding("tab,shift+tab", "turn", "text", id="page-next", show=False, priority=True),
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

    text = getters.query_one("#dialog-text", DocView)

    def compose(self) -> ComposeResult:
        """The cards above, the page below, beside the pages that it is merged from."""
        with Vertical(id="dialog-box", classes="-whole"):
            yield LineList(id="dialog-list", markable=False)
            with Horizontal(id="dialog-columns"):
                for at in range(len(self._beside)):
                    yield DocView(id=f"source-{at}", classes="column")
                yield DocView(id="dialog-text", classes="column")
            yield InputLine(id="input")
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Compile."""
        count = len(self._beside)
        title = f"Merge  {count} pages into one" if count else "Compile a page"
        self.query_one("#dialog-box").border_title = Content(title)
        self._compile()
        self.set_focus(self.query_one(LineList))
        self.say()

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
        self._show()

    def _show(self) -> None:
        rows = [self._row(view) for view in self._cards]
        listed = self.query_one(LineList)
        listed.show(FixedRows(rows))
        listed.styles.height = min(len(rows), max(3, self.app.size.height // 4))
        # Without room for columns the pages that it is made from stand below it.
        stacked = self.app.size.width < (len(self._beside) + 1) * COLUMN
        for at, page in enumerate(self._beside):
            view = self.query_one(f"#source-{at}", DocView)
            view.display = not stacked
            view.show(source_page(page))
        if self.draft is not None:
            below = self._beside if stacked else ()
            shown = draft_document(self.draft, self.used, self.glyphs, below)
            self.text.show(shown)

    def _row(self, view: ItemView) -> Row:
        item = view.item.id
        why = self._absent.get(item, "left out" if item in self._out else "")
        draw = partial(source_row, view, not why, why, glyphs=self.glyphs)
        return Row(item, draw, (view, why))

    def on_resize(self) -> None:
        """Another height for the list."""
        self._show()
        self.say()

    @on(LineList.Moved)
    @on(LineList.Changed)
    def _listed(self, message: LineList.Moved | LineList.Changed) -> None:
        message.stop()

    # What can be changed

    def _free(self) -> bool:
        """Whether compiling again loses nothing that was written."""
        if self._edited is not None:
            self.say("the text was edited by hand: u drops the edit first", "state-warn")
        return self._edited is None

    def action_leave_out(self) -> None:
        """Leave the card under the cursor out, or take it in again."""
        line = self.query_one(InputLine)
        if line.is_open:
            return
        item = str(self.query_one(LineList).key)
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
        self.query_one(InputLine).ask("title", "title", line_of(self._title, 1000))

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

    @on(InputLine.Typed)
    def _typed(self, message: InputLine.Typed) -> None:
        message.stop()

    @on(InputLine.Done)
    def _written(self, message: InputLine.Done) -> None:
        message.stop()
        self.set_focus(self.query_one(LineList))
        if message.purpose == "title" and message.text.strip():
            self._title = message.text.strip()
            self._compile()
            self.say()
        elif message.purpose == "why":
            self._do(message.text.strip())

    def action_turn(self) -> None:
        """Between the cards and the text."""
        stops = [self.query_one(LineList), *(v for v in self.query(DocView) if v.display)]
        here = stops.index(self.focused) if self.focused in stops else 0
        self.set_focus(stops[(here + 1) % len(stops)])

    def action_open(self) -> None:
        """Enter goes to the text."""
        self.set_focus(self.text)

    def action_back(self) -> None:
        """Close the field, else the dialog."""
        line = self.query_one(InputLine)
        if line.is_open:
            line.close()
            self.set_focus(self.query_one(LineList))
        elif self._edited is not None:
            self.complain("the text was edited by hand: s saves it, u drops the edit")
        else:
            self.leave(None)

    def action_save(self) -> None:
        """Save; from few cards only with a reason."""
        if self.draft is None:
            return
        if self._asks and not enough(self.used):
            hint = "why a page from so few cards (it is kept)"
            self.query_one(InputLine).ask("why", "why", "", hint)
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
