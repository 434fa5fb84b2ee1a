"""A dialog over Browse that reads and acts: it stays open until what it does is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from memtui.tui.acting import Deed
from memtui.tui.asking import Asking, refusal
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, width_of
from memtui.tui.glyphs import Glyphs, glyphs_of
from memtui.tui.jobs import Jobs
from memtui.tui.screens.overlay import Overlay
from memtui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.ports import Core
    from memtui.workspace.curating import Done

T = TypeVar("T")

COLUMN = 38
"""Cells that a column of a text needs to be read."""


def key_lines(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Keys with what they do, on as many lines as they need."""
    lines: list[Line] = [[(" ", "")]]
    for key, what in keys:
        spans: Line = [(key, "key"), (f" {what}", "muted")]
        if width_of(lines[-1]) + 2 + width_of(spans) > width and len(lines[-1]) > 1:
            lines.append([(" ", "")])
        if len(lines[-1]) > 1:
            lines[-1].append(("  ", ""))
        lines[-1] += spans
    return lines


class DialogScreen(Asking, Overlay[T]):
    """Says what goes wrong on its own last line, so that nothing typed is lost."""

    def __init__(self, core: Core) -> None:
        super().__init__()
        self.core = core
        self.jobs = Jobs(self, self.run_worker)
        self._acting = False

    @property
    def memtui(self) -> MemtuiApp:
        """The app, with its own attributes."""
        return cast("MemtuiApp", self.app)

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        return glyphs_of(self.app)

    def keys(self) -> list[tuple[str, str]]:
        """The keys that work now, with what they do."""
        raise NotImplementedError

    def say(self, text: str = "", tone: str = "text") -> None:
        """The last line: a word about what happened, else the keys."""
        width = self.query_one("#dialog-box").content_size.width
        if text:
            lines = [[(" ", ""), (line_of(text), tone)]]
        else:
            lines = key_lines(self.keys(), width or self.app.size.width - 4)
        shown = self.query_one("#dialog-keys", Lines)
        shown.styles.height = len(lines)
        shown.show(lines)

    def complain(self, text: str) -> None:
        """Say what did not work."""
        self.say(text, "state-warn")

    def act(self, deed: Deed) -> None:
        """Do an act through Browse; the dialog closes when it is done, and stays when it is refused."""
        if self._acting:
            return
        self._acting = True
        self.say("working", "accent")

        def done(result: Done) -> None:
            self._acting = False
            self.leave(None)
            if deed.then is not None:
                deed.then(result)

        def refused(error: Exception) -> bool:
            self._acting = False
            self.complain(refusal(error, deed.doing))
            return True

        self.memtui.browse.acts.run(Deed(deed.doing, deed.verb, done, deed.resolved, refused))
