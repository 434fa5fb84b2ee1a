"""The History view: every act, newest first; taking one back; the bank as it was at a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual import on

from memtui.bank.model import Event
from memtui.curate import verbs
from memtui.curate.act import Resolution
from memtui.curate.curator import Curator
from memtui.curate.history import Entry, bank_as_of, diffs, history
from memtui.curate.revert import RevertPlan
from memtui.tui.acting import Deed
from memtui.tui.actions import bindings
from memtui.tui.docs.as_of_rows import AsOfRows, FileThen
from memtui.tui.docs.document import Document
from memtui.tui.docs.history_doc import as_of_document, entry_document, revert_document
from memtui.tui.docs.history_rows import HistoryRows, words_of
from memtui.tui.ports import Core
from memtui.tui.screens.ask import Answer, AskScreen
from memtui.tui.screens.conflict import ConflictScreen
from memtui.tui.screens.panel import PanelView
from memtui.tui.when import full, milliseconds, parse_when
from memtui.tui.widgets.input_line import InputLine
from memtui.tui.widgets.lines import Part
from memtui.workspace.curating import Done

EMPTY = Document("", "")


class HistoryScreen(PanelView):
    """All acts of the bank, of everybody."""

    VIEW = "history"
    LIST_NAME = "History"
    TEXT_NAME = "Act"
    BINDINGS = bindings("history")

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self.entries: list[Entry] = []
        self._texts: list[str] = []
        self.words = ""
        self.then: tuple[FileThen, ...] = ()
        self.moment = ""
        self._shown: dict[str, Mapping[str, str]] = {}

    # What is shown

    def look(self) -> None:
        """The bank changed: its history grew, or an act was taken back."""
        self.rows.say([[("reading the bank", "muted")]])
        if self.view is None:
            return
        events = self.view.contents.events
        self.jobs.run("history", "reading the history", partial(_read, events), self._take_entries)

    def _take_entries(self, read: tuple[list[Entry], list[str]]) -> None:
        self.entries, self._texts = read
        if not self.moment:
            self._fill()
        self.refresh_bars()

    def _fill(self) -> None:
        words = self.words.casefold().split()
        both = zip(self.entries, self._texts, strict=True)
        shown = [entry for entry, text in both if all(word in text for word in words)]
        nothing = "nothing matches; esc shows all again" if words else "nothing was done here yet"
        self.rows.say([[(nothing, "muted")]])
        on_top = self.rows.cursor == 0
        self.rows.show(HistoryRows(shown, self.glyphs, words))
        if on_top:
            self.rows.go(0)  # whoever looks at the newest act wants to see the next one
        self.list_pane.entitle(f"/{self.words}" if words else "", name="History")
        self.follow()

    def entry(self) -> Entry | None:
        """The act under the cursor."""
        source = self.rows.source
        if not isinstance(source, HistoryRows) or self.rows.key is None:
            return None
        return source.entries[self.rows.cursor]

    def follow(self) -> None:
        """Show the act under the cursor, its lines as soon as they are read."""
        if self.moment:
            self._follow_then()
            return
        entry = self.entry()
        if entry is None:
            self.show_text(EMPTY)
            return
        known = self._shown.get(entry.act)
        self.show_text(entry_document(entry, known, self.glyphs))
        if known is None:
            question = partial(_diffs_of, entry)
            self.ask("diffs", "reading the act", question, partial(self._take_diffs, entry))

    def _take_diffs(self, entry: Entry, found: Mapping[str, str]) -> None:
        self._shown[entry.act] = found
        if self.entry() == entry:
            self.show_text(entry_document(entry, found, self.glyphs))

    def notes(self) -> list[Part]:
        """How many acts there are, and what can be undone."""
        count = len(self.entries)
        said = f" {count} act{'' if count == 1 else 's'}"
        return [Part(((said, "title"),))]

    # Filter

    def action_filter(self) -> None:
        """Ask for words of verb, title, writer or reason."""
        self.input_line.ask("filter", "filter", self.words, "words of verb, title, writer, reason")

    @on(InputLine.Typed)
    def _typed(self, message: InputLine.Typed) -> None:
        if message.purpose == "filter":
            self._narrow(message.text)

    @on(InputLine.Done)
    def _asked(self, message: InputLine.Done) -> None:
        self.give(self.rows)
        if message.purpose == "filter":
            self._narrow(message.text)
        elif message.purpose == "as-of":
            self._go_back_to(message.text)
        self.refresh_bars()

    def _narrow(self, words: str) -> None:
        self.words = words.strip()
        self._fill()

    def step_back(self) -> bool:
        """From the bank as it was to the acts, from a filter to all of them."""
        if self.moment:
            self.moment, self.then = "", ()
            self._fill()
            return True
        if self.words:
            self._narrow("")
            return True
        return False

    # Taking back

    def action_revert(self) -> None:
        """Show what taking the act back would change, then do it."""
        entry = self.entry()
        if entry is None or self.view is None:
            self.say("put the cursor on an act")
            return
        events = self.view.contents.events
        self.ask(
            "revert",
            "looking at the act",
            lambda curator: verbs.preview_revert(curator, events, entry.act),
            self._offer_revert,
        )

    def _offer_revert(self, plan: RevertPlan) -> None:
        shown = revert_document(plan, self.glyphs)
        answers = [Answer("y", "takes it back", "")]
        if plan.conflicts:
            each = "looks at each file" if len(plan.conflicts) > 1 else "looks at the three texts"
            answers = [
                Answer("k", "keeps what is there now", "theirs"),
                Answer("o", "takes the old text", "ours"),
                Answer("e", each, "each"),
            ]
        self.app.push_screen(AskScreen("Take back", shown, answers), partial(self._revert, plan))

    def _revert(self, plan: RevertPlan, answer: str | None) -> None:
        if answer == "each":
            asks = ConflictScreen("revert", plan.conflicts, choosing=True)
            self.app.push_screen(asks, partial(self._revert_so, plan))
        elif answer is not None:
            texts = {c.path: c.theirs if answer == "theirs" else c.ours for c in plan.conflicts}
            self._revert_so(plan, texts)

    def _revert_so(self, plan: RevertPlan, chosen: Resolution | None) -> None:
        """Take it back with these texts for what changed since; None changes nothing."""
        if chosen is not None:
            verb = partial(verbs.revert, plan=plan, resolve=chosen)
            self.act(Deed("revert", verb, self._reverted))

    def _reverted(self, _: Done) -> None:
        self.rows.go(0)

    # As of a moment

    def action_as_of(self) -> None:
        """Ask for a moment: the bank as it was then."""
        entry = self.entry()
        text = full(milliseconds(entry.at))[:16] if entry is not None else ""
        self.input_line.ask("as-of", "as of", text, "2026-11-05, 2026-11-05 14:02, yesterday, -2h")

    def _go_back_to(self, text: str) -> None:
        try:
            moment = parse_when(text, self.core.clock())
        except ValueError as error:
            self.say(str(error), "warning")
            return
        if self.view is None:
            return
        contents = self.view.contents
        said = full(milliseconds(moment))[:16]
        self.ask(
            "as-of",
            f"the bank as of {said}",
            lambda curator: [
                FileThen(found, curator.read(path))
                for path, found in bank_as_of(curator, contents, moment).items()
            ],
            partial(self._take_then, said),
        )

    def _take_then(self, said: str, found: list[FileThen]) -> None:
        self.moment, self.then = said, tuple(found)
        self.rows.say([[(f"no card or page is known as of {said}", "muted")]])
        self.rows.show(AsOfRows(self.then, self.glyphs), keep=False)
        self.list_pane.entitle(name=f"Bank as of {said}")
        self.follow()
        self.refresh_bars()

    def _follow_then(self) -> None:
        if 0 <= self.rows.cursor < len(self.then):
            one = self.then[self.rows.cursor]
            shown = as_of_document(one.found, one.now, self.moment, self.glyphs)
            self.show_text(shown, "Text then")
        else:
            self.show_text(EMPTY)

    # Elsewhere

    def action_go_item(self) -> None:
        """Go to what the act was about, in Browse."""
        entry = self.entry()
        ids = [item.partition(":")[2] for item in entry.items] if entry is not None else []
        found = next((it for one in ids if self.view and (it := self.view.find(one))), None)
        if found is None:
            self.say("what it was about is not in the bank any more")
            return
        self.memtui.go_to_item(found)


def _read(events: Sequence[Event]) -> tuple[list[Entry], list[str]]:
    """The acts, and for each the text that a filter looks in: ten thousands take a second."""
    entries = history(events)
    return entries, [words_of(entry) for entry in entries]


def _diffs_of(entry: Entry, curator: Curator) -> Mapping[str, str]:
    return diffs(curator, entry)
