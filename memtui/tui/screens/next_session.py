"""The preview: budget, host, source, and the exact bytes for the clipboard."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from memtui.inject.limits import LIMITS
from memtui.tui.docs import empty
from memtui.tui.docs.spans import Line
from memtui.tui.screens.base import BrowseBase
from memtui.workspace.model import Preview

HOSTS = tuple(LIMITS)
SOURCES = ("startup", "resume", "clear", "compact")
_STEP = 50
_AT_ONCE = 1500
"""Cards that are ranked within one frame."""


class PreviewPart(BrowseBase):
    """What pane 5 shows and does."""

    def replan(self) -> None:
        """Plan the next session again: at once, or in a worker where many cards would hold the loop."""
        view = self.view
        if view is None:
            self.preview_list.say(self._without_bank())
        elif len(view.cards) <= _AT_ONCE:
            self.preview = self.core.preview(view, self.options)
        else:
            work = partial(self.core.preview, view, self.options)
            self.jobs.run("plan", "planning the next session", work, self._take_plan)

    def _take_plan(self, preview: Preview) -> None:
        self.preview = preview

    def _without_bank(self) -> list[Line]:
        if self.core.bank_root is None:
            return empty.no_bank("no bank, so nothing is sent")
        return empty.READING_BANK

    def watch_options(self) -> None:
        """Another host, source or budget."""
        self.replan()

    def watch_preview(self) -> None:
        """Show the new plan."""
        if self.preview is not None and self.view is not None:
            self.preview_list.say(empty.nothing_sent())
            self.preview_pane.show(self.preview, self.view)
            self.count_preview()

    def count_preview(self) -> None:
        """Tokens and lines in the border."""
        preview = self.preview
        if preview is not None:
            held = f", {len(preview.held)} held back" if preview.held else ""
            self.preview_pane.count(f"{len(preview.plan.lines)} sent{held}")

    def action_budget(self, step: int) -> None:
        """A smaller or larger budget, or (0) the policy's own."""
        if self.preview is None or self.view is None:
            return
        if step == 0:
            self.options = replace(self.options, budget=None)
            return
        asked = self.options.budget  # the plan may still be that of the key before
        now = self.preview.plan.budget if asked is None else asked
        wanted = max(
            0,
            (now + step * _STEP) // _STEP * _STEP if step > 0 else -(-now // _STEP) * _STEP - _STEP,
        )
        self.options = replace(self.options, budget=wanted)

    def action_next_host(self) -> None:
        """The next agent host."""
        self.options = replace(self.options, host=_after(HOSTS, self.options.host))

    def action_next_source(self) -> None:
        """The next way in which a session starts."""
        self.options = replace(self.options, source=_after(SOURCES, self.options.source))

    def action_copy_preview(self) -> None:
        """Copy what the session receives, byte for byte."""
        if self.preview is None or not self.preview.plan.text:
            self.say("there is nothing to copy: nothing would be sent")
            return
        text = self.preview.plan.text
        size = len(text.encode())
        what = f"the next session's text: {size} bytes, ~{self.preview.plan.tokens} tokens"
        self.memtui.copy_text(text, what)


def _after(values: tuple[str, ...], value: str) -> str:
    """The value after this one, around the end."""
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]
