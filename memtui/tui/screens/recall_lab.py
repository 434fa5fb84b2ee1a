"""The laboratory: settings turned with keys, the ranking beside the bank's, and saving it there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from memtui.curate.act import ActResult
from memtui.curate.curator import Curator
from memtui.curate.policy import set_table
from memtui.recall.model import Settings
from memtui.recall.policy import TABLE, changed_values
from memtui.tui.acting import Deed
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.lab_rows import lab_rows
from memtui.tui.laboratory import BY_NAME, KNOBS, Knob, summary
from memtui.tui.rows import FixedRows
from memtui.tui.screens.recall_search import SearchPart
from memtui.workspace.curating import Done


class LabPart(SearchPart):
    """What moves the ranking."""

    def read_policy(self) -> None:
        """Take the bank's own settings; what is tried stays."""
        recalling = self.core.recalling
        if recalling is not None:
            self.jobs.run("policy", "reading bank.toml", recalling.policy, self._take_policy)

    def _take_policy(self, policy: tuple[Settings, object]) -> None:
        own = policy[0]
        if self.tried == self.own:
            self.tried = own
        if own != self.own:
            self.own = own
            self.search()
        self.show_lab()

    def show_lab(self) -> None:
        """Draw the settings."""
        self.lab_list.show(FixedRows(lab_rows(self.own, self.tried, self.glyphs)))
        said = summary(self.own, self.tried)
        self.lab_pane.entitle("changed" if said else "as the bank has it")
        self.explain_knob()

    def knob(self) -> Knob:
        """The chosen setting."""
        return BY_NAME.get(str(self.lab_list.key), KNOBS[0])

    def explain_knob(self) -> None:
        """Say what the chosen setting does, in the border."""
        self.lab_pane.count(self.knob().help)

    def action_choose(self, step: int) -> None:
        """Choose the setting above or below."""
        self.show_side("lab")
        self.lab_list.go(self.lab_list.cursor + step)

    def action_turn(self, step: int) -> None:
        """Turn the chosen setting; the ranking follows."""
        self.show_side("lab")
        self._try(self.knob().turned(self.tried, step))

    def action_reset_setting(self) -> None:
        """The chosen setting as the bank has it."""
        name = self.knob().name
        self._try(self.tried.with_values(**{name: getattr(self.own, name)}))

    def action_reset_lab(self) -> None:
        """All settings as the bank has them."""
        self._try(self.own)

    def _try(self, settings: Settings) -> None:
        if settings == self.tried:
            return
        self.tried = settings
        self.show_lab()
        self.search()

    def action_compare(self) -> None:
        """Both rankings side by side, or the bank's in place of the laboratory's."""
        self.comparing = not self.comparing
        if self.comparing and self.tried == self.own:
            self.say("nothing is changed yet: - and = turn the setting that [ and ] choose")
        self.lay_out()
        self.show_rows()

    def action_save_ranking(self) -> None:
        """Save what is tried to the bank, as an act that undo takes back."""
        if self.core.recalling is None:
            self.say("no bank for this project yet", "warning")
            return
        said = summary(self.own, self.tried)
        if not said:
            self.say("nothing is changed: these are the bank's settings")
            return
        verb = partial(_save, changed_values(self.tried), said)
        self.memtui.browse.acts.run(Deed("save the ranking", verb, self._saved))

    def _saved(self, done: Done) -> None:
        self.say(line_of(done.result.summary))
        self.read_policy()

    def action_undo(self) -> None:
        """Take back your last act."""
        self.memtui.browse.action_undo()

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self.memtui.browse.action_redo()

    def show_side(self, name: str) -> None:
        """Bring score or laboratory to the front where only one has room."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Show the panes that have room."""
        raise NotImplementedError


def _save(values: Mapping[str, object], title: str, curator: Curator) -> ActResult:
    return set_table(curator, TABLE, values, title)
