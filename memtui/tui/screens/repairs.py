"""The verbs on the item of a finding, and one key that does what the linter says helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import on

from memtui.curate import verbs
from memtui.curate.rules.source import Finding
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.why_doc import why_document
from memtui.tui.screens.menu import Choice, MenuScreen
from memtui.tui.screens.panel import PanelView
from memtui.tui.screens.paper import PaperScreen
from memtui.tui.widgets.input_line import InputLine
from memtui.workspace.model import ItemView


@dataclass(frozen=True, slots=True)
class Repair:
    """What a finding's repair does, in words, and the action that does it."""

    label: str
    action: str


CORRECTED = "host/correction"
"""The finding whose last item is what the others correct: there is no need to ask which one goes."""

REPAIRS = {
    "index": Repair("writes the lines of the index again", "mend"),
    "raise": Repair("puts its line first in the index", "raise_line"),
    "heal": Repair("finishes the act, or takes it back", "heal"),
    "demote": Repair("demotes it", "demote"),
    "promote": Repair("promotes it", "promote"),
    "confirm": Repair("confirms it again", "confirm"),
    "edit": Repair("opens it in the editor", "edit"),
    "compile": Repair("compiles", "compile"),
    "merge": Repair("merges them", "merge"),
    "purge": Repair("purges it, after asking", "purge"),
}


class RepairsPart(PanelView):
    """What p, d, c, f, e, w and r do in a view of findings."""

    _flagged: tuple[ItemView, ...] = ()

    def finding(self) -> Finding | None:
        """The finding that the cursor is on."""
        raise NotImplementedError

    def sides(self) -> tuple[ItemView, ...]:
        """The items that the cursor is on."""
        raise NotImplementedError

    def choose(self, what: str, use: Callable[[ItemView], None]) -> None:
        """Use the one item here; where a finding is about several, ask which."""
        sides = self.sides()
        if not sides:
            self.say(f"no card or page to {what} here")
        elif len(sides) == 1:
            use(sides[0])
        else:
            choices = [
                Choice(str(at), line_of(item.item.title or item.item.name, 60), key=str(at + 1))
                for at, item in enumerate(sides[:9])
            ]

            def chosen(value: str | None) -> None:
                if value is not None:
                    use(sides[int(value)])

            self.app.push_screen(MenuScreen(f"Which one to {what}?", choices), chosen)

    def action_promote(self) -> None:
        """Up."""
        self.choose("promote", lambda item: self.memtui.browse.do("promote", verbs.promote, [item]))

    def action_demote(self) -> None:
        """Down."""
        self.choose("demote", lambda item: self.memtui.browse.do("demote", verbs.demote, [item]))

    def action_confirm(self) -> None:
        """It is true."""
        self.choose("confirm", self._confirm)

    def _confirm(self, item: ItemView) -> None:
        data = {"commit": head} if (head := self.looked_at()) else None
        self.memtui.browse.do("confirm", partial(verbs.confirm, data=data), [item])

    def looked_at(self) -> str:
        """The commit at which the cited files are looked at, "" when that is not the point."""
        return ""

    def action_flag(self) -> None:
        """It is doubtful: ask why."""

        def ask(item: ItemView) -> None:
            self._flagged = (item,)
            self.input_line.ask("flag", "flag", "", "what is wrong with it, in a line")

        self.choose("flag", ask)

    @on(InputLine.Done)
    def _reason_given(self, message: InputLine.Done) -> None:
        if message.purpose == "flag":
            self.give(self.rows)
            verb = partial(verbs.flag, reason=message.text)
            self.memtui.browse.do("flag", verb, self._flagged)

    def action_edit(self) -> None:
        """Open its file in the user's editor."""
        self.choose("edit", self.memtui.browse.edit_item)

    def action_why(self) -> None:
        """Why it is shown or held back."""
        preview = self.memtui.browse.preview

        def show(item: ItemView) -> None:
            claims = self.core.claims(self.view, item) if self.view is not None else ()
            text = why_document(item, preview, self.glyphs, claims)
            self.app.push_screen(PaperScreen(f"Why  {item.item.id}", text))

        self.choose("ask about", show)

    def action_open(self) -> None:
        """Go to the item in Browse."""
        if self.focused is self.text:
            return
        sides = self.sides()
        if not sides:
            self.action_cycle(1)
        else:
            self.memtui.go_to_item(sides[0])

    # One key

    async def action_repair(self) -> None:
        """Do what the finding says helps."""
        finding = self.finding()
        repair = REPAIRS.get(finding.repair) if finding is not None else None
        if finding is not None and finding.rule == CORRECTED and self.sides():
            self.memtui.browse.do("demote", verbs.demote, self.sides()[-1:])
            return
        if finding is None or repair is None:
            fix = f": {finding.fix}" if finding is not None and finding.fix else ""
            self.say(f"only a person can help here{fix}")
            return
        await self.run_action(f"screen.{repair.action}")

    def action_mend(self) -> None:
        """Bring `MEMORY.md` in step, every other byte left alone."""
        view = self.view
        if view is None:
            return
        absent = view.unlisted
        contents = view.contents
        self.act(Deed("index", partial(verbs.mend_index, contents=contents, absent=absent)))

    def action_raise_line(self) -> None:
        """Put its line where the host still loads it."""

        def up(item: ItemView) -> None:
            self.act(Deed("index", partial(verbs.raise_line, item=item.item)))

        self.choose("move up", up)

    def action_heal(self) -> None:
        """Finish what a killed process left half done."""
        self.jobs.run("heal", "healing the bank", self.core.curating.heal, self._healed)

    def _healed(self, _: object) -> None:
        self.memtui.browse.reload_bank()

    def action_merge(self) -> None:
        """Merge what the finding is about."""
        self.memtui.browse.merge_items(self.sides())

    def action_compile(self) -> None:
        """Compile what the finding is about, or rebuild its page."""
        self.memtui.browse.compile_items(self.sides())

    def action_purge(self) -> None:
        """Purge the item."""
        self.choose("purge", lambda found: self.memtui.browse.purge_items([found]))
