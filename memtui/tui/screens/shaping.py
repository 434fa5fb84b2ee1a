"""The verbs that need a look first: merge, compile, rebuild, supersede, purge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memtui.bank.model import Card, Item, Page, Status
from memtui.curate import verbs
from memtui.curate.act import ActResult, CurateError
from memtui.reasons import ABSENT
from memtui.tui.acting import Deed
from memtui.tui.asking import refusal
from memtui.tui.docs.clean import line_of
from memtui.tui.screens.ask import Answer, AskScreen
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.pick import NEW, PickScreen
from memtui.tui.screens.promoting import PromotingPart, with_editor

if TYPE_CHECKING:
    from memtui.curate.clusters import Cluster
    from memtui.curate.compile import PageDraft, RebuildPlan
    from memtui.curate.curator import Curator
    from memtui.curate.draft import Draft
    from memtui.curate.purge import Receipt
    from memtui.tui.wish import Wish
    from memtui.workspace.curating import Done
    from memtui.workspace.model import BankView, ItemView


class ShapingPart(PromotingPart):
    """What `m`, `C`, `x` and `D` do."""

    def take_done(self, done: Done) -> None:
        """Besides what happened: which pages lost support for a sentence by it."""
        before = self._unsupported()
        super().take_done(done)
        for page, lost in self._unsupported().items():
            more = lost - before.get(page, lost)
            found = self.view.find(page) if self.view is not None else None
            # A page that was itself changed or taken back lost nothing by somebody else.
            if more > 0 and found is not None and f"page:{page}" not in done.result.items:
                title = line_of(found.item.title or found.item.name, 60)
                what = "a sentence" if more == 1 else f"{more} sentences"
                self.memtui.tell(f"{title} lost the support of {what}: w there says which")

    def _unsupported(self) -> dict[str, int]:
        """How many claims of each active page no card supports."""
        view = self.view
        if view is None:
            return {}
        return {
            page.item.id: sum(not claim.holds for claim in self.core.claims(view, page))
            for page in view.pages
            if page.item.status is Status.ACTIVE
        }

    def shown_item(self, done: Done) -> None:
        """Go to the card or page that an act made."""
        made = self.view.find(done.result.details.get("id", "")) if self.view else None
        if made is not None:
            self.go_to_item(made)

    def _clear(self, found: Sequence[ItemView], done: Done) -> None:
        """The marks of what was used go; the cursor goes to what was made."""
        for rows in (self.cards_list, self.pages_list):
            rows.unmark(view.item.id for view in found)
        self.shown_item(done)

    # Merge

    def action_merge(self) -> None:
        """Merge the marked cards or pages."""
        self.merge_items(self.targets())

    def merge_items(self, found: Sequence[ItemView]) -> None:
        """Show the sources beside the proposal."""
        view = self.view
        cards = [one.item for one in found if isinstance(one.item, Card)]
        pages = [one.item for one in found if isinstance(one.item, Page)]
        if view is None or len(found) < 2 or (cards and pages):
            self.say("m merges two or more marked cards, or two or more marked pages: space marks")
            return
        then = partial(self._clear, tuple(found))
        if cards:
            from memtui.tui.screens.merge import MergeScreen

            screen = MergeScreen(self.core, cards, view.contents.events, then)
            self.app.push_screen(screen)
        else:
            self._merge_pages(view, pages, then)

    def _merge_pages(self, view: BankView, pages: Sequence[Page], then: partial[None]) -> None:
        from memtui.curate.merge import propose_page_merge
        from memtui.tui.screens.page import PageScreen

        absent = absent_of(view)
        try:
            draft = propose_page_merge(pages, view.contents, absent)
        except CurateError as error:
            self.say(refusal(error, "merge"), "warning")
            return
        events = view.contents.events

        def save(curator: Curator, made: PageDraft, _: str) -> ActResult:
            return verbs.merge_pages(curator, pages, made, events)

        ids = dict.fromkeys(source for page in pages for source in page.sources)
        cards = [found for one in ids if (found := view.find(one)) is not None]
        left = {one: absent[one] for one in ids if one in absent}
        self.app.push_screen(
            PageScreen(
                self.core, cards, left, save, then,
                title=draft.title, kind=draft.type, asks=False, beside=pages,
            )
        )  # fmt: skip

    # Compile

    def action_compile(self) -> None:
        """A page from the marked cards or a suggested cluster; on a page, rebuild it."""
        found = self.targets()
        marked = len(found) > 1 or bool(found and found[0].item.id in self.cards_list.marks)
        if found and isinstance(found[0].item, Page):
            self.compile_items(found[:1])
        elif marked:
            self.compile_items(found)
        else:
            self._suggest(found)

    def compile_items(self, found: Sequence[ItemView]) -> None:
        """A page from these cards, or a page of them anew."""
        page = next((one.item for one in found if isinstance(one.item, Page)), None)
        if self.view is None or not found:
            self.say("C compiles marked cards into a page: space marks")
        elif page is not None:
            self._rebuild(self.view, page)
        else:
            self._preview_page(self.view, found)

    def _preview_page(self, view: BankView, cards: Sequence[ItemView]) -> None:
        absent = absent_of(view)
        left = {card.item.id: absent[card.item.id] for card in cards if card.item.id in absent}
        if len(left) == len(cards):
            self.say("none of these cards holds: promote or confirm one first", "warning")
            return
        from memtui.tui.screens.page import PageScreen

        then = partial(self._clear, tuple(cards))
        self.app.push_screen(PageScreen(self.core, cards, left, _save_page, then))

    def _suggest(self, here: Sequence[ItemView]) -> None:
        """The clusters that could become a page, with their reasons."""
        view = self.view
        if view is None:
            return
        from memtui.curate.clusters import clusters

        found = clusters(view.contents, absent_of(view))
        choices = [
            Choice(str(at), line_of(one.subject, 40), _reason(one)) for at, one in enumerate(found)
        ]
        if here:
            title = line_of(here[0].item.title or here[0].item.name, 30)
            choices.append(Choice("here", "only this card", title))
        if not choices:
            self.say("no cards belong together yet: mark some with space, then C")
            return

        def chosen(value: str | None) -> None:
            if value == "here":
                self.compile_items(here)
            elif value is not None:
                cards = found[int(value)].cards
                self.compile_items([one for card in cards if (one := view.find(card.id))])

        self.app.push_screen(MenuScreen("Pages that could be made", choices), chosen)

    def _rebuild(self, view: BankView, page: Page) -> None:
        from memtui.curate.compile import plan_rebuild
        from memtui.tui.docs.page_doc import rebuild_document

        try:
            plan = plan_rebuild(page, view.contents, absent_of(view))
        except CurateError as error:
            self.say(refusal(error, "rebuild"), "warning")
            return
        names = {found.item.id: found.item.name for found in view.cards}
        shown = rebuild_document(plan, names, self.glyphs)
        answers = [Answer("y", "rebuilds the page", "yes")]
        self.app.push_screen(AskScreen("Rebuild", shown, answers), partial(self._rebuilt, plan))

    def _rebuilt(self, plan: RebuildPlan, answer: str | None) -> None:
        if answer is not None:
            self.acts.run(Deed("rebuild", partial(verbs.rebuild, plan=plan)))

    # Supersede

    def action_supersede(self) -> None:
        """Another card, or a new one, takes the place of this one."""
        found, view = self.targets(), self.view
        old = [one for one in found if isinstance(one.item, Card)]
        if view is None or not old:
            self.say("x lets another card take the place of a card: put the cursor on one")
            return
        taken = {one.item.id for one in old}
        from memtui.curate.similar import likeness, said, words

        own = words(said(old[0].item))
        away = absent_of(view)
        cards = [one for one in view.cards if one.item.id not in taken and one.item.id not in away]
        cards.sort(key=lambda one: (-likeness(own, words(said(one.item))), one.item.name))
        title = "Superseded by"
        new = "a new card: write it"
        self.app.push_screen(PickScreen(title, cards, new), partial(self._superseded, old))

    def _superseded(self, old: Sequence[ItemView], chosen: str | None) -> None:
        items = [one.item for one in old]
        new = self.view.find(chosen) if self.view is not None and chosen else None
        if chosen == NEW:
            work = with_editor(partial(_successor, old[0].item))
            self.jobs.run("draft", "opening the editor", work, partial(self._write_new, items))
        elif new is not None:
            verb = partial(_supersede, items, new)
            self.acts.run(Deed("supersede", verb, partial(self._clear, tuple(old))))

    def _write_new(self, old: Sequence[Item], draft: Draft) -> None:
        """Edit the card that takes the place of the old ones."""
        from memtui.tui.screens.draft import DraftScreen
        from memtui.workspace.drafting import Material

        if self.view is None:
            return
        ids = {item.id for item in old}
        contents = self.view.contents
        # What it replaces is no near-duplicate to be asked about.
        others = replace(contents, cards=tuple(c for c in contents.cards if c.id not in ids))

        def save(wish: Wish, saved: Callable[[], None], refused: Callable[[str], None]) -> None:
            whole = replace(wish, supersedes=(*old, *wish.supersedes))
            self._save_new(whole, saved, refused)

        title = "The card that takes its place"
        self.app.push_screen(DraftScreen(title, Material(draft, ()), others, save))

    # Purge

    def action_purge(self) -> None:
        """Erase the items for good, after asking."""
        found = self.targets()
        if found:
            self.purge_items(found)
        else:
            self.say("D purges cards and pages: put the cursor on one, or mark some")

    def purge_items(self, found: Sequence[ItemView]) -> None:
        """Show every place that holds them, then ask."""
        if self.view is not None:
            from memtui.tui.screens.purge import PurgeScreen

            self.app.push_screen(PurgeScreen(self.core, self.view, found), self._purged)

    def _purged(self, receipt: Receipt | None) -> None:
        if receipt is not None:
            count = len(receipt.items)
            what = receipt.items[0] if count == 1 else f"{count} items"
            self.say(f"purged {what}: {len(receipt.erased)} places erased, no undo")


def absent_of(view: BankView) -> dict[str, str]:
    """Why cards do not hold, by id: stale means absent, also from pages."""
    return {
        found.item.id: reasons[0]
        for found in view.cards
        if (reasons := [state.reason for state in found.states if state.reason in ABSENT])
    }


def _reason(cluster: Cluster) -> str:
    return f"{len(cluster.cards)} cards, {cluster.sessions} sessions"


def _save_page(curator: Curator, draft: PageDraft, override: str) -> ActResult:
    return verbs.compile_cards(curator, draft, override=override)


def _supersede(items: Sequence[Item], new: ItemView, curator: Curator) -> ActResult:
    return verbs.supersede(curator, items, new.item)


def _successor(old: Item) -> Draft:
    """A draft that says what the old card says, to be changed; what it cites is for the old one."""
    from memtui.curate.draft import Draft

    return Draft(
        title=old.title,
        body=old.body,
        type=old.type,
        tags=old.tags,
        scope=old.scope,
        importance=old.importance,
        origin="human",
    )
