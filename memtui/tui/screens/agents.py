"""What agents received: receipts settled in the background, deliveries of a session, the past of a card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from memtui.sessions.timeline import SessionRow
from memtui.tui.docs.document import Block, Document
from memtui.tui.docs.turn_doc import session_document
from memtui.tui.docs.why_doc import why_document
from memtui.tui.screens.base import BrowseBase
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.trail import SessionSubject
from memtui.workspace.model import ItemView, PastDecision

if TYPE_CHECKING:
    from memtui.agents.receipts import Delivery
    from memtui.recall.model import Explanation

_LATER = 0.6
"""Seconds after which a grown transcript is asked what it shows of deliveries."""


@dataclass(slots=True)
class _Known:
    """What workers found out about an item so far; None is still being read."""

    past: tuple[PastDecision, ...] | None = None
    search: tuple[Block, ...] = ()


class AgentsPart(BrowseBase):
    """Reads what the hooks left and what became of it."""

    _receipts: Timer | None = None

    def settle_receipts(self, *, later: bool = False) -> None:
        """Take in what hooks left and compare it with the transcripts, in a worker.

        `later` is for transcripts that grow: many records make one look.
        """
        if self.core.bank_root is None:
            return
        if later:
            if self._receipts is None:
                self._receipts = self.set_timer(_LATER, self.settle_receipts)
            return
        self._receipts = None
        work = self.core.agents.settle
        self.jobs.run("receipts", "reading the deliveries", work, self._settled_receipts)

    def _settled_receipts(self, _: object) -> None:
        if isinstance(self.subject, SessionSubject):
            self.show_subject(self.subject)
        self.refresh_bars()

    def session_shown(self, session: SessionRow, told: str) -> Document:
        """What is known of a session at once; its deliveries follow from a worker."""
        shown = session_document(session, self.glyphs, self.core.clock(), told)
        if self.core.bank_root is not None and not session.agent:
            use = partial(self._show_deliveries, SessionSubject(session.session), shown)
            work = partial(self.core.agents.deliveries, session.ref)
            self.jobs.run("deliveries", "reading the deliveries", work, use)
        return shown

    def _show_deliveries(
        self, subject: SessionSubject, shown: Document, deliveries: tuple[Delivery, ...]
    ) -> None:
        from memtui.tui.docs.delivery_doc import delivery_blocks

        if self.subject == subject:
            blocks = (*shown.blocks, *delivery_blocks(deliveries, self.glyphs))
            self.detail_pane.show(replace(shown, blocks=blocks), "session")

    def ask_why(self, found: ItemView) -> None:
        """Why the item is shown or held back next time, in past sessions and by the last search."""
        known = _Known()
        paper = PaperScreen(f"Why  {found.item.id}", self._why(found, known))
        self.app.push_screen(paper)

        def take_past(past: tuple[PastDecision, ...]) -> None:
            known.past = past
            paper.update(self._why(found, known))

        work = partial(self.core.agents.past, found.item.id)
        self.jobs.run("past", "reading the log of past sessions", work, take_past)
        recalling = self.core.recalling
        if recalling is None or recalling.last is None:
            return

        def take_search(asked: Explanation) -> None:
            from memtui.tui.docs.recall_doc import search_blocks

            known.search = tuple(search_blocks(asked, self.glyphs))
            paper.update(self._why(found, known))

        search = partial(recalling.explain, found.item.id, recalling.last)
        self.jobs.run("why", "asking the search", search, take_search)

    def _why(self, found: ItemView, known: _Known) -> Document:
        claims = self.core.claims(self.view, found) if self.view is not None else ()
        text = why_document(found, self.preview, self.glyphs, claims, known.past)
        return replace(text, blocks=(*text.blocks, *known.search))
