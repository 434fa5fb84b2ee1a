"""What could be promoted in a session: each with its reason, its draft and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from memtui.tui.docs.clean import body_of, line_of
from memtui.tui.docs.document import Blank, Block, Document, Heading, MarkdownText, Raw, document
from memtui.tui.docs.spans import Line, clip, spread
from memtui.tui.glyphs import Glyphs, glyphs_of
from memtui.tui.rows import FixedRows, Row
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.drafting import Offer


class OffersScreen(Overlay[int]):
    """Chooses one offer by its number; Esc chooses none. `cited` are cards by the records they cite."""

    CSS_PATH = "offers.tcss"
    BINDINGS = [
        Binding("p", "open", "edit the draft", id="offers-open", show=False),
        Binding("tab", "app.focus_next", "text", id="offers-text", show=False),
        Binding("escape,q", "back", "close", id="offers-close", show=False),
    ]

    def __init__(self, title: str, offers: Sequence[Offer], cited: Mapping[str, str]) -> None:
        super().__init__()
        self._title = title
        self._offers = list(offers)
        self._cited = cited

    def compose(self) -> ComposeResult:
        """The list above the draft of the one under the cursor."""
        with Vertical(id="offers-box"):
            yield LineList(id="offers-list", markable=False)
            yield DocView(id="offers-draft")

    def on_mount(self) -> None:
        """Fill the list."""
        glyphs = glyphs_of(self.app)
        box = self.query_one("#offers-box")
        box.border_title = Content(f"Could be promoted: {self._title}")
        box.border_subtitle = Content("enter edits the draft  esc closes")
        rows = [
            Row(index, partial(_row, offer, self._known(offer), glyphs))
            for index, offer in enumerate(self._offers)
        ]
        listed = self.query_one(LineList)
        listed.show(FixedRows(rows), keep=False)
        listed.styles.height = 1 + min(len(rows), max(3, self.app.size.height // 3))
        self.set_focus(listed)
        self._show(0)

    def _known(self, offer: Offer) -> str:
        """The card that cites the same records already."""
        refs = (one.ref for one in offer.material.draft.evidence)
        return next((self._cited[ref] for ref in refs if ref in self._cited), "")

    def _show(self, index: int) -> None:
        self.query_one(DocView).show(_document(index, self._offers[index]))

    @on(LineList.Moved)
    def _moved(self, message: LineList.Moved) -> None:
        message.stop()
        if isinstance(message.key, int):
            self._show(message.key)

    @on(LineList.Chosen)
    def _chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.action_open()

    def action_open(self) -> None:
        """Edit the draft under the cursor."""
        key = self.query_one(LineList).key
        if isinstance(key, int):
            self.leave(key)


def _row(offer: Offer, known: str, glyphs: Glyphs, width: int) -> Line:
    draft = offer.material.draft
    note = f"in {known}" if known else offer.reason
    left: Line = [
        (f"{glyphs.verified if known else ' '} ", "ok"),
        (f"{draft.type:<10} ", "role-call"),
        (line_of(draft.title), "text"),
    ]
    note = clip(line_of(note), max(14, width // 3), glyphs.ellipsis)
    return spread(left, [(f"{note} ", "muted")], width, glyphs.ellipsis)


def _document(index: int, offer: Offer) -> Document:
    draft = offer.material.draft
    texts = {record.ref: record.text for record in offer.material.records}
    blocks: list[Block] = [
        Heading(((line_of(draft.title), "heading"),), ((line_of(offer.reason), "muted"),)),
        MarkdownText(body_of(draft.body)),
        Blank(),
    ]
    for one in draft.evidence:
        blocks.append(Heading(((line_of(one.ref, 200), "faint"),)))
        text = one.quote or texts.get(one.ref, "")
        blocks.append(Raw(body_of(text[:600]), "muted", "accent"))
    return document(f"offer:{index}:{draft.title}", "offer", blocks)
