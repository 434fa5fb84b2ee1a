"""What every view (a screen behind F2 to F7) offers to the app around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, cast

from textual.screen import Screen
from textual.widget import Widget

from memtui.tui.actions import BY_ID
from memtui.tui.glyphs import Glyphs, glyphs_of

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.workspace.inbox import InboxView

Severity = Literal["information", "warning", "error"]


class ViewScreen(Screen[None]):
    """A view: it says which keys work where the focus is, and speaks through its status bar."""

    VIEW: ClassVar[str] = ""

    last: str = ""

    @property
    def memtui(self) -> MemtuiApp:
        """The app, with its own attributes."""
        return cast("MemtuiApp", self.app)

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        return glyphs_of(self.app)

    def key_of(self, action: str) -> str:
        """The key of an action of the registry, as it is shown."""
        return self.memtui.keymap.shown(BY_ID[action], self.memtui.ascii_only)

    def _compositor_refresh(self) -> None:
        """Render nothing that a batch of updates would throw away: what is dirty stays so."""
        if not self.app._batch_count:
            super()._compositor_refresh()

    def give(self, widget: Widget) -> None:
        """Give the focus at once: `Widget.focus` waits, and the next key would go astray."""
        self.set_focus(widget, scroll_visible=False)

    def scopes(self) -> tuple[str, ...]:
        """The scopes of the action registry in which the focus stands, for footer and help."""
        raise NotImplementedError

    def refresh_bars(self) -> None:
        """Header, status bar and footer say how things are now."""
        raise NotImplementedError

    def take_inbox(self, found: InboxView) -> None:
        """Something waits in the inbox, or waits no longer."""
        self.refresh_bars()

    def say(self, text: str, severity: Severity = "information") -> None:
        """Tell the user: a toast, and the end of the status bar. Never markup."""
        self.last = text
        self.memtui.tell(text, severity)
        self.refresh_bars()
