"""Header, status bar and key line of the Browse view."""

from __future__ import annotations

from memtui.bank.model import Problem
from memtui.tui.docs.bars import (
    bank_parts,
    events_part,
    fitting,
    footer_parts,
    header_line,
    note_part,
    polling_part,
    progress_part,
    sleep_part,
    waiting_part,
)
from memtui.tui.docs.clean import line_of
from memtui.tui.screens.find import FindPart
from memtui.tui.views import header_views
from memtui.tui.widgets.detail_pane import DetailPane
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.lines import Lines, Part
from memtui.tui.widgets.pane import Pane
from memtui.workspace.model import BankView

_ALL_TABS = 64
"""Cells in which the titles of all panes have room."""


class BarsPart(FindPart):
    """What the bars say."""

    _counted: tuple[BankView | None, bool, list[Part]] | None = None

    def problems(self) -> list[Problem]:
        """Everything in the bank's files that could not be read as meant."""
        return list(dict.fromkeys(self.view.contents.problems)) if self.view is not None else []

    def scopes(self) -> tuple[str, ...]:
        """Where the focus is, for footer and help."""
        if not self.query_one("#body").display:
            return ("app",)
        focused = self.focused
        listed = (
            ("list",) if isinstance(focused, LineList) or isinstance(self.pane, DetailPane) else ()
        )
        return (self.pane.SCOPE, *listed, "browse", "app")

    def refresh_bars(self) -> None:
        """Draw the three bars."""
        if not self.is_mounted:
            return
        width = self.app.size.width
        self._header(width)
        self._status(width)
        limit = 4 if width < 80 else 7
        keymap, ascii_only = self.memtui.keymap, self.memtui.ascii_only
        parts = footer_parts(self.scopes(), keymap, width, limit, ascii_only)
        self.query_one("#footer", Lines).show_parts(parts)

    def _header(self, width: int) -> None:
        head = self.query_one("#header", Lines)
        if self.has_class("-single"):
            tabs = [self._tab(pane, width) for pane in self.query(Pane)]
            head.show_parts(tabs, " ")
            return
        crumbs = [*self.trail.labels, self.here_label()] if self.trail else []
        place = (self.core.project, self.core.branch)
        views = header_views("browse")
        head.show([header_line(views, place, crumbs, width, self.glyphs)])

    def _tab(self, pane: Pane, width: int) -> Part:
        """A pane's title where one pane is shown at a time."""
        here = pane is self.pane
        name = f" {pane.NUMBER} {pane.NAME} " if here or width >= _ALL_TABS else f" {pane.NUMBER} "
        return Part(((name, "chip" if here else "muted"),), f"screen.pane({pane.NUMBER})")

    def _bank_parts(self, narrow: bool) -> list[Part]:
        """Name and counts; counting all cards again for each key would be felt."""
        view = self.view
        if self._counted is None or self._counted[0] is not view or self._counted[1] != narrow:
            self._counted = view, narrow, bank_parts(view, self.core.bank_name, narrow)
        return self._counted[2]

    def _status(self, width: int) -> None:
        glyphs = self.glyphs
        parts: list[Part | None] = list(self._bank_parts(width < 80))
        query = self.pages_query if self.pane is self.pages_pane else self.cards_query
        mode = self.core.watching.mode
        parts.insert(min(1, len(parts)), polling_part(mode))
        if self.progress is not None:
            paused = self.key_of("pause") if self.paused else ""
            parts.insert(0 if width < 80 else 1, progress_part(self.progress, glyphs, paused))
        sleeping = self.memtui.upkeep.progress
        if sleeping is not None:
            parts.insert(0 if width < 80 else 1, sleep_part(sleeping, glyphs))
        waiting = waiting_part(self.memtui.upkeep.inbox, width < 120)
        parts.insert(min(1, len(parts)), waiting)
        if query.narrows and self.pane in (self.cards_pane, self.pages_pane):
            parts.append(
                Part(((f" {query.said} ", "chip"), (" esc clears", "faint")), "screen.back")
            )
        if self.words and self.pane is self.sessions_pane:
            words = self.find_text()
            parts.append(
                Part(((f" find {words} ", "chip"), (" n N", "faint")), "screen.find_next(1)")
            )
        if self.text_share < 1.0 and self.progress is None:
            share = f"full text: {self.text_share:.0%} read"
            parts.append(Part(((share, "warn" if self.words else "muted"),)))
        notes = self.core.status()
        parts.append(note_part(notes, len(self.problems()), glyphs))
        quiet = next((note.text for note in notes if note.level == "ok"), "")
        if quiet:
            parts.append(Part(((f"{glyphs.verified} {line_of(quiet, 40)}", "ok"),)))
        parts += [
            Part(((line_of(note.text, 60), "faint"),), "screen.problems")
            for note in notes
            if note.level == "info"
        ]
        if self.last:
            parts.append(Part(((line_of(self.last, 60), "faint"),)))
        parts.append(events_part(mode))
        self.query_one("#status", Lines).show_parts(fitting(parts, width))
