"""A sleep from beginning to end: the plan, and the same carried out step by whole step."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memtui.bank.model import Card
from memtui.capture.transcripts import Heading, headings
from memtui.curate.curator import Curator, new_id
from memtui.curate.decide import expire, proposals
from memtui.curate.drafter.drafting import FOLDER, Drafting, drafted_of
from memtui.curate.healing import heal
from memtui.curate.proposals import Proposal, to_record
from memtui.curate.propose import Known, Why
from memtui.curate.sleep.archive import archivable, archive
from memtui.curate.sleep.model import (
    DUE_AFTER,
    DUE_SESSIONS,
    QUIET,
    Cancelled,
    Progress,
    Report,
    Step,
    Surroundings,
    Tell,
    to_json,
)
from memtui.curate.sleep.reading import Read, keys_of, read_session, with_records
from memtui.curate.sleep.upkeep import (
    cold_cards,
    overdue_proposals,
    procedure_proposals,
    twin_proposals,
)
from memtui.ledger.model import CapturedRecord, SleepRecord
from memtui.safety.locks import FileLock, LockedError
from memtui.safety.private import private_folder
from memtui.sessions.citation import Citations

LOCK = "sleep.lock"
WAIT = 600.0
"""Seconds that a second sleep waits for the first; then it finds nothing left to do."""
MOST_IN_FLOW = 8 * 1024 * 1024
"""Bytes of transcripts that are read in flow."""
SHOWN = 8
"""Lines of a step in a report."""


def sleep(
    curator: Curator,
    around: Surroundings,
    *,
    apply: bool = False,
    if_due: bool = False,
    tell: Tell = lambda _progress: None,
    cancelled: Cancelled = lambda: False,
    wait: float = WAIT,
) -> Report:
    """Plan a sleep, or carry out its safe part: the rest waits in the inbox, nothing is deleted.

    Raises LockedError after `wait` seconds when another sleep is at work, OSError, sqlite3.Error.
    """
    private_folder(curator.state)
    if not apply:
        return _Sleep(curator, around, False, tell, cancelled).run(if_due)
    with FileLock(curator.state / LOCK, wait):
        heal(curator)
        return _Sleep(curator, around, True, tell, cancelled).run(if_due)


@dataclass
class _Sleep:
    curator: Curator
    around: Surroundings
    apply: bool
    tell: Tell
    cancelled: Cancelled
    steps: list[Step] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    proposed: int = 0
    stopped: bool = False
    drafting: Drafting | None = None

    def run(self, if_due: bool) -> Report:
        begun = time.monotonic()
        now = self.curator.clock()
        ledger = self.curator.ledger
        captured = ledger.captured()
        fresh = _unread(self.around, captured, now)
        why_not = self._not_due(fresh, now) if if_due else ""
        if why_not:
            seconds = time.monotonic() - begun
            return Report((), self.apply, 0, 0, seconds, 0, due=False, why_not=why_not)
        past = proposals(self.curator)
        known = Known(self.around.contents, self.around.absent, past)
        if self.around.drafter is not None:
            folder = self.curator.state / FOLDER
            self.drafting = Drafting(self.around.drafter, folder, self.apply, self.cancelled)
        read = self._read(fresh, known, now)
        captured |= {one.captured.session: one.captured for one in read}
        if not self.stopped:
            self._procedures(captured.values(), known, now)
            self._twins(known, now)
            self._overdue(known, now)
            self._expired(past, now)
            self._archive(archivable(self.around.contents, now))
            self._notes()
        report = Report(
            steps=tuple(self.steps),
            applied=self.apply,
            read=len(read),
            proposed=self.proposed,
            seconds=time.monotonic() - begun,
            bytes=sum(heading.size for heading in fresh[: len(read)]),
            failed=tuple(self.failed),
            cancelled=self.stopped,
            drafted=None if self.drafting is None else drafted_of(self.drafting, len(read)),
        )
        if self.apply and report.changed:
            ledger.add_sleep(SleepRecord(new_id(), now, report.read, to_json(report)))
        return report

    def _not_due(self, fresh: Sequence[Heading], now: datetime) -> str:
        last = self.curator.ledger.last_sleep()
        if last is not None and now - last.at < DUE_AFTER:
            return f"the last sleep was at {last.at:%Y-%m-%d %H:%M} UTC, less than 24 h ago"
        if len(fresh) < DUE_SESSIONS:
            return f"{len(fresh)} new sessions, {DUE_SESSIONS} are needed"
        return ""

    def _read(self, fresh: Sequence[Heading], known: Known, now: datetime) -> list[Read]:
        citations = Citations(self.around.catalogue)
        done: list[Read] = []
        for number, heading in enumerate(fresh):
            if self.cancelled():
                self.stopped = True
                break
            self.tell(Progress(number, len(fresh), heading.title or heading.name))
            project = self.curator.config.project
            read = read_session(heading, known, citations, project, now, self.drafting)
            if self.drafting is not None and self.cancelled():
                # What the drafter was asked when it was stopped: this session waits for the next sleep.
                self.stopped = True
                break
            if self.apply:
                records = [to_record(proposal) for proposal in read.proposals]
                told = [] if read.drafted is None else [read.drafted]
                self.curator.ledger.capture([read.captured], records, read.sightings, told)
            if read.captured.status == "failed":
                self.failed.append((heading.name, read.captured.detail))
            done.append(read)
        self.tell(Progress(len(done), len(fresh), ""))
        self._add_reading(done)
        return done

    def _add_reading(self, done: Sequence[Read]) -> None:
        made = [proposal for read in done for proposal in read.proposals]
        left = [outcome for read in done for outcome in read.outcomes if outcome.why]
        seen = sum(outcome.why is Why.SEEN for outcome in left)
        known = sum(outcome.why is Why.KNOWN for outcome in left)
        surplus = sum(outcome.why is Why.SURPLUS for outcome in left)
        self.proposed += len(made)
        titles = [f"{read.captured.title}: {read.captured.outcome}" for read in done]
        self._step("read", "sessions read", len(done), "they are new or went on", titles)
        why = f"{known} known, {seen} seen again, {surplus} beyond 3 a session were left out"
        self._step("propose", "proposed", len(made), why, [_line(one) for one in made])

    def _procedures(self, captured: Iterable[CapturedRecord], known: Known, now: datetime) -> None:
        project = self.curator.config.project
        found = procedure_proposals(captured, known, project, now)
        if self.apply and found:
            sessions = headings(self.around.catalogue, self.around.projects)
            citations = Citations(self.around.catalogue)
            found = [with_records(one, sessions, citations) for one in found]
        self._keep("procedures", "procedures proposed", "run alike in three sessions", found)

    def _twins(self, known: Known, now: datetime) -> None:
        found = twin_proposals(self.around.contents, self.around.absent, known, now)
        self._keep("merge", "merges proposed", "they say the same", found)

    def _overdue(self, known: Known, now: datetime) -> None:
        found = overdue_proposals(self.around.contents, known, now)
        self._keep("stale", "cards proposed as stale", "nobody confirmed them for 28 days", found)

    def _keep(self, name: str, title: str, why: str, found: Sequence[Proposal]) -> None:
        if self.apply and found:
            self.curator.ledger.capture((), [to_record(one) for one in found])
        self.proposed += len(found)
        self._step(name, title, len(found), why, [_line(one) for one in found])

    def _expired(self, past: Sequence[Proposal], now: datetime) -> None:
        gone = expire(self.curator, past, now)
        if self.apply and gone:
            self.curator.ledger.capture((), gone)
        titles = [record.title for record in gone]
        self._step("expire", "proposals expired", len(gone), "nobody decided in 28 days", titles)

    def _archive(self, cards: Sequence[Card]) -> None:
        if self.apply and cards:
            archive(self.curator, cards)
        titles = [card.title for card in cards]
        self._step("archive", "cards archived", len(cards), "retired 28 days ago", titles)

    def _notes(self) -> None:
        """What only a person decides."""
        counts = self.around.behind.items()
        behind = [f"{name}: {n} card{'' if n == 1 else 's'} changed" for name, n in counts]
        why = "cards under them changed: rebuild with C"
        self._step("rebuild", "pages behind", len(behind), why, behind, safe=False)
        cold = [card.title for card in cold_cards(self.curator, self.around.contents)]
        why = "shown 20 times or more, never used: demote with d"
        self._step("cold", "cold cards", len(cold), why, cold, safe=False)

    def _step(
        self,
        name: str,
        title: str,
        count: int,
        why: str,
        lines: Sequence[str],
        *,
        safe: bool = True,
    ) -> None:
        self.steps.append(Step(name, title, count, why, tuple(lines[:SHOWN]), safe))


def _unread(
    around: Surroundings, captured: dict[str, CapturedRecord], now: datetime
) -> list[Heading]:
    found = []
    for heading in headings(around.catalogue, around.projects):
        before = captured.get(heading.name)
        quiet = datetime.fromtimestamp(heading.ended / 1000, UTC) + QUIET <= now
        own = not heading.agent and heading.name not in around.hidden
        if own and quiet and (before is None or before.mark != heading.mark):
            found.append(heading)
    return found


def _line(proposal: Proposal) -> str:
    return f"{proposal.verb}: {proposal.title} ({proposal.reason})"


def in_flow(curator: Curator, around: Surroundings, paths: Collection[Path]) -> int:
    """Propose what sessions at work show, right after the turn that shows it. Returns how many.

    `paths` are the transcripts that changed. What is not new costs no look at the bank; a transcript
    that is very long waits for sleep, and so does everything while a sleep is at work.
    """
    private_folder(curator.state)
    try:
        with FileLock(curator.state / LOCK, 0):
            return _in_flow(curator, around, paths)
    except LockedError:
        return 0


def _in_flow(curator: Curator, around: Surroundings, paths: Collection[Path]) -> int:
    now, project = curator.clock(), curator.config.project
    past = proposals(curator)
    told = {proposal.key for proposal in past}
    known: Known | None = None
    citations = Citations(around.catalogue)
    made = 0
    for heading in headings(around.catalogue, around.projects):
        mine = not heading.agent and heading.name not in around.hidden
        if not mine or heading.size > MOST_IN_FLOW or not _one_of(heading, paths):
            continue
        if keys_of(heading, project) <= told:
            continue
        known = known or Known(around.contents, around.absent, past)
        found = read_session(heading, known, citations, project, now)
        records = [to_record(proposal) for proposal in found.proposals]
        captured = found.captured
        if around.drafter is not None:
            # The drafter is asked when nobody waits: sleep reads this session again, as it was.
            captured = replace(captured, mark="")
        curator.ledger.capture([captured], records, found.sightings)
        told |= {proposal.key for proposal in found.proposals}
        made += len(records)
    return made


def _one_of(heading: Heading, paths: Collection[Path]) -> bool:
    return any(source.path in paths for source in heading.files)
