"""Cards and pages: filter, facets and order."""

from __future__ import annotations

from dataclasses import replace

from textual import on

from memtui.tui.docs import empty
from memtui.tui.docs.item_rows import ItemRows
from memtui.tui.docs.spans import Line
from memtui.tui.listing import SORTS, ListQuery, facet_counts, select
from memtui.tui.screens.base import BrowseBase
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.line_list import LineList
from memtui.tui.widgets.pages_pane import PagesPane
from memtui.workspace.model import ItemView

_ALL = "all"


class ListsPart(BrowseBase):
    """What panes 2 and 3 show."""

    def show_items(self) -> None:
        """Fill both lists from the bank, keeping cursor, marks and scroll."""
        self._fill(self.cards_list, self.cards_query, self.view.cards if self.view else ())
        self._fill(self.pages_list, self.pages_query, self.view.pages if self.view else ())

    def _fill(self, rows: LineList, query: ListQuery, views: tuple[ItemView, ...]) -> None:
        shown = select(views, query)
        rows.say(self._empty(rows, query, bool(views)))
        rows.show(ItemRows(shown, self.glyphs, query.terms))
        pane = self.pages_pane if rows is self.pages_list else self.cards_pane
        pane.entitle(query.said)
        self.lay_out()

    def _empty(self, rows: LineList, query: ListQuery, any_views: bool) -> list[Line]:
        if self.view is None:
            if self.core.bank_root is None:
                return empty.no_bank(self.key_of)
            return empty.READING_BANK
        if any_views and query.narrows:
            return empty.NOTHING_MATCHES
        if rows is self.pages_list:
            return empty.no_pages(self.key_of, bool(self.view.cards))
        return empty.no_cards(self.key_of, not self.scanned or len(self.sessions_list) > 0)

    def watch_cards_query(self) -> None:
        """Show what the new query says."""
        self.show_items()
        self.refresh_bars()

    def watch_pages_query(self) -> None:
        """Show what the new query says."""
        self.show_items()
        self.refresh_bars()

    def _query(self) -> ListQuery:
        return self.pages_query if isinstance(self.pane, PagesPane) else self.cards_query

    def _set_query(self, query: ListQuery) -> None:
        if isinstance(self.pane, PagesPane):
            self.pages_query = query
        else:
            self.cards_query = query

    def set_filter(self, words: str) -> None:
        """Other words in the filter of the current list."""
        self._set_query(replace(self._query(), words=words.strip()))

    def unfilter(self, rows: LineList) -> None:
        """Show all rows of a list again."""
        if rows is self.pages_list:
            self.pages_query = ListQuery(sort=self.pages_query.sort)
        else:
            self.cards_query = ListQuery(sort=self.cards_query.sort)

    def action_filter(self) -> None:
        """Ask for the words of the filter."""
        name = "pages" if isinstance(self.pane, PagesPane) else "cards"
        hint = "words of title, tags, type or state"
        self.input_line.ask("filter", f"filter {name}", self._query().words, hint)

    @on(InputLine.Typed)
    def _filter_typed(self, message: InputLine.Typed) -> None:
        if message.purpose == "filter":
            self.set_filter(message.text)

    @on(InputLine.Done)
    def _filter_done(self, message: InputLine.Done) -> None:
        if message.purpose == "filter":
            self.set_filter(message.text)
            self.give(self.pane.main())

    def action_sort(self) -> None:
        """Choose an order."""
        query = self._query()
        keys = {"trust": "t", "newest": "n", "oldest": "o", "title": "a", "type": "y", "state": "s"}
        choices = [
            Choice(name, label, key=keys[name], chosen=name == query.sort)
            for name, (label, _) in SORTS.items()
        ]

        def chosen(name: str | None) -> None:
            if name is not None:
                self._set_query(replace(self._query(), sort=name))

        self.app.push_screen(MenuScreen("Order", choices), chosen)

    def item_facets(self) -> None:
        """Choose facets of cards or pages; choosing one again takes it away."""
        view = self.view
        if view is None:
            return
        query = self._query()
        views = view.pages if isinstance(self.pane, PagesPane) else view.cards
        choices = [Choice(_ALL, "everything", f"{len(views)}", chosen=not query.facets)]
        for group, value, count in facet_counts(views):
            held = (group, value) in query.facets
            choices.append(Choice(f"{group}:{value}", f"{group}  {value}", f"{count}", chosen=held))

        def chosen(name: str | None) -> None:
            if name is None:
                return
            group, _, value = name.partition(":")
            facets = frozenset() if name == _ALL else query.facets ^ {(group, value)}
            self._set_query(replace(self._query(), facets=facets))

        self.app.push_screen(MenuScreen("Show only", choices), chosen)
