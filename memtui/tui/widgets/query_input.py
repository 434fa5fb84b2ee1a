"""The input of a query: Enter leaves it at once, so that the next key goes where it is meant to."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.widgets import Input

from memtui.tui.docs.clean import body_of


class QueryInput(Input):
    """An input whose Enter calls `entered` on the spot: as a binding it would come after the next key."""

    def __init__(self, entered: Callable[[], None], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, compact=True, select_on_focus=False)
        self._entered = entered

    def validate_value(self, value: str) -> str:
        """What is pasted, or taken from the log, is drawn as it stands: without control characters."""
        return body_of(value).replace("\n", " ")

    async def _on_key(self, event: events.Key) -> None:
        if self.screen.focused is not self:
            # It was on its way here when Enter left: it belongs to what has the focus now.
            event.stop()
            event.prevent_default()
            self.app.post_message(events.Key(event.key, event.character))
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self._entered()
