"""Inbox and sleep of an open bank: what screen and commands share."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.bank.model import Evidence
from memtui.curate.act import ActResult, NoBankError
from memtui.curate.audit.model import Audit
from memtui.curate.audit.model import Tell as AuditTell
from memtui.curate.audit.model import last as last_audit
from memtui.curate.audit.run import audit
from memtui.curate.audit.run import clean as clean_up
from memtui.curate.curator import Curator
from memtui.curate.decide import accept, accept_as_one, in_one, reject, switch
from memtui.curate.decide import proposals as all_proposals
from memtui.curate.draft import Draft
from memtui.curate.drafter.drafting import DRAFTED, FELL_BACK
from memtui.curate.drafter.model import Drafter, drafter_of
from memtui.curate.proposals import Proposal, Status, Verb
from memtui.curate.sleep.archive import restore
from memtui.curate.sleep.model import Cancelled, Report, Surroundings, Tell
from memtui.curate.sleep.run import WAIT, in_flow, sleep
from memtui.index.states import is_absent
from memtui.ledger.access import LEDGER_NAME, ledger_faults
from memtui.ledger.model import DraftingRecord
from memtui.paths import bank_key
from memtui.safety.redact import rules_name
from memtui.workspace.inbox import Entry, InboxView
from memtui.workspace.model import BankView, EvidenceView

if TYPE_CHECKING:
    from memtui.workspace.curating import Done
    from memtui.workspace.drafting import Material
    from memtui.workspace.wording import Worded
    from memtui.workspace.workspace import Workspace

SLEEPER = "-sleep"
"""What is done in sleep has a writer of its own: `u` takes back what a person did."""


class Upkeep:
    """Inbox and sleep. Everything blocks. Without a bank all of it is empty."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _has_ledger(self) -> bool:
        """Without a ledger nothing was ever proposed, and its import (400 ms) is spared."""
        setting, root = self._workspace.setting, self._workspace.bank_root
        if root is None:
            return False
        state = setting.places.state / bank_key(self._workspace.config.id, root)
        return (state / LEDGER_NAME).exists()

    def inbox(self) -> InboxView:
        """What waits, and what became of the rest. Raises LedgerError, OSError."""
        if not self._has_ledger:
            return InboxView()
        return self._workspace.curating.ask(_look)

    def accept(self, proposal: Proposal, draft: Draft | None = None) -> Done:
        """Do what it suggests. Raises CurateError, ConflictError, LedgerError, OSError."""
        return self._workspace.curating.act(self.accepting(proposal, draft))

    def accepting(self, proposal: Proposal, draft: Draft | None = None) -> Accepting:
        """The act of accepting, for whoever runs acts."""
        return Accepting(self._workspace, proposal, draft)

    def merge(self, chosen: tuple[Proposal, ...]) -> Done:
        """Accept several as one card, its text joined from theirs. Raises as `accept`."""
        draft = in_one(chosen)
        return self._workspace.curating.act(lambda curator: accept_as_one(curator, chosen, draft))

    def reject(self, chosen: tuple[Proposal, ...], reason: str = "") -> Done:
        """Say no. Raises as `accept`."""
        return self._workspace.curating.act(lambda curator: reject(curator, chosen, reason))

    def switch(self, proposal: Proposal, verb: Verb | None = None) -> Proposal:
        """Another verb. Raises as `accept`."""
        return self._workspace.curating.ask(lambda curator: switch(curator, proposal, verb))

    def evidence(self, proposal: Proposal) -> tuple[EvidenceView, ...]:
        """Where the records that a proposal rests on lie now, in its order. Blocks. Raises OSError."""
        quotes = {one.ref: one.quote for one in proposal.draft.evidence} if proposal.draft else {}
        return self._workspace.cited(
            [
                Evidence(ref=record.ref, record=record.record, quote=quotes.get(record.ref, ""))
                for record in proposal.records
            ]
        )

    def restore(self, name: str) -> Done:
        """Bring an archived card back. Raises as `accept`."""
        return self._workspace.curating.act(lambda curator: restore(curator, name))

    def sleep(
        self,
        *,
        apply: bool = False,
        if_due: bool = False,
        tell: Tell = lambda _progress: None,
        cancelled: Cancelled = lambda: False,
        wait: float = WAIT,
    ) -> Report:
        """Plan a sleep or do its safe part, beside whatever a person does meanwhile; the index follows.

        Raises CurateError without a bank, LockedError, LedgerError, OSError, sqlite3.Error.
        """
        view, sleeper = self._sleeper()
        with sleeper as curator, ledger_faults(curator.state):
            report = sleep(
                curator,
                self.around(view),
                apply=apply,
                if_due=if_due,
                tell=tell,
                cancelled=cancelled,
                wait=wait,
            )
        if report.applied and report.changed:
            # What was archived leaves the index, from which hooks plan.
            self._workspace.load()
        return report

    def sleep_apart(self, tell: Tell, cancelled: Cancelled, *, apply: bool = True) -> Report:
        """The safe part of a sleep in a process of its own, or its plan. Raises CurateError, OSError."""
        from memtui.workspace.apart import sleep_apart

        return sleep_apart(self._workspace, tell, cancelled, apply=apply)

    def follow(self, view: BankView, paths: Collection[Path]) -> int:
        """Propose what transcripts that just changed show. Returns how many. Raises as `sleep`."""
        setting = self._workspace.setting
        writer = setting.writer + SLEEPER
        sleeper = Curator.of(view.contents, setting.places, writer, setting.clock, by="job")
        with sleeper as curator, ledger_faults(curator.state):
            return in_flow(curator, self.around(view), frozenset(paths))

    def audit(self, tell: AuditTell, *, clean: bool = False) -> Audit:
        """Look at everything that is stored under the redaction rules as they are now.

        With `clean` erase what of it is derived or local. Raises CurateError without a bank,
        LedgerError, OSError.
        """
        workspace = self._workspace
        index = workspace.index_path
        if index is None:
            raise NoBankError
        contents = workspace.load().contents
        catalogue = workspace.setting.places.catalogue

        def look(curator: Curator) -> Audit:
            found = audit(curator, contents, catalogue, index, tell)
            if not clean or not found.spots:
                return found
            done = clean_up(curator, found, catalogue, index)
            return replace(audit(curator, contents, catalogue, index), cleaned=done.cleaned)

        found = workspace.curating.ask(look)
        if found.cleaned:
            workspace.load()
        return found

    def audit_due(self) -> tuple[str, str]:
        """Whether another audit is due: (how it stands, why), how being due, never or "". Raises OSError."""
        workspace, rules = self._workspace, rules_name()
        root = workspace.bank_root
        if root is None:
            return "", ""
        state = workspace.setting.places.bank_state(workspace.config.id, root)
        before = last_audit(state)
        if before is None:
            return "never", "what is stored was never looked at again under the rules as they are"
        if before["rules"] != rules:
            return "due", f"the redaction rules changed since the audit of {before['at']}"
        return "", f"audited at {before['at']} under these rules: {before['found']} found"

    @property
    def drafter(self) -> Drafter | None:
        """The drafter that the user set, if any."""
        return drafter_of(self._workspace.setting.settings.drafter)

    def word(self, material: Material, cancelled: Cancelled) -> Worded:
        """The drafter's words for a draft. Raises as `workspace.wording.word`."""
        from memtui.workspace.wording import word

        return word(self._workspace, material, cancelled)

    def around(self, view: BankView) -> Surroundings:
        """What sleep works on besides the bank's files."""
        return Surroundings(
            catalogue=self._workspace.catalogue,
            contents=view.contents,
            projects=self._workspace.project_keys,
            absent={
                card.item.id: card.states[0].reason for card in view.cards if is_absent(card.states)
            },
            behind={page.item.name: page.behind for page in view.pages if page.behind},
            hidden=self._workspace.hidden,
            drafter=self.drafter,
        )

    def _sleeper(self) -> tuple[BankView, Curator]:
        workspace = self._workspace
        if workspace.bank_root is None:
            raise NoBankError
        setting = workspace.setting
        view = workspace.load()
        writer = setting.writer + SLEEPER
        return view, Curator.of(view.contents, setting.places, writer, setting.clock, by="job")


@dataclass(frozen=True, slots=True)
class Accepting:
    """The act of accepting one proposal, with the bank as it is when it runs."""

    workspace: Workspace
    proposal: Proposal
    draft: Draft | None = None

    def __call__(self, curator: Curator) -> ActResult:
        """Accept it. Raises CurateError, ConflictError, OSError."""
        contents = self.workspace.load().contents
        looked = self.workspace.drafting.rechecked(self.proposal)
        return accept(curator, looked, contents, self.draft)


def _look(curator: Curator) -> InboxView:
    found = all_proposals(curator)
    seen = curator.ledger.sightings()
    entries = [Entry(one, max(1, len(seen.get(one.subject, ())))) for one in found]
    entries.sort(key=_rank)
    waiting = [entry for entry in entries if entry.proposal.status is Status.WAITING]
    captured = curator.ledger.captured().values()
    draftings = curator.ledger.draftings()
    slept = [record for record in draftings if record.status in (DRAFTED, FELL_BACK)]
    return InboxView(
        waiting=tuple(waiting),
        expired=tuple(e for e in entries if e.proposal.status is Status.EXPIRED),
        accepted=sum(one.status is Status.ACCEPTED for one in found),
        rejected=sum(one.status is Status.REJECTED for one in found),
        outcomes={record.session: record.outcome for record in captured if record.outcome},
        read=sum(record.status == "read" for record in captured),
        failed=tuple(
            (record.session, record.detail) for record in captured if record.status != "read"
        ),
        fell_back=tuple(
            (record.session, record.detail)
            for record in slept
            if record.status == FELL_BACK and record.at == slept[-1].at
        ),
        drafted=_drafted(draftings),
    )


def _drafted(draftings: Sequence[DraftingRecord]) -> str:
    if not draftings:
        return ""
    count, cards = len(draftings), sum(record.cards for record in draftings)
    tokens = sum(record.tokens for record in draftings)
    seconds = sum(record.seconds for record in draftings)
    asked = f"{count} session{'s' if count != 1 else ''}"
    return f"drafter: {asked}, ~{tokens:,} tokens sent, {seconds:.1f} s, {cards} cards"


def _rank(entry: Entry) -> tuple[float, str]:
    proposal = entry.proposal
    return -proposal.surprise, proposal.id
