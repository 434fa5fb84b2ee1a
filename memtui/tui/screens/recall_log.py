"""The retrieval log: every search of terminal, hooks and agents, and those that found nothing."""

from __future__ import annotations

from functools import partial

from memtui.ledger.model import RetrievalRecord
from memtui.tui.docs.document import Document
from memtui.tui.docs.lab_rows import log_document, log_rows
from memtui.tui.rows import FixedRows
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.recall_base import LOG, MEMORY
from memtui.tui.screens.recall_lab import LabPart

_FACETS = {
    "all": ("every search", "a"),
    "nothing": ("searches that found nothing", "n"),
    "terminal": ("from the terminal", "t"),
    "hook": ("from hooks", "h"),
    "mcp": ("from agents' tools", "m"),
}


class LogPart(LabPart):
    """What the log shows and does."""

    def action_log(self) -> None:
        """Show the log, or the results again."""
        if self.what == LOG:
            self.what = MEMORY
            self.show_rows()
            self.refresh_bars()
            return
        self.what = LOG
        self.read_log()
        self.give(self.results_list)

    def read_log(self) -> None:
        """Read the log in a worker."""
        recalling = self.core.recalling
        if recalling is None:
            self._take_log([])
            return
        self.results_list.say([[("reading the log", "muted")]])
        self.jobs.run("read-log", "reading the log", recalling.retrievals, self._take_log)

    def _take_log(self, records: list[RetrievalRecord]) -> None:
        self.records = tuple(records)
        if self.what == LOG:
            self.show_rows()
            self.refresh_bars()

    def logged(self) -> list[RetrievalRecord]:
        """The searches that the facet lets through."""
        return [record for record in self.records if _passes(record, self.facet)]

    def show_log(self) -> None:
        """The searches, newest first."""
        shown = self.logged()
        empty = "nothing was searched yet" if not self.records else "none of this kind"
        self.results_list.say([[(empty, "muted")]])
        self.results_list.show(FixedRows(log_rows(shown, self.core.clock(), self.glyphs)))
        label = "" if self.facet == "all" else _FACETS[self.facet][0]
        self.results_pane.entitle(label, name="Log")

    def log_record(self) -> RetrievalRecord | None:
        """The search under the cursor."""
        key = self.results_list.key
        if not isinstance(key, tuple) or key[0] != "log":
            return None
        return next((record for record in self.records if record.id == key[1]), None)

    def log_text(self) -> Document:
        """The text about the search under the cursor."""
        record = self.log_record()
        if record is None:
            return Document("", "")
        view = self.view
        items = view.by_id if view is not None else {}
        titles = {handle: found.item.title for handle, found in items.items()}
        return log_document(record, titles, self.glyphs)

    def ask_again(self) -> None:
        """Search for what the search under the cursor was about."""
        record = self.log_record()
        if record is not None:
            self.what = MEMORY
            self.field.value = record.query

    def action_facets(self) -> None:
        """Choose which searches are listed."""
        choices = [
            Choice(
                name,
                label,
                f"{sum(_passes(record, name) for record in self.records)}",
                key=key,
                chosen=name == self.facet,
            )
            for name, (label, key) in _FACETS.items()
        ]
        self.app.push_screen(MenuScreen("Show only", choices), partial(self._show_only))

    def _show_only(self, name: str | None) -> None:
        if name is not None:
            self.facet = name
            self.show_rows()
            self.refresh_bars()


def _passes(record: RetrievalRecord, facet: str) -> bool:
    if facet == "all":
        return True
    return record.empty if facet == "nothing" else record.origin == facet
