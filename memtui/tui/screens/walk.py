"""Detail pane and provenance walk: page claim, card, evidence, the very record, and back."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from textual import on
from textual.widget import Widget

from memtui.bank.model import Page
from memtui.sessions.rows import Facet
from memtui.sessions.timeline import TimelineRow
from memtui.sessions.turn import TurnDetail
from memtui.tui.docs import empty
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.document import Document
from memtui.tui.docs.item_doc import item_document
from memtui.tui.docs.item_rows import (
    check_span,
    letter,
)
from memtui.tui.docs.preview_rows import handle_of
from memtui.tui.docs.spans import Line
from memtui.tui.docs.support import (
    citation_rows,
    claim_rows,
    evidence_rows,
    excerpt_document,
)
from memtui.tui.docs.timeline_rows import HEADING, TimelineRows
from memtui.tui.docs.turn_doc import turn_document
from memtui.tui.rows import Row
from memtui.tui.screens.agents import AgentsPart
from memtui.tui.screens.alike import AlikePart
from memtui.tui.trail import ExcerptSubject, ItemSubject, SessionSubject, Stop, Subject, TurnSubject
from memtui.tui.when import clock
from memtui.tui.widgets.line_list import LineList
from memtui.workspace.model import Check, EvidenceView, ItemView

DETAIL_DELAY = 0.04
"""Seconds that the cursor must rest before the detail pane follows."""


class WalkPart(AgentsPart, AlikePart):
    """What the detail pane shows, and the way down and back."""

    _waiting: int | None = None
    """The citation that is opened as soon as it has been checked."""

    @property
    def timeline_rows(self) -> TimelineRows | None:
        """The rows of pane 1 once there are any."""
        source = self.sessions_list.source
        return source if isinstance(source, TimelineRows) else None

    def timeline_row(self) -> TimelineRow | None:
        """The row under the cursor of pane 1."""
        rows = self.timeline_rows
        index = self.sessions_list.cursor
        return rows.timeline.row(index) if rows is not None and 0 <= index < len(rows) else None

    # What is under the cursor

    def subject_of(self, rows: LineList) -> Subject | None:
        """What the detail pane shows for the cursor of a list; None keeps what it shows."""
        key = rows.key
        if key is None:
            return None
        if rows is self.sessions_list and isinstance(key, tuple):
            session, seq = key
            return SessionSubject(session) if seq == HEADING else TurnSubject(session, seq)
        if rows is self.cards_list or rows is self.pages_list:
            return ItemSubject(str(key))
        if rows is self.preview_list and handle_of(key):
            return ItemSubject(handle_of(key))
        return None

    def follow_cursor(self, rows: LineList) -> None:
        """Show what the cursor rests on, a moment later."""
        if self._detail_timer is not None:
            self._detail_timer.stop()
        self._detail_timer = self.set_timer(DETAIL_DELAY, partial(self._follow, rows))

    def _follow(self, rows: LineList) -> None:
        subject = self.subject_of(rows)
        if subject not in (None, self.subject) and not self._noted(subject):
            self.show_subject(subject)

    def _noted(self, subject: Subject) -> bool:
        """Whether the same turn is already shown with the note of a walk."""
        shown = self.subject
        return (
            isinstance(subject, TurnSubject)
            and isinstance(shown, TurnSubject)
            and (shown.session, shown.seq) == (subject.session, subject.seq)
        )

    def show_subject(self, subject: Subject) -> None:
        """Show a turn, session, card or page in the detail pane."""
        fresh = subject != self.subject
        self.subject = subject
        if isinstance(subject, ItemSubject):
            found = self.view.find(subject.id) if self.view else None
            if found is not None:
                self._show_item(found, fresh)
            elif self.view is not None:  # its file was removed
                self.subject = None
                self._put(empty.nothing_shown(), "")
        elif isinstance(subject, TurnSubject):
            work = partial(self.core.turn, subject.session, subject.seq)
            self.jobs.run("detail", "reading the turn", work, partial(self._show_turn, subject))
        elif isinstance(subject, SessionSubject):
            rows = self.timeline_rows
            index = rows.find((subject.session, HEADING)) if rows else None
            if rows is not None and index is not None:
                session = rows.timeline.row(index).session
                told = rows.outcome(session)
                self._put(self.session_shown(session, told), "session")
        elif subject.index < len(self.support):
            self._put(
                excerpt_document(self.support[subject.index], subject.index, self.glyphs),
                "kept excerpt",
            )

    def _put(self, shown: Document, noun: str) -> None:
        self.jobs.drop("detail")
        self.jobs.drop("support")
        self.detail_pane.show(shown, noun)
        self.detail_pane.rest_on(None, (), keep=False)

    def _show_turn(self, subject: TurnSubject, turn: TurnDetail) -> None:
        if self.subject == subject:
            self._put(turn_document(turn, self.glyphs, subject.note), "turn")

    def _show_item(self, found: ItemView, fresh: bool) -> None:
        self.jobs.drop("detail")
        noun = found.layer
        self.detail_pane.show(item_document(found, self.glyphs), noun)
        if isinstance(found.item, Page):
            self._show_claims(found, fresh)
        else:
            self._show_evidence(found, fresh)

    def _show_claims(self, page: ItemView, fresh: bool) -> None:
        view = self.view
        if view is None:
            return
        claims = self.core.claims(view, page)
        lost = sum(not claim.holds for claim in claims)
        head: Line = [(f"{len(claims)} claim{'' if len(claims) == 1 else 's'}", "heading")]
        if lost:
            head.append((f"  {self.glyphs.gone} {lost} unsupported", "state-absent"))
        self.detail_pane.rest_on(head, claim_rows(claims, self.glyphs), keep=not fresh)

    def _show_evidence(self, card: ItemView, fresh: bool) -> None:
        cited = card.item.evidence
        rows = citation_rows(cited, self.glyphs)
        title = f"evidence: {len(cited)} record{'' if len(cited) == 1 else 's'}"
        head: Line = [(title if cited else "evidence: none", "heading")]
        if fresh:
            self.support = ()
            self._waiting = None
        if fresh or not self.support:
            self._rest_on(card.item.id, head, rows, keep=not fresh)
        self.look_for_alike(card)
        if cited:
            work = partial(self.core.evidence, card)
            use = partial(self._show_checked, card.item.id)
            self.jobs.run("support", "checking the evidence", work, use)

    def _show_checked(self, item: str, evidence: tuple[EvidenceView, ...]) -> None:
        if not (isinstance(self.subject, ItemSubject) and self.subject.id == item):
            return
        self.support = evidence
        self._show_support(item)
        if self._waiting is not None and self.focused is self.support_list:
            self._open_evidence(self._waiting)

    def _show_support(self, item: str) -> None:
        """The checked citations, and what is alike."""
        evidence = self.support
        head: Line = [("evidence", "heading")]
        for check in Check:
            count = sum(one.check is check for one in evidence)
            if count:
                sign, tone = check_span(check, self.glyphs)
                head.append((f"  {sign} {count}", tone))
        self._rest_on(item, head, evidence_rows(evidence, self.glyphs), keep=True)

    def _rest_on(self, item: str, head: Line, rows: list[Row], *, keep: bool) -> None:
        head = [*head, *self.count_alike(item)]
        self.detail_pane.rest_on(head, [*rows, *self.rows_alike(item)], keep=keep)

    def take_alike(self, item: str) -> None:
        """Show what is alike below the evidence."""
        found = self.view.find(item) if self.view else None
        if found is None or not (isinstance(self.subject, ItemSubject) and self.subject.id == item):
            return
        if self.support:
            self._show_support(item)
        elif not found.item.evidence:
            self._show_evidence(found, fresh=False)

    # Down

    def action_open(self) -> None:
        """Open what the focus is on: one layer down."""
        if isinstance(self.focused, LineList) and self.focused.key is not None:
            self.open_row(self.focused, self.focused.key)
        elif self.focused is self.detail_pane.text and self.detail_pane.supported:
            self.give(self.support_list)

    @on(LineList.Chosen)
    def _double_clicked(self, message: LineList.Chosen) -> None:
        message.stop()
        self.open_row(message.list, message.key)

    def open_row(self, rows: LineList, key: Hashable) -> None:
        """Go down from a row of one of the lists."""
        if rows is self.sessions_list:
            self.open_turn(key)
        elif rows is self.support_list:
            self._open_support(key)
        elif rows is self.preview_list:
            self._open_line(key)
        else:
            self._open_item(str(key))

    def _open_item(self, item: str) -> None:
        subject = ItemSubject(item)
        if self.subject != subject:
            self.show_subject(subject)
        if not len(self.support_list):
            self.say("nothing is cited here")
            return
        self._leave(self.item_label(subject.id))
        self.reveal(self.detail_pane)
        self.support_list.go(0)
        self.give(self.support_list)

    def _open_line(self, key: Hashable) -> None:
        if isinstance(key, tuple) and key[0] == "part":
            self.toggle_part(str(key[1]))
            return
        found = self.view.find(handle_of(key)) if self.view else None
        if found is None:
            return
        self._leave("next session")
        self.go_to_item(found)

    def _open_support(self, key: Hashable) -> None:
        if not isinstance(key, tuple):
            return
        if key[0] == "claim":
            self._open_claim(key)
        elif key[0] == "similar":
            self._open_alike(key)
        else:
            self._open_evidence(int(key[1]))

    def _open_claim(self, key: tuple[Hashable, ...]) -> None:
        found = self.view.find(str(key[2])) if self.view and key[2] != "" else None
        if found is None:
            self.say("no card of this bank supports this claim", "warning")
            return
        self._leave(f"claim {letter(int(str(key[1])))}")
        self.go_to_item(found)

    def _open_alike(self, key: tuple[Hashable, ...]) -> None:
        found = self.view.find(str(key[2])) if self.view else None
        if found is not None:
            self._leave(f"similar {letter(int(str(key[1])))}")
            self.go_to_item(found)

    def _open_evidence(self, index: int) -> None:
        item = self.subject
        if not isinstance(item, ItemSubject):
            return
        if index >= len(self.support):
            self._waiting = index
            return
        self._waiting = None
        evidence = self.support[index]
        name = f"evidence {letter(index)}"
        location = evidence.location
        if location is None or location.session is None or location.seq is None:
            self._leave(name)
            self.show_subject(ExcerptSubject(item.id, index))
            self.give(self.detail_pane.text)
            return
        self._leave(name)
        sign = check_span(evidence.check, self.glyphs)[0]
        note = f"{name}: {sign}"
        if evidence.check is Check.CHANGED:
            note += ", the record no longer says what was cited"
        if location.copy:
            note += ", found in a copy of the session"
        self.go_to_turn(location.session, location.seq, name, note)

    def go_to_item(self, found: ItemView) -> None:
        """Put the cursor of pane 2 or 3 on an item and show it."""
        is_page = isinstance(found.item, Page)
        pane = self.pages_pane if is_page else self.cards_pane
        rows = self.pages_list if is_page else self.cards_list
        if not rows.go_key(found.item.id):
            self.unfilter(rows)
            rows.go_key(found.item.id)
        self.show_subject(ItemSubject(found.item.id))
        self.reveal(pane)
        self.give(rows)

    def go_to_turn(self, session: int, seq: int, name: str, note: str) -> None:
        """Put the cursor of pane 1 on a record, marked with `name`, and show it."""
        rows = self.timeline_rows
        if rows is None:
            self.say("the sessions are not read yet")
            return
        index = rows.find((session, seq))
        if index is None or rows.key(index) != (session, seq):
            rows.timeline.collapse(session, False)
            self.change_facet(Facet.ALL.value)
            rows = self.timeline_rows or rows
            index = rows.find((session, seq))
        rows.target = ((session, seq), name)
        self.sessions_list.note_change()
        if index is not None:
            self.sessions_list.go(index, context=True)
        self.show_subject(TurnSubject(session, seq, note))
        self.reveal(self.sessions_pane)
        self.give(self.sessions_list)
        self.refresh_bars()

    # Back

    def enter_from(self, view: str, title: str) -> None:
        """Browse is entered from another view on the way down: Esc leads back there."""
        self._leave(title, view)

    def _leave(self, label: str, view: str = "") -> None:
        """Remember where the user stands before going on."""
        focused = self.focused
        self.trail.push(
            Stop(
                label,
                focused.id or "" if focused is not None else "",
                {rows.id or "": rows.place() for rows in self.query(LineList)},
                self.subject,
                self.facet,
                view,
            )
        )
        self.refresh_bars()

    def step_back(self) -> None:
        """Stand where the last step of the walk began."""
        stop = self.trail.pop()
        rows = self.timeline_rows
        if rows is not None:
            rows.target = None
            self.sessions_list.note_change()
        if stop.facet != self.facet:
            self.change_facet(stop.facet)
        if stop.subject is not None and stop.subject != self.subject:
            self.show_subject(stop.subject)
        for listed in self.query(LineList):
            place = stop.places.get(listed.id or "")
            if place is not None:
                listed.restore(place)
        target = self.query(f"#{stop.focus}").first() if stop.focus else self.cards_list
        pane = next(
            (p for p in target.ancestors if isinstance(p, Widget) and p.has_class("pane")), None
        )
        if pane is not None:
            self.reveal(pane)
        self.give(target)
        if stop.view:
            self.memtui.action_view(stop.view)
        self.refresh_bars()

    def item_label(self, item: str) -> str:
        """An item's title for the breadcrumb."""
        found = self.view.find(item) if self.view else None
        return line_of(found.item.title or found.item.name, 60) if found else item

    def here_label(self) -> str:
        """Where the walk stands now, for the end of the breadcrumb."""
        if isinstance(self.subject, TurnSubject):
            row = self.timeline_row()
            return f"turn {clock(row.at).strip()}" if row else "turn"
        if isinstance(self.subject, ExcerptSubject):
            return "kept excerpt"
        if isinstance(self.subject, ItemSubject):
            if self.focused is self.support_list:
                key = self.support_list.key
                return f"{key[0]} {letter(int(key[1]))}" if isinstance(key, tuple) else ""
            return self.item_label(self.subject.id)
        return ""
