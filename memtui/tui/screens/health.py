"""The Health view: what the linter finds, and the cards that changes of the repository touched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from textual import on
from textual.message import Message

from memtui.curate.rules.source import Finding
from memtui.index.touched import DriftDay, drift_day
from memtui.reasons import ABSENT, DISPUTED, DRIFTED, EXPIRED
from memtui.tui.actions import bindings
from memtui.tui.docs.bars import sleep_part
from memtui.tui.docs.document import Document
from memtui.tui.docs.health_doc import finding_document, touched_document
from memtui.tui.docs.health_rows import (
    facet_counts,
    finding_rows,
    items_of,
    key_of_finding,
    matches,
    size_spans,
    summary,
    touched_rows,
)
from memtui.tui.jobs import cancelled
from memtui.tui.rows import FixedRows
from memtui.tui.screens.clean_up import SLEEP, CleanUpScreen
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.repairs import REPAIRS, RepairsPart
from memtui.tui.when import parse_when
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.lines import Part
from memtui.workspace.health import Health, examine, gather
from memtui.workspace.model import BankView, ItemView

_EVERYTHING = "everything"
_ASKED = {DRIFTED, DISPUTED}
"""What a card may be and still be asked about: one that is superseded or expired needs no look."""
_NOTHING = Document("", "")


class StoppedError(Exception):
    """Somebody asked the linter to stop."""


@dataclass
class Checked(Message):
    """The linter is this far."""

    done: int
    rules: int


class HealthScreen(RepairsPart):
    """Findings with what helps, and drift day."""

    VIEW = "health"
    LIST_NAME = "Health"
    TEXT_NAME = "Finding"
    BINDINGS = bindings("health")

    health: Health | None = None
    day: DriftDay | None = None
    words = ""
    facets: frozenset[str] = frozenset()
    drifting = False
    _since: str | datetime | None = None
    _progress = ""

    # What is shown

    def look(self) -> None:
        """The bank was read: look at its health again."""
        view = self.view
        if view is None:
            self.rows.say([[("reading the bank", "muted")]])
            return
        if self.drifting:
            self._look_at_drift(view)
            return
        self.rows.say([[("checking", "muted")]])
        self.jobs.run("lint", "checking the bank", partial(_examine, self, view), self._take_health)

    def _take_health(self, health: Health) -> None:
        self.health, self._progress = health, ""
        self._fill()
        self.refresh_bars()

    @on(Checked)
    def _checked(self, message: Checked) -> None:
        if self.jobs.running("lint"):
            self._progress = f"checking {message.done}/{message.rules}"
            self.refresh_bars()

    def shown(self) -> list[Finding]:
        """The findings that filter and facets let through."""
        words = self.words.casefold().split()
        findings = self.health.findings if self.health else ()
        return [one for one in findings if matches(one, words, self.facets)]

    def _fill(self) -> None:
        if self.view is None or self.health is None:
            return
        narrowed = bool(self.words or self.facets)
        nothing = (
            "nothing matches; esc shows all again" if narrowed else "nothing to complain about"
        )
        self.rows.say([[(nothing, "muted" if narrowed else "ok")]])
        words = self.words.casefold().split()
        self.rows.show(FixedRows(finding_rows(self.shown(), self.view, self.glyphs, words)))
        said = " ".join([f"/{self.words}"] * bool(self.words) + sorted(self.facets))
        self.list_pane.entitle(said, name="Health")
        self.follow()

    def finding(self) -> Finding | None:
        """The finding under the cursor, or above it."""
        key = self.rows.key
        if self.drifting or not isinstance(key, tuple):
            return None
        return next((one for one in self.shown() if key_of_finding(one) == (*key[:3], "")), None)

    def sides(self) -> tuple[ItemView, ...]:
        """The item of the row under the cursor, else all items of its finding."""
        key, view = self.rows.key, self.view
        if view is None or key is None:
            return ()
        word = str(key) if self.drifting else key[3] if isinstance(key, tuple) else ""
        if word:
            found = view.find(word)
            return (found,) if found is not None else ()
        finding = self.finding()
        return items_of(finding, view) if finding is not None else ()

    def follow(self) -> None:
        """Show the finding or the touched card under the cursor."""
        sides = self.sides()
        if self.drifting:
            touches = self.day.touched.get(str(self.rows.key), ()) if self.day else ()
            shown = touched_document(sides[0], touches, self.glyphs) if sides else _NOTHING
            self.show_text(shown, "Touched card")
            return
        finding = self.finding()
        if finding is None:
            self.show_text(_NOTHING)
            return
        repair = REPAIRS[finding.repair].label if finding.repair in REPAIRS else ""
        self.show_text(finding_document(finding, sides, repair, self.glyphs))

    def notes(self) -> list[Part]:
        """How it stands, in numbers."""
        if self.drifting:
            count = len(self.rows)
            return [Part(((f" {count} card{'' if count == 1 else 's'} touched", "title"),))]
        found = self.health.findings if self.health else None
        parts = [Part(((f" {summary(found)}", "title"),))] if found is not None else []
        if self.health is not None and self.health.size is not None:
            parts += [Part((span,)) for span in size_spans(self.health.size)]
        if self.memtui.upkeep.progress is not None:
            parts.insert(1, sleep_part(self.memtui.upkeep.progress, self.glyphs))
        if self._progress:
            parts.append(
                Part(((self._progress, "accent"), ("  esc stops", "faint")), "screen.back")
            )
        return parts

    def step_back(self) -> bool:
        """Stop a sleep or checking, leave drift day, take back filter and facets."""
        if self.memtui.upkeep.sleeping:
            self.memtui.upkeep.cancel()
        elif self._progress and self.jobs.running("lint"):
            self.jobs.cancel("lint")
            self.jobs.drop("lint")
            self._progress = ""
            self.say("checking was stopped; R checks again")
        elif self.drifting:
            self.drifting, self.day = False, None
            self.look()
        elif self.words or self.facets:
            self.words, self.facets = "", frozenset()
            self._fill()
        else:
            return False
        return True

    def looked_at(self) -> str:
        """On drift day a confirmation says at which commit the files were looked at."""
        return self.day.head if self.drifting and self.day is not None else ""

    # Clean up

    def action_clean_up(self) -> None:
        """Show what sleep would do, and what is cold or expired."""
        view, health = self.view, self.health
        if self.core.bank_root is None or view is None or health is None:
            self.say("the bank is not read yet")
            return
        if self.memtui.upkeep.sleeping:
            self.say("sleep is at work already; esc stops it")
            return
        ids = health.size.cold if health.size else ()
        cold = [card for card in view.cards if card.item.id in ids]
        lapsed = [card for card in view.cards if card.states and card.states[0].reason == EXPIRED]

        def chosen(what: str | None) -> None:
            if what == SLEEP:
                self.memtui.upkeep.start()
                self.refresh_bars()

        self.app.push_screen(CleanUpScreen(self.core, cold, lapsed), chosen)

    # Filter and facets

    def action_filter(self) -> None:
        """Ask for words of a finding."""
        self.input_line.ask("filter", "filter", self.words, "words of rule, message or severity")

    def action_facets(self) -> None:
        """Choose severities or classes; choosing one again takes it away."""
        findings = self.health.findings if self.health else ()
        choices = [Choice(_EVERYTHING, "everything", f"{len(findings)}", chosen=not self.facets)]
        choices += [
            Choice(name, name, f"{count}", chosen=name in self.facets)
            for name, count in facet_counts(findings)
        ]

        def chosen(name: str | None) -> None:
            if name is not None:
                self.facets = frozenset() if name == _EVERYTHING else self.facets ^ {name}
                self._fill()
                self.refresh_bars()

        self.app.push_screen(MenuScreen("Show only", choices), chosen)

    @on(InputLine.Typed)
    def _typed(self, message: InputLine.Typed) -> None:
        if message.purpose == "filter":
            self.words = message.text.strip()
            self._fill()

    @on(InputLine.Done)
    def _asked(self, message: InputLine.Done) -> None:
        self.give(self.rows)
        if message.purpose == "filter":
            self.words = message.text.strip()
            self._fill()
        elif message.purpose == "since":
            self._begin_drift(message.text.strip())
        self.refresh_bars()

    # Drift day

    def action_drift_day(self) -> None:
        """Ask since when: a commit, a date, or each card's last confirmation."""
        hint = "a commit or date; empty: since each card was confirmed"
        self.input_line.ask("since", "since", "", hint)

    def _begin_drift(self, text: str) -> None:
        self._since = None
        if text:
            try:
                self._since = parse_when(text, self.core.clock())
            except ValueError:
                self._since = (
                    text  # no time that people write: a commit, or git says that there is none
                )
        self.drifting, self.day = True, None
        if self.view is not None:
            self._look_at_drift(self.view)

    def _look_at_drift(self, view: BankView) -> None:
        self.rows.say([[("asking the repository", "muted")]])
        if self.day is None:
            self.rows.show(FixedRows(), keep=False)
        root, branch, since = self.core.project_root, self.core.branch, self._since
        work = partial(drift_day, view.contents, root, branch, since)
        self.jobs.run("drift", "drift day", work, self._take_drift)

    def _take_drift(self, day: DriftDay) -> None:
        if not self.drifting or self.view is None:
            return
        self.day = day
        nothing = day.note or "no card is touched by a change that nobody looked at"
        self.rows.say([[(nothing, "warn" if day.note else "ok")]])
        found = ((self.view.find(card), touches) for card, touches in day.touched.items())
        touched = [
            (view, touches)
            for view, touches in found
            if view is not None and {state.reason for state in view.states} & set(ABSENT) <= _ASKED
        ]
        touched.sort(key=lambda pair: (not pair[0].states, pair[0].item.name))
        self.rows.show(FixedRows(touched_rows(touched, self.glyphs)))
        since = f"since {day.since}" if day.since else "since the last confirmation"
        self.list_pane.entitle(since, name="Drift day")
        self.follow()
        self.refresh_bars()


def _examine(screen: HealthScreen, view: BankView) -> Health:
    """Lint in a thread; the curator is held only while the bank is read, so that acts need not wait."""

    def tell(done: int, rules: int) -> None:
        if cancelled():
            raise StoppedError("stopped")
        screen.post_message(Checked(done, rules))

    core = screen.core
    root = core.project_root
    return examine(core.curating.ask(lambda curator: gather(curator, view, root)), tell)
