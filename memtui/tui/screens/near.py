"""A card that says nearly the same, beside the draft: update it, replace it, join both, or keep both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.content import Content

from memtui.bank.model import Item
from memtui.curate.draft import Draft
from memtui.curate.similar import Match
from memtui.tui.docs.draft_doc import compared
from memtui.tui.docs.spans import Line
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines

UPDATE, SUPERSEDE, MERGE, KEEP = "update", "supersede", "merge", "keep"

_KEYS = (
    ("u", UPDATE, "update it: it keeps its name and verdicts"),
    ("s", SUPERSEDE, "supersede it: this becomes a new card"),
    ("m", MERGE, "merge: both texts in one; that card leaves"),
    ("b", KEEP, "keep both"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do about the item that is close."""

    what: str
    item: Item


class NearScreen(Overlay[Answer]):
    """The draft and one near item side by side; `n` goes to the next item."""

    CSS_PATH = "near.tcss"
    BINDINGS = [
        *(
            Binding(key, f"answer('{what}')", what, id=f"near-{what}", show=False)
            for key, what, _ in _KEYS
        ),
        Binding("n", "next", "next", id="near-next", show=False),
        Binding("tab", "app.focus_next", "other side", id="near-side", show=False),
        Binding("escape,q", "back", "back", id="near-back", show=False),
    ]

    def __init__(self, draft: Draft, matches: Sequence[Match]) -> None:
        super().__init__()
        self._draft = draft
        self._matches = list(matches)
        self._at = 0

    def compose(self) -> ComposeResult:
        """Two texts and the keys."""
        with Vertical(id="near-box"):
            with Container(id="near-sides"):
                yield DocView(id="near-draft")
                yield DocView(id="near-item")
            yield Lines(id="near-keys")

    def on_mount(self) -> None:
        """Show the nearest."""
        draft = self._draft
        ours = compared("this draft", draft.title, draft.body, draft)
        self.query_one("#near-draft", DocView).show(ours)
        keys = self.query_one("#near-keys", Lines)
        lines: list[Line] = [[(f"{key}  ", "key"), (text, "text")] for key, _, text in _KEYS]
        keys.styles.height = len(lines)
        keys.show(lines)
        self._show()
        self.set_focus(self.query_one("#near-item", DocView))

    def _show(self) -> None:
        match = self._matches[self._at]
        count = len(self._matches)
        box = self.query_one("#near-box")
        which = f", {self._at + 1} of {count}" if count > 1 else ""
        box.border_title = Content(f"Close to {match.item.name}: {match.score:.2f}{which}")
        box.border_subtitle = Content(f"{'n next  ' if count > 1 else ''}esc goes on editing")
        item = match.item
        self.query_one("#near-item", DocView).show(compared(item.name, item.title, item.body, item))

    def action_next(self) -> None:
        """The next item that is close."""
        self._at = (self._at + 1) % len(self._matches)
        self._show()

    def action_answer(self, what: str) -> None:
        """Decide."""
        self.leave(Answer(what, self._matches[self._at].item))
