"""The drafter in the editor of a card: asked by a key, its cards beside the text as it was, nothing lost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.screen import ModalScreen

from memtui.tui.asking import refusal
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.spans import Line, Span
from memtui.tui.jobs import Jobs, cancelled

if TYPE_CHECKING:
    from memtui.curate.drafter.model import Drafter
    from memtui.tui.app import MemtuiApp
    from memtui.workspace.drafting import Material
    from memtui.workspace.wording import Worded

_ASKING = "word"


class WordingPart(ModalScreen[bool]):
    """What `ctrl+g` does: asks once, then goes round the drafter's cards and the text as it was."""

    jobs: Jobs
    _texts: tuple[Material, ...] = ()
    """The text as it was before it was asked, then its cards; each as it was left."""
    _shown = 0
    _cost = ""
    _told: tuple[Span, ...] = ()

    @property
    def drafter(self) -> Drafter | None:
        """The one that the user set."""
        app = cast("MemtuiApp", self.app)
        return app.core.upkeep.drafter

    def show_head(self) -> None:
        """Draw the head line."""
        raise NotImplementedError

    def material(self) -> Material:
        """The draft as it stands in the fields."""
        raise NotImplementedError

    def fill(self, material: Material) -> None:
        """Put another draft into the fields."""
        raise NotImplementedError

    def _say(self, text: str, *, wrong: bool = False) -> None:
        cast("MemtuiApp", self.app).tell(text, "warning" if wrong else "information")

    def worded_spans(self) -> Line:
        """How the drafter stands to the text."""
        return [("  ", ""), *self._told] if self._told else []

    def word_key(self) -> str:
        """What the key would do, "" where there is no drafter or nothing to ask about."""
        drafter = self.drafter
        if drafter is None or not self.material().records:
            return ""
        if self._texts:
            return "next draft"
        return f"ask {line_of(drafter.name, 20)}"

    def action_word(self) -> None:
        """Ask the drafter; when it has answered, the next of its drafts, or the text as it was."""
        drafter = self.drafter
        if drafter is None:
            self._say("no drafter is set: drafter.command in config.toml names one", wrong=True)
        elif self.jobs.running(_ASKING):
            self._say(f"{line_of(drafter.name)} is being asked; esc stops it")
        elif self._texts:
            self._turn()
        elif not self.material().records:
            self._say("nothing is cited that could be sent", wrong=True)
        else:
            self._ask(drafter, self.material())

    def _ask(self, drafter: Drafter, material: Material) -> None:
        name = line_of(drafter.name, 40)
        core = cast("MemtuiApp", self.app).core
        self._tell_head([(f"asking {name}", "accent"), ("  esc stops", "faint")])

        def work() -> Worded:
            return core.upkeep.word(material, cancelled)

        self.jobs.run(
            _ASKING,
            f"asking {name}",
            work,
            partial(self._worded, name),
            partial(self._not_worded, name),
        )

    def _tell_head(self, spans: Line) -> None:
        self._told = tuple(spans)
        self.show_head()

    def _worded(self, name: str, found: Worded) -> None:
        if found.problem:
            self._tell_head([(f"{name}: nothing, {found.cost}", "warn")])
            self._say(
                f"{name}: {line_of(found.problem, 200)}; the draft by rules stays", wrong=True
            )
            return
        refused = found.record.refused
        self._texts = (self.material(), *found.materials)
        self._cost = f"{name}, {found.cost}"
        self._shown = 0
        self._turn()
        count = len(found.materials)
        self._say(f"{name} drafted {count} card{'' if count == 1 else 's'}: {found.cost}")
        if refused:
            why = line_of(found.record.detail, 200)
            self._say(f"{refused} of its cards refused: {why}", wrong=True)

    def _not_worded(self, name: str, error: Exception) -> None:
        self._tell_head([(f"{name}: not asked", "warn")])
        self._say(f"{name}: {refusal(error, 'asking it')}; the draft by rules stays", wrong=True)

    def _turn(self) -> None:
        """Show the next text; the one shown until now is kept as it was left."""
        texts = list(self._texts)
        texts[self._shown] = self.material()
        self._texts = tuple(texts)
        self._shown = (self._shown + 1) % len(texts)
        self.fill(texts[self._shown])
        what = f"draft {self._shown} of {len(texts) - 1}" if self._shown else "the text as it was"
        self._tell_head([(what, "accent"), (f"  {self._cost}", "faint")])

    def stop_wording(self) -> bool:
        """Stop asking; False when nobody is asked."""
        if not self.jobs.running(_ASKING):
            return False
        self.jobs.cancel(_ASKING)
        return True
