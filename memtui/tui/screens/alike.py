"""The cards that say nearly the same, below the evidence of the one that is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memtui.tui.docs.spans import Line
from memtui.tui.rows import Row
from memtui.tui.screens.base import BrowseBase
from memtui.workspace.model import ItemView

if TYPE_CHECKING:
    from memtui.recall.model import Similar
    from memtui.workspace.recalling import Recalling

SHOWN = 5


class AlikePart(BrowseBase):
    """Looks for them in a worker, once for each card and state of the bank."""

    _alike_to: tuple[str, int] | None = None
    alike: tuple[Similar, ...] = ()

    def look_for_alike(self, card: ItemView) -> None:
        """Look for what is like a card; `take_alike` follows."""
        recalling, view = self.core.recalling, self.view
        wanted = (card.item.id, view.serial if view is not None else 0)
        if recalling is None or wanted == self._alike_to:
            return
        self._alike_to, self.alike = wanted, ()
        work = partial(_similar, recalling, card.item.id)
        self.jobs.run(
            "alike", "looking for similar cards", work, partial(self._found_alike, wanted)
        )

    def _found_alike(self, wanted: tuple[str, int], found: tuple[Similar, ...]) -> None:
        if wanted == self._alike_to and found:
            self.alike = found
            self.take_alike(wanted[0])

    def take_alike(self, item: str) -> None:
        """They were found: show them."""
        raise NotImplementedError

    def rows_alike(self, item: str) -> list[Row]:
        """Their rows, if they belong to this item."""
        if self._alike_to is None or self._alike_to[0] != item:
            return []
        # Search is not imported before the first paint.
        from memtui.tui.docs.alike_rows import alike_rows

        return alike_rows(self.alike, self.glyphs)

    def count_alike(self, item: str) -> Line:
        """How many there are, for the head of the list."""
        count = len(self.rows_alike(item))
        return [(f"  {self.glyphs.alike} {count} similar", "muted")] if count else []


def _similar(recalling: Recalling, item: str) -> tuple[Similar, ...]:
    from memtui.recall.corpus import CorpusError

    try:
        return tuple(recalling.similar(item, SHOWN))
    except (KeyError, CorpusError):
        # The index is not there yet or lacks the card: the status bar says that it is behind.
        return ()
