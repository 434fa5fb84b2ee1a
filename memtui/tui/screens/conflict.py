"""A file changed since: its three texts, and what a person wants written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.content import Content

from memtui.bank.items import in_conflict
from memtui.curate.act import Conflict, ConflictError
from memtui.curate.hunks import text_of
from memtui.tui.acting import Acts, Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.conflict_doc import NAMES, conflict_document, joined
from memtui.tui.docs.spans import Line
from memtui.tui.editing import edit_bytes
from memtui.tui.screens.overlay import Overlay
from memtui.tui.services import ServiceError
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp

Chosen = dict[str, bytes | None]


class ConflictScreen(Overlay[Chosen]):
    """Asks for each file in turn; Esc leaves everything as it is. Without `choosing` it only shows."""

    CSS_PATH = "conflict.tcss"
    BINDINGS = [
        Binding("n", "choose('now')", "keep", id="conflict-keep", show=False),
        Binding("w", "choose('wanted')", "write", id="conflict-write", show=False),
        Binding("e", "edit", "edit", id="conflict-edit", show=False),
        Binding("tab", "app.focus_next", "next text", id="conflict-next", show=False),
        Binding("backspace", "again", "the file before", id="conflict-again", show=False),
        Binding("escape,q", "back", "close", id="conflict-close", show=False),
    ]

    def __init__(self, doing: str, conflicts: Sequence[Conflict], *, choosing: bool) -> None:
        super().__init__()
        self._doing = doing
        self._conflicts = list(conflicts)
        self._choosing = choosing
        self._chosen: Chosen = {}

    def compose(self) -> ComposeResult:
        """Three texts and the keys."""
        with Vertical(id="conflict-box"):
            with Container(id="conflict-texts"):
                for name in NAMES:
                    yield DocView(id=f"conflict-{name}")
            yield Lines(id="conflict-keys")

    def on_mount(self) -> None:
        """Show the first file."""
        self.query_one("#conflict-box").border_subtitle = Content(
            "tab next text  esc changes nothing"
        )
        self._show()
        self.set_focus(self.query_one("#conflict-now", DocView))

    @property
    def _conflict(self) -> Conflict:
        return self._conflicts[len(self._chosen)]

    def _show(self) -> None:
        conflict = self._conflict
        count = len(self._conflicts)
        number = f" ({len(self._chosen) + 1} of {count})" if count > 1 else ""
        title = f"{self._doing}: {line_of(conflict.path, 60)} changed since{number}"
        self.query_one("#conflict-box").border_title = Content(title)
        for name in NAMES:
            self.query_one(f"#conflict-{name}", DocView).show(conflict_document(conflict, name))
        keys = [("n", "keep it as it is now"), ("w", "write the wanted text"), ("e", "edit both")]
        if self._chosen:
            keys.append(("backspace", "choose again for the file before"))
        lines: list[Line] = [[(f"{key}  ", "key"), (text, "text")] for key, text in keys]
        if not self._choosing:
            lines = [[("nothing was written; do it again on the new text", "muted")]]
        shown = self.query_one("#conflict-keys", Lines)
        shown.styles.height = len(lines)
        shown.show(lines)

    def action_choose(self, which: str) -> None:
        """Take one of the texts."""
        if self._choosing:
            conflict = self._conflict
            self._take(conflict.theirs if which == "now" else conflict.ours)

    def action_edit(self) -> None:
        """Join both in the editor."""
        if not self._choosing:
            return
        conflict = self._conflict
        app = cast("MemtuiApp", self.app)
        try:
            made = edit_bytes(app, joined(conflict), conflict.path)
        except ServiceError as error:
            app.tell(str(error), "error")
            return
        if in_conflict(text_of(made)):
            app.tell("the text still holds conflict marks; e edits again", "warning")
            return
        self._take(made)

    def action_again(self) -> None:
        """Back to the file before."""
        if self._chosen:
            self._chosen.popitem()
            self._show()

    def _take(self, data: bytes | None) -> None:
        self._chosen[self._conflict.path] = data
        if len(self._chosen) == len(self._conflicts):
            self.leave(self._chosen)
        else:
            self._show()


def ask_choice(
    app: MemtuiApp,
    acts: Acts,
    deed: Deed,
    error: ConflictError,
    unchanged: Callable[[], None],
) -> None:
    """Show the texts and do the deed with what is chosen; `unchanged` is called when nothing is."""

    def chosen(choice: Chosen | None) -> None:
        if choice is not None and deed.resolved is not None:
            acts.run(deed.with_choice(choice))
        else:
            unchanged()

    app.clear_notifications()
    screen = ConflictScreen(deed.doing, error.conflicts, choosing=deed.resolved is not None)
    app.push_screen(screen, chosen)
