"""The clean-up: plans a sleep in a process of its own, shows it, and starts what is chosen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from memtui.curate import verbs
from memtui.curate.sleep.model import Progress, Report
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.clean_up_doc import clean_up_document
from memtui.tui.docs.document import Document, Prose, document
from memtui.tui.jobs import cancelled
from memtui.tui.ports import Core
from memtui.tui.screens.dialog import DialogScreen
from memtui.tui.widgets.doc_view import DocView
from memtui.tui.widgets.lines import Lines
from memtui.workspace.model import ItemView

SLEEP = "sleep"
"""What it gives back when the safe part is to be done."""


@dataclass
class Planned(Message):
    """The plan is this far."""

    progress: Progress


class CleanUpScreen(DialogScreen[str]):
    """Gives back `SLEEP` where sleep is to begin; cold and expired cards are put away from here."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape,q", "back", "close", id="clean-up-close", show=False, priority=True),
        Binding("z,enter", "apply", "sleep", id="clean-up-apply", show=False, priority=True),
        Binding("d", "put_away", "demote", id="clean-up-demote", show=False, priority=True),
    ]

    def __init__(self, core: Core, cold: Sequence[ItemView], lapsed: Sequence[ItemView]) -> None:
        super().__init__(core)
        self._cold = tuple(item.item for item in cold)
        self._lapsed = tuple(item.item for item in lapsed)
        self._report: Report | None = None

    def compose(self) -> ComposeResult:
        """The plan and the keys."""
        with Vertical(id="dialog-box"):
            yield DocView(id="dialog-text")
            yield Lines(id="dialog-keys")

    def on_mount(self) -> None:
        """Plan."""
        self.query_one("#dialog-box").border_title = Content("Clean up")
        text = self.query_one(DocView)
        self.set_focus(text)
        text.show(_said("reading what is new, without changing anything"))
        self.say()

        def told(progress: Progress) -> None:
            self.post_message(Planned(progress))

        def plan() -> Report:
            return self.core.upkeep.sleep_apart(told, cancelled, apply=False)

        self.jobs.run("plan", "planning the clean-up", plan, self._planned, self._failed)

    @on(Planned)
    def _told(self, message: Planned) -> None:
        progress = message.progress
        if self._report is None and progress.total:
            done = f"reading sessions {progress.done}/{progress.total}, without changing anything"
            self.query_one(DocView).show(_said(done))

    def _planned(self, report: Report) -> None:
        self._report = report
        shown = clean_up_document(report, self._cold, self._lapsed, self.glyphs)
        self.query_one(DocView).show(shown)
        self.say()

    def _failed(self, error: Exception) -> None:
        self.query_one(DocView).show(_said(f"the plan failed: {line_of(str(error), 400)}"))
        self.complain("esc closes; doctor says more")

    def keys(self) -> list[tuple[str, str]]:
        """What can be done with what was found."""
        found = []
        if self._report is not None and self._report.changed:
            found.append(("z", "does it"))
        count = len(self._cold) + len(self._lapsed)
        if count and self._report is not None:
            found.append(("d", f"demotes {count} cold or expired card{'s' if count > 1 else ''}"))
        return [*found, ("esc", "closes")]

    def action_apply(self) -> None:
        """Do the safe part."""
        if self._report is None:
            self.complain("the plan is not ready yet")
        elif not self._report.changed:
            self.complain("sleep has nothing to do")
        else:
            self.leave(SLEEP)

    def action_put_away(self) -> None:
        """Demote what is cold or expired, in one act that undo takes back."""
        items = list({item.id: item for item in (*self._cold, *self._lapsed)}.values())
        if self._report is None:
            self.complain("the plan is not ready yet")
        elif not items:
            self.complain("no card is cold or expired")
        else:
            self.act(Deed("demote", lambda curator: verbs.demote(curator, items)))

    def action_back(self) -> None:
        """Close; a plan that is still made is stopped."""
        self.jobs.cancel("plan")
        self.leave(None)


def _said(text: str) -> Document:
    return document("clean-up", "clean up", [Prose(((text, "muted"),))])
