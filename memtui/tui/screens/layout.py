"""The five panes on one screen: which are visible at which size, and how the focus goes around."""

from __future__ import annotations

from textual import events
from textual.widget import Widget

from memtui.tui.screens.walk import WalkPart
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pane import Pane

_WORDS = 8
"""Rows in which an empty pane has room to say what it is for."""


class LayoutPart(WalkPart):
    """Layout and focus."""

    zoomed = False
    side = "detail"
    preview_hidden = False

    @property
    def _is_tiny(self) -> bool:
        return self.app.size.width < 40 or self.app.size.height < 12

    @property
    def _is_small(self) -> bool:
        """Whether detail and preview share one place."""
        return self.app.size.width < 120

    def lay_out(self) -> None:
        """Show the panes that have room: all, or one beside the lists, or the current one alone."""
        current = self.pane
        single = self.zoomed or self._is_tiny
        low = self.app.size.height < 18
        self.set_class(single, "-single")
        self.set_class(self._is_tiny, "-tiny")
        in_lists = (self.sessions_pane, self.cards_pane, self.pages_pane)
        active = next((pane for pane in in_lists if pane.has_class("-active")), self.cards_pane)
        for pane in in_lists:
            pane.display = pane is current if single else pane is active or not low
        self.query_one("#lists").display = not single or current in in_lists
        roomy = 120 <= self.app.size.width < 180 and self.app.size.height >= 28 and not single
        tall = len(self.pages_list) + 2 if len(self.pages_list) else _WORDS
        self.pages_pane.styles.max_height = max(4, tall) if roomy else None
        if single:
            self.detail_pane.display = current is self.detail_pane
            self.preview_pane.display = current is self.preview_pane
        elif self._is_small:
            self.detail_pane.display = self.side == "detail"
            self.preview_pane.display = self.side == "preview"
        else:
            self.detail_pane.display = True
            self.preview_pane.display = not self.preview_hidden

    def on_resize(self, event: events.Resize) -> None:
        """Another size, another layout."""
        self.lay_out()
        self.call_after_refresh(self.refresh_bars)
        self.call_after_refresh(self.compare_hosts)

    def reveal(self, pane: Widget) -> None:
        """Make a pane the current one and visible, whatever the layout hides."""
        if not isinstance(pane, Pane):
            return
        self._pane = pane
        if pane is self.detail_pane or pane is self.preview_pane:
            self.side = "detail" if pane is self.detail_pane else "preview"
            if pane is self.preview_pane:
                self.preview_hidden = False
        else:
            for other in (self.sessions_pane, self.cards_pane, self.pages_pane):
                other.set_class(other is pane, "-active")
        self.lay_out()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the current one; the detail pane follows its cursor."""
        pane = next((p for p in event.widget.ancestors if isinstance(p, Pane)), None)
        if pane is None:
            return
        self.reveal(pane)
        if isinstance(event.widget, LineList):
            self.follow_cursor(event.widget)
        self.refresh_bars()

    def action_pane(self, number: int) -> None:
        """Go to a pane by its number."""
        for pane in self.query(Pane):
            if number == pane.NUMBER:
                self.reveal(pane)
                self.give(pane.main())

    def action_cycle(self, step: int) -> None:
        """Go to the next or previous pane; the list under the detail text is a stop of its own."""
        stops: list[Widget] = []
        for pane in self.query(Pane):
            stops.append(pane.main())
            if pane is self.detail_pane and self.detail_pane.supported:
                stops.append(self.support_list)
        here = stops.index(self.focused) if self.focused in stops else 0
        target = stops[(here + step) % len(stops)]
        self.reveal(next(p for p in target.ancestors if isinstance(p, Pane)))
        self.give(target)

    def action_zoom(self, alone: bool) -> None:
        """Show the current pane alone, or all of them."""
        self.zoomed = alone
        self.lay_out()
        self.call_after_refresh(self.compare_hosts)
        self.refresh_bars()

    def action_toggle_preview(self) -> None:
        """Show the next session in place of the detail pane, or hide it where both have room."""
        if self._is_small:
            self.side = "detail" if self.side == "preview" else "preview"
            if self.pane in (self.detail_pane, self.preview_pane):
                pane = self.detail_pane if self.side == "detail" else self.preview_pane
                self.reveal(pane)
                self.give(pane.main())
        else:
            self.preview_hidden = not self.preview_hidden
            if self.preview_hidden and self.pane is self.preview_pane:
                self.give(self.cards_list)
        self.lay_out()

    def _active_list(self) -> LineList:
        lists = (self.sessions_list, self.cards_list, self.pages_list)
        return next(
            (one for one in lists if one.parent and one.parent.has_class("-active")), lists[1]
        )
