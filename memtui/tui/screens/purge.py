"""Purge: shows every place, asks for the handle to be typed, erases, prints the receipt."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from memtui.bank.model import BankContents, Item
from memtui.curate.curator import Curator
from memtui.curate.purge import PurgePlan, Receipt, plan_purge
from memtui.tui.docs.document import Document, Prose, document
from memtui.tui.docs.purge_doc import Folders, purge_document, receipt_document
from memtui.tui.ports import Core
from memtui.tui.screens.dialog import DialogScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines
from memtui.workspace.model import BankView, ItemView


class PurgeScreen(DialogScreen[Receipt]):
    """Gives back the receipt, or None when nothing was erased."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "back", "close", id="purge-close", show=False, priority=True),
        Binding("down", "scroll(1)", "down", id="purge-down", show=False, priority=True),
        Binding("up", "scroll(-1)", "up", id="purge-up", show=False, priority=True),
        Binding("pagedown", "scroll(10)", "page down", id="purge-page-down", show=False, priority=True),
        Binding("pageup", "scroll(-10)", "page up", id="purge-page-up", show=False, priority=True),
    ]  # fmt: skip

    def __init__(self, core: Core, view: BankView, target: ItemView) -> None:
        super().__init__(core)
        self._view = view
        self._target = target
        self._plan: PurgePlan | None = None
        self._folders: Folders | None = None
        self._receipt: Receipt | None = None
        self._erasing = False

    def compose(self) -> ComposeResult:
        """The places, the field for the handle, the keys."""
        with Vertical(id="dialog-box"):
            yield DocView(id="dialog-text")
            yield Input(
                placeholder=f"type {self._target.item.id} to purge", id="dialog-input", compact=True
            )
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Look everywhere."""
        box = self.query_one("#dialog-box")
        box.border_title = Content(f"Purge  {self._target.item.id}")
        self.set_focus(self.query_one(Input))
        self._show(_words("looking at every place that may hold it"))
        self.say()
        item, contents = self._target.item, self._view.contents
        question = partial(_look, item, contents)
        self.ask("purge", "looking for it", question, self._take_plan)

    def keys(self) -> list[tuple[str, str]]:
        """What works now."""
        if self._receipt is not None:
            return [("esc", "closes"), ("y", "copies the receipt")]
        return [("enter", "purges, once the handle is typed"), ("esc", "erases nothing")]

    def _show(self, shown: Document) -> None:
        self.query_one(DocView).show(shown)

    def _take_plan(self, found: tuple[PurgePlan, Folders]) -> None:
        self._plan, self._folders = found
        self._show(purge_document(self._plan, self._folders, self.glyphs))

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if self._plan is None:
            self.say("still looking: wait a moment", "muted")
        elif self._erasing or self._receipt is not None:
            return
        elif event.value.strip() != self._target.item.id:
            self.complain(f"that is not the handle: type {self._target.item.id}")
        else:
            self._erase(self._plan)

    def _erase(self, plan: PurgePlan) -> None:
        self._erasing = True
        self.query_one(Input).display = False
        self.set_focus(self.query_one(DocView))
        self.say("erasing, then scanning every file of bank, state and cache", "accent")
        work = partial(self.core.curating.purge, plan)
        self.jobs.run("purge", "the purge", work, self._done, self._failed)

    def _done(self, receipt: Receipt) -> None:
        self._erasing, self._receipt = False, receipt
        assert self._folders is not None
        self._show(receipt_document(receipt, self._folders, self.glyphs))
        self.say()
        self.memtui.browse.reload_bank()

    def _failed(self, error: Exception) -> None:
        self._erasing = False
        self.query_one(Input).display = True
        self.set_focus(self.query_one(Input))
        self.complain(f"cut off: {error}; what is erased is erased, purge again for the rest")

    def action_scroll(self, step: int) -> None:
        """Scroll the places while the field has the focus."""
        self.query_one(DocView).action_move(step)

    def key_y(self) -> None:
        """Copy the receipt."""
        if self._receipt is not None:
            text = "\n".join(self._receipt.lines())
            self.memtui.copy_text(text, "the receipt")

    def action_back(self) -> None:
        """Close; a purge that runs is waited for."""
        if self._erasing:
            self.say("erasing: this cannot be stopped half way", "state-warn")
        else:
            self.leave(self._receipt)

    def action_open(self) -> None:
        """Enter belongs to the field."""


def _look(item: Item, contents: BankContents, curator: Curator) -> tuple[PurgePlan, Folders]:
    folders = Folders(curator.root, curator.state, curator.cache, curator.places.spool)
    return plan_purge(curator, item, contents), folders


def _words(text: str) -> Document:
    return document("words", "", [Prose(((text, "muted"),))])
