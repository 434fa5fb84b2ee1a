"""The preview: budget, host, source, and the exact bytes for the clipboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from memtui.agents.instructions import Part
from memtui.agents.payload import RESUME, SOURCES
from memtui.inject.limits import LIMITS
from memtui.tui.docs import empty
from memtui.tui.docs.cost_rows import Place
from memtui.tui.docs.spans import Line
from memtui.tui.screens.base import BrowseBase
from memtui.tui.widgets.preview_pane import NextSession
from memtui.workspace.model import Preview, PreviewOptions

HOSTS = tuple(LIMITS)
_STEP = 50
_AT_ONCE = 1500
"""Cards that are ranked within one frame."""


class PreviewPart(BrowseBase):
    """What pane 5 shows and does."""

    files: Mapping[str, tuple[Part, ...]] = {}
    by_host: Mapping[str, Preview] = {}
    open_parts: frozenset[str] = frozenset()
    _compared: tuple[int, PreviewOptions] | None = None

    def replan(self) -> None:
        """Plan the next session again: at once, or in a worker where many cards would hold the loop."""
        view = self.view
        if view is None:
            self.preview_list.say(self._without_bank())
        elif len(view.cards) <= _AT_ONCE:
            self._take_plan(self.core.preview(view, self.options))
        else:
            self.call_after_refresh(self._plan_apart)

    def _plan_apart(self) -> None:
        """The list that the bank changed is painted first."""
        if self.view is not None:
            work = partial(self.core.preview, self.view, self.options)
            self.jobs.run("plan", "planning the next session", work, self._take_plan)

    def _take_plan(self, preview: Preview) -> None:
        self.preview = preview
        self.compare_hosts()

    def _without_bank(self) -> list[Line]:
        if self.core.bank_root is None:
            return empty.no_bank(self.key_of)
        return empty.READING_BANK

    def watch_options(self) -> None:
        """Another host, source or budget."""
        self.replan()

    def watch_preview(self) -> None:
        """Show the new plan."""
        if self.preview is not None and self.view is not None:
            place = Place(self.core.home, self.core.project_root)
            self.preview_pane.show(
                NextSession(
                    self.preview, self.view, self.files, self._others(), self.open_parts, place
                )
            )
            self.count_preview()

    def _others(self) -> Mapping[str, Preview]:
        """The hosts beside each other, the chosen one as it is now."""
        if self.preview is None or not self.by_host:
            return {}
        return {**self.by_host, self.preview.options.host: self.preview}

    def look_at_files(self) -> None:
        """Read what each host sends before memtui's block, in a worker."""
        if self.core.bank_root is None:
            return

        def work() -> Mapping[str, tuple[Part, ...]]:
            return {host: self.core.agents.starting_files(host) for host in HOSTS}

        self.jobs.run("files", "reading the instruction files", work, self._take_files)

    def _take_files(self, files: Mapping[str, tuple[Part, ...]]) -> None:
        if files != self.files:
            self.files = files
            self.watch_preview()

    def compare_hosts(self) -> None:
        """Plan for every host where they have room side by side, in a worker."""
        view, options = self.view, self.options
        if view is None or not self.preview_pane.compares:
            return
        asked = (view.serial, replace(options, host=""))
        if self._compared == asked:
            return
        self._compared = asked

        def work() -> Mapping[str, Preview]:
            found = {}
            for host in HOSTS:
                asked = self.core.agents.resumed(replace(options, host=host))
                found[host] = self.core.preview(view, asked)
            return found

        self.jobs.run("hosts", "planning for every host", work, self._take_hosts)

    def _take_hosts(self, found: Mapping[str, Preview]) -> None:
        self.by_host = found
        self.watch_preview()

    def look_at_context(self) -> None:
        """Find out what a resumed session has already, in a worker; other sources begin anew."""
        if self.options.source == RESUME and self.core.bank_root is not None:
            options = self.options
            work = partial(self.core.agents.resumed, options)
            use = partial(self._take_context, options)
            self.jobs.run("context", "reading what the session has", work, use)

    def _take_context(self, asked: PreviewOptions, found: PreviewOptions) -> None:
        if (asked.host, asked.source) == (self.options.host, self.options.source):
            self.options = replace(self.options, seen=found.seen, resumes=found.resumes)

    def toggle_part(self, kind: str) -> None:
        """Open or close a group of files."""
        self.open_parts = self.open_parts ^ {kind}
        self.watch_preview()

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
        self.look_at_files()
        host = _after(HOSTS, self.options.host)
        self.options = replace(self.options, host=host, seen=frozenset(), resumes="")
        self.look_at_context()

    def action_next_source(self) -> None:
        """The next way in which a session starts."""
        source = _after(SOURCES, self.options.source)
        self.options = replace(self.options, source=source, seen=frozenset(), resumes="")
        self.look_at_context()

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
