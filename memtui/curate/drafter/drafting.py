"""One session given to the drafter: its cards beside those of the rules, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memtui.bank.model import Scope
from memtui.capture.turns import Turn
from memtui.curate.candidates import Candidate
from memtui.curate.draft import Draft
from memtui.curate.drafter.answer import drafts_of
from memtui.curate.drafter.ask import Cancelled, ask
from memtui.curate.drafter.model import Cost, Drafter, DrafterError
from memtui.curate.drafter.prompt import Prompt, prompt_of
from memtui.curate.sleep.model import Drafted
from memtui.ledger.model import DraftingRecord

FOLDER = "drafter"
"""Below the bank's state folder: where a drafter's program runs."""
DRAFTED = "drafted"
FELL_BACK = "fell back"
WOULD_ASK = "would be asked"


@dataclass
class Drafting:
    """The drafter of one sleep, and what it did so far. With `asks` false nothing leaves: a plan."""

    drafter: Drafter
    folder: Path
    asks: bool
    cancelled: Cancelled = lambda: False
    done: list[DraftingRecord] = field(default_factory=list)

    @property
    def cost(self) -> Cost:
        """What it cost until now, or would cost."""
        total = Cost()
        for one in self.done:
            total = total.plus(Cost(one.sent, one.received, one.seconds, one.tokens))
        return total

    def candidates(
        self,
        session: str,
        turns: Sequence[Turn],
        found: Sequence[Candidate],
        scope: Scope,
        now: datetime,
    ) -> tuple[list[Candidate], DraftingRecord | None]:
        """The candidates of a session with the drafter's, and the record of asking it.

        A card of the drafter takes the place of what the rules made of the same records. Where it
        gives nothing usable the rules' stand alone, and the record says why.
        """
        if len(self.done) >= self.drafter.sessions:
            return list(found), None
        prompt = prompt_of(turns, found)
        if prompt is None:
            return list(found), None
        record = DraftingRecord(
            session, now, self.drafter.name, WOULD_ASK, sent=len(prompt.text), tokens=prompt.tokens
        )
        made: list[Candidate] = []
        if self.asks:
            begun = time.monotonic()
            made, record = self._asked(prompt, turns, scope, record)
            record = replace(record, seconds=round(time.monotonic() - begun, 3))
        self.done.append(record)
        own = {ref for one in made for ref in _refs(one)}
        return [*made, *(one for one in found if not own & _refs(one))], record

    def _asked(
        self, prompt: Prompt, turns: Sequence[Turn], scope: Scope, record: DraftingRecord
    ) -> tuple[list[Candidate], DraftingRecord]:
        received = 0
        try:
            answer = ask(self.drafter, prompt.text, self.folder, self.cancelled)
            received = len(answer)
            drafts, refused = drafts_of(answer, prompt, scope)
        except DrafterError as error:
            return [], replace(record, status=FELL_BACK, detail=str(error), received=received)
        known = {name: at for at, turn in enumerate(turns) for name in (turn.ref, turn.cited)}
        made = [self._candidate(draft, known) for draft in drafts]
        told = replace(
            record,
            status=DRAFTED,
            detail="; ".join(refused),
            received=received,
            cards=len(made),
            refused=len(refused),
        )
        return made, told

    def _candidate(self, draft: Draft, known: dict[str, int]) -> Candidate:
        places = tuple(sorted({known[cited.ref] for cited in draft.evidence}))
        count = len(places)
        reason = f"{self.drafter.name} drafted it from {count} record{'s' if count != 1 else ''}"
        return Candidate(draft, reason, places, by=f"drafter: {self.drafter.name}")


def drafted_of(drafting: Drafting, read: int) -> Drafted:
    """What a drafting did in one sleep that read so many sessions."""
    cost, done = drafting.cost, drafting.done
    return Drafted(
        name=drafting.drafter.name,
        asked=len(done),
        sent=cost.sent,
        tokens=cost.tokens,
        received=cost.received,
        seconds=round(cost.seconds, 3),
        cards=sum(one.cards for one in done),
        refused=sum(one.refused for one in done),
        beyond=max(0, read - len(done)) if len(done) >= drafting.drafter.sessions else 0,
        fell_back=tuple((one.session, one.detail) for one in done if one.status == FELL_BACK),
    )


def _refs(candidate: Candidate) -> set[str]:
    return {cited.ref for cited in candidate.draft.evidence}
