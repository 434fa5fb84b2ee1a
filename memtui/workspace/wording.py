"""The drafter asked about one draft: what it cites, put into words by a model when a person wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtui.curate.act import CurateError, NoBankError
from memtui.curate.drafter.ask import Cancelled
from memtui.curate.drafter.drafting import DRAFTED, FOLDER, Drafting
from memtui.ledger.model import DraftingRecord
from memtui.workspace.drafting import Material

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

BY_HAND = "by hand: "
"""Before the status of what a person asked for: no sleep did it."""


@dataclass(frozen=True, slots=True)
class Worded:
    """What the drafter made of a draft, nothing where it failed; `record` says why, and what it cost."""

    materials: tuple[Material, ...]
    record: DraftingRecord

    @property
    def problem(self) -> str:
        """Why there is nothing, "" when there is something."""
        if self.materials:
            return ""
        return self.record.detail or "it found nothing that lasts"

    @property
    def cost(self) -> str:
        """`~1,234 tokens sent, 2.1 s`."""
        return f"~{self.record.tokens:,} tokens sent, {self.record.seconds:.1f} s"


def word(workspace: Workspace, material: Material, cancelled: Cancelled = lambda: False) -> Worded:
    """Ask the drafter about the turns that a draft cites, with those around them, and keep what it cost.

    Raises CurateError without a drafter or bank, or where no cited turn can be read; LedgerError, OSError.
    """
    found, record = _asked(workspace, material, cancelled)
    kept = replace(record, status=f"{BY_HAND}{record.status}")
    workspace.curating.ask(lambda curator: curator.ledger.capture((), (), (), [kept]))
    return Worded(tuple(found) if record.status == DRAFTED else (), record)


def _asked(
    workspace: Workspace, material: Material, cancelled: Cancelled
) -> tuple[Sequence[Material], DraftingRecord]:
    drafter, root = workspace.upkeep.drafter, workspace.bank_root
    if root is None:
        raise NoBankError
    if drafter is None:
        raise CurateError(
            "no drafter is set", "drafter.command or drafter.url in config.toml names one"
        )
    session, near, whole = workspace.drafting.around(material.draft)
    state = workspace.setting.places.bank_state(workspace.config.id, root)
    drafting = Drafting(drafter, state / FOLDER, True, cancelled)
    scope = material.draft.scope
    made, record = drafting.candidates(session, near, (), scope, workspace.setting.clock())
    if record is None:
        raise CurateError("these turns say nothing that could be sent", "mark what was said or run")
    return [workspace.drafting.material(one.draft, whole) for one in made], record
