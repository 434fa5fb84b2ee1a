"""Merging cards: the sources side by side with what comes of them, each field chosen or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual import events, on
from textual.binding import Binding

from memtui.bank.model import CARD_TYPES, Card, Event
from memtui.curate import verbs
from memtui.curate.merge import carried_verdicts, propose_merge
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.merge_doc import (
    EDITED,
    FIELDS,
    Merging,
    begin,
    field_document,
    field_row,
    result_document,
    sign_of,
    source_document,
    source_value,
)
from memtui.tui.ports import Core
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.columns import ColumnsDialog
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.text import TextScreen
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.curating import Done


class MergeScreen(ColumnsDialog):
    """Merges when it is told to; `then` gets what was done."""

    BINDINGS = [
        Binding("escape,q", "back", "close", id="merge-close", show=False),
        Binding("ctrl+s,s", "merge", "merge", id="merge-do", show=False),
        Binding("plus", "join", "join", id="merge-join", show=False),
        Binding("e", "edit", "edit", id="merge-edit", show=False),
        Binding("tab", "turn(1)", "text", id="merge-next", show=False, priority=True),
        Binding("shift+tab", "turn(-1)", "text", id="merge-previous", show=False, priority=True),
    ]

    def __init__(
        self,
        core: Core,
        cards: Sequence[Card],
        events_of_bank: Sequence[Event],
        then: Callable[[Done], None],
    ) -> None:
        super().__init__(core)
        self._events = tuple(events_of_bank)
        self._then = then
        verdicts = len(carried_verdicts(cards, self._events))
        self.merging: Merging = begin(cards, propose_merge(cards), verdicts)

    @property
    def sources(self) -> int:
        """One column for each card."""
        return len(self.merging.cards)

    @property
    def heading(self) -> str:
        """How many cards."""
        return f"Merge  {self.sources} cards into one"

    def begin(self) -> None:
        """Start on the title."""
        self.listed.styles.height = len(FIELDS)
        self._fill()

    def keys(self) -> list[tuple[str, str]]:
        """What works now."""
        last = sign_of(len(self.merging.cards) - 1)
        return [
            (f"1-{last}", "takes it from there"),
            ("+", "joins"),
            ("e", "edits"),
            ("s", "merges"),
            ("esc", "leaves"),
        ]

    @property
    def field(self) -> str:
        """The field under the cursor."""
        return FIELDS[self.listed.cursor]

    def _fill(self) -> None:
        rows = [self._row(field) for field in FIELDS]
        self.listed.show(FixedRows(rows))
        self.show_texts()

    def _row(self, field: str) -> Row:
        merging = self.merging
        version = (merging.value(field), merging.chosen[field])
        return Row(field, partial(field_row, merging, field, glyphs=self.glyphs), version)

    def show_texts(self) -> None:
        """The whole of each card in its column, or the field under the cursor."""
        for at in range(self.sources):
            view = self.source(at)
            if not self.stacked:
                view.show(source_document(self.merging, at, self.field, self.glyphs))
        made = field_document if self.stacked else result_document
        self.text.show(made(self.merging, self.field, self.glyphs))

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()
        self.show_texts()
        self.say()

    @on(LineList.Chosen)
    def _double_clicked(self, message: LineList.Chosen) -> None:
        message.stop()
        self.action_edit()

    # A field

    def on_key(self, event: events.Key) -> None:
        """A source's number takes the field from there."""
        if self.take_key(event.character):
            event.stop()

    def take_key(self, character: str | None) -> bool:
        """Take the field from a source by its number; False for another key."""
        if self.field_line.is_open or character is None:
            return False
        for at, card in enumerate(self.merging.cards):
            if character == sign_of(at):
                self._set(source_value(card, self.field), at)
                return True
        return False

    def _set(self, text: str, source: int | str) -> None:
        self.merging = self.merging.with_text(self.field, text, source)
        self._fill()
        self.say()

    def action_join(self) -> None:
        """All tags, or the body with what it leaves out."""
        if self.field in ("tags", "body"):
            self.merging = self.merging.joined(self.field)
            self._fill()
        else:
            self.say(f"a {self.field} cannot be joined: take one, or edit it", "state-warn")

    def action_edit(self) -> None:
        """Write the field."""
        field, value = self.field, self.merging.value(self.field)
        if field == "body":
            self.app.push_screen(TextScreen("Body of the merged card", value), self._edited)
        elif field == "type":
            choices = [Choice(name, name, chosen=name == value) for name in CARD_TYPES]
            self.app.push_screen(MenuScreen("Type", choices), self._edited)
        else:
            self.field_line.ask(field, field, line_of(value, 1000))

    def action_open(self) -> None:
        """Enter edits."""
        self.action_edit()

    def _edited(self, text: str | None) -> None:
        if text is not None and text != self.merging.value(self.field):
            self._set(text, EDITED)

    @on(InputLine.Done)
    def _written(self, message: InputLine.Done) -> None:
        message.stop()
        self.set_focus(self.listed)
        self._edited(message.text)

    def action_back(self) -> None:
        """Close the field, else the dialog."""
        if not self.close_field():
            self.leave(None)

    # All of it

    def action_merge(self) -> None:
        """Write the result; the sources are retired."""
        merging = self.merging
        verb = partial(
            verbs.merge, cards=merging.cards, proposal=merging.proposal, events=self._events
        )
        self.act(Deed("merge", verb, self._then))
