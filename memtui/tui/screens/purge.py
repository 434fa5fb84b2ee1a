"""Purge: shows every place, asks for the handle to be typed, erases, prints the receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from memtui.bank.model import BankContents, Item
from memtui.curate.curator import Curator
from memtui.curate.purge import PurgePlan, Receipt, plan_purge
from memtui.curate.purging.progress import Step
from memtui.tui.asking import refusal
from memtui.tui.docs.document import Document, Prose, document
from memtui.tui.docs.purge_doc import Folders, purge_document, receipt_document
from memtui.tui.jobs import cancelled
from memtui.tui.ports import Core
from memtui.tui.screens.dialog import DialogScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines
from memtui.workspace.model import BankView, ItemView

GROUP = "purge"


class StoppedError(Exception):
    """A person stopped it before anything was erased."""


@dataclass
class Stepped(Message):
    """How far the purge is."""

    step: Step


class PurgeScreen(DialogScreen[Receipt]):
    """Gives back the receipt, or None when nothing was erased.

    Esc stops the looking and the waiting; from the first byte that is erased on nothing stops it.
    """

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "back", "close", id="purge-close", show=False, priority=True),
        Binding("down", "scroll(1)", "down", id="purge-down", show=False, priority=True),
        Binding("up", "scroll(-1)", "up", id="purge-up", show=False, priority=True),
        Binding("pagedown", "scroll(10)", "page down", id="purge-page-down", show=False, priority=True),
        Binding("pageup", "scroll(-10)", "page up", id="purge-page-up", show=False, priority=True),
    ]  # fmt: skip

    def __init__(self, core: Core, view: BankView, targets: Sequence[ItemView]) -> None:
        super().__init__(core)
        self._view = view
        self._items = [target.item for target in targets]
        self._plan: PurgePlan | None = None
        self._folders: Folders | None = None
        self._receipt: Receipt | None = None
        self._erasing = False
        self._final = False

    @property
    def _word(self) -> str:
        """What is to be typed: the handle, for several items how many they are."""
        return self._items[0].id if len(self._items) == 1 else f"purge {len(self._items)}"

    def compose(self) -> ComposeResult:
        """The places, the field for the handle, the keys."""
        with Vertical(id="dialog-box"):
            yield DocView(id="dialog-text")
            yield Input(placeholder=f"type {self._word} to purge", id="dialog-input", compact=True)
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Look everywhere."""
        box = self.query_one("#dialog-box")
        one = len(self._items) == 1
        box.border_title = Content(
            f"Purge  {self._word}" if one else f"Purge  {len(self._items)} items"
        )
        self.set_focus(self.query_one(Input))
        self._show(_words("looking at every place that may hold it"))
        self.say()
        look = partial(_look, self._items, self._view.contents, self)
        work = partial(self.core.curating.ask, look)
        self.jobs.run(GROUP, "looking for it", work, self._take_plan, self._failed)

    def keys(self) -> list[tuple[str, str]]:
        """What works now."""
        if self._receipt is not None:
            return [("esc", "closes"), ("y", "copies the receipt")]
        if self._plan is None:
            return [("esc", "stops looking, erases nothing")]
        typed = "the handle" if len(self._items) == 1 else self._word
        return [("enter", f"purges, once {typed} is typed"), ("esc", "erases nothing")]

    def _show(self, shown: Document) -> None:
        self.query_one(DocView).show(shown)

    def _take_plan(self, found: tuple[PurgePlan, Folders]) -> None:
        self._plan, self._folders = found
        self._show(purge_document(self._plan, self._folders, self.glyphs))
        self.say()

    @on(Stepped)
    def _stepped(self, message: Stepped) -> None:
        """How far it is, with what esc still does."""
        message.stop()
        step = message.step
        if not self.jobs.running(GROUP):
            return
        self._final = self._final or step.final
        count = f" ({step.done} of {step.of})" if step.of else ""
        end = "this cannot be stopped any more" if self._final else "esc stops, erases nothing"
        self.say(f"{step.what}{count}  {end}", "accent")

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if self._plan is None:
            self.say("still looking: wait a moment", "muted")
        elif self._erasing or self._receipt is not None:
            return
        elif event.value.strip() != self._word:
            what = "the handle" if len(self._items) == 1 else "it"
            self.complain(f"that is not {what}: type {self._word}")
        else:
            self._erase(self._plan)

    def _erase(self, plan: PurgePlan) -> None:
        self._erasing = True
        self.query_one(Input).display = False
        self.set_focus(self.query_one(DocView))
        work = partial(self.core.curating.purge, plan, partial(_tell, self))
        self.jobs.run(GROUP, "the purge", work, self._done, self._failed)

    def _done(self, receipt: Receipt) -> None:
        self._erasing, self._receipt = False, receipt
        assert self._folders is not None
        self._show(receipt_document(receipt, self._folders, self.glyphs))
        self.say()
        self.memtui.browse.reload_bank()

    def _failed(self, error: Exception) -> None:
        if self._plan is None:
            self._show(_words("nothing was erased"))
            self.complain(refusal(error, "looking for it"))
            return
        self._erasing = False
        self.query_one(Input).display = True
        self.set_focus(self.query_one(Input))
        if isinstance(error, StoppedError):
            self.complain("stopped: nothing was erased")
        elif not self._final:
            self.complain(refusal(error, "the purge"))
        else:
            self.complain(f"cut off: {error}; what is erased is erased, purge again for the rest")
        self._final = False

    def action_scroll(self, step: int) -> None:
        """Scroll the places while the field has the focus."""
        self.query_one(DocView).action_move(step)

    def key_y(self) -> None:
        """Copy the receipt."""
        if self._receipt is not None:
            text = "\n".join(self._receipt.lines())
            self.memtui.copy_text(text, "the receipt")

    def action_back(self) -> None:
        """Close, or stop what runs; what is being erased is waited for."""
        if self._erasing and self._final:
            self.say("erasing: this cannot be stopped half way", "state-warn")
        elif self._erasing:
            self.jobs.cancel(GROUP)
            self.say("stopping", "accent")
        else:
            self.jobs.cancel(GROUP)
            self.jobs.drop(GROUP)
            self.leave(self._receipt)

    def action_open(self) -> None:
        """Enter belongs to the field."""


def _look(
    items: Sequence[Item], contents: BankContents, screen: PurgeScreen, curator: Curator
) -> tuple[PurgePlan, Folders]:
    folders = Folders(curator.root, curator.state, curator.cache, curator.places.spool)
    return plan_purge(curator, items, contents, tell=partial(_tell, screen)), folders


def _tell(screen: PurgeScreen, step: Step) -> None:
    """Runs in the worker: stops the work where it still can be stopped."""
    if cancelled() and not step.final:
        raise StoppedError("stopped")
    screen.post_message(Stepped(step))


def _words(text: str) -> Document:
    return document("words", "", [Prose(((text, "muted"),))])
