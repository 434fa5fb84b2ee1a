"""Reading one session: observations, its summary, and what becomes of each candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.bank.model import Scope
from memtui.capture.extract.sequences import steps
from memtui.capture.observe import Where, observe
from memtui.capture.outcome import outcome_of
from memtui.capture.transcripts import Heading, read
from memtui.capture.turns import Turn
from memtui.curate.candidates import candidates
from memtui.curate.cited import cited_records, session_of
from memtui.curate.drafter.drafting import Drafting
from memtui.curate.proposals import Proposal, key_of_text
from memtui.curate.propose import Known, Outcome, cleaned, propose
from memtui.ledger.model import CapturedRecord, DraftingRecord, SightingRecord
from memtui.safety.redact import redact
from memtui.sessions.citation import Citations

MOST_STEPS = 400


@dataclass(frozen=True, slots=True)
class Read:
    """What one session gave, ready to be kept in one transaction."""

    captured: CapturedRecord
    proposals: tuple[Proposal, ...] = ()
    sightings: tuple[SightingRecord, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    drafted: DraftingRecord | None = None


def read_session(
    heading: Heading,
    known: Known,
    citations: Citations,
    project: str,
    now: datetime,
    drafting: Drafting | None = None,
) -> Read:
    """Read a session. What cannot be read is said in the record, never raised."""
    try:
        turns = read(heading)
    except OSError as error:
        detail = redact(str(error)).text[:400]
        return Read(CapturedRecord(heading.name, heading.mark, now, "failed", detail))
    scope = Scope(project=project or None)
    where = Where(heading.host, heading.session, project, heading.branch)
    seen = observe(turns, where)
    summary = outcome_of(turns, [one.observation for one in seen], heading.title)
    found = candidates(turns, scope)
    drafted = None
    if drafting is not None:
        found, drafted = drafting.candidates(heading.name, turns, found, scope, now)
    outcomes = propose(found, heading.name, known, now)
    made = [
        replace(one.proposal, records=cited_records(one.proposal.draft, turns, citations))
        for one in outcomes
        if one.proposal is not None
    ]
    captured = CapturedRecord(
        session=heading.name,
        mark=heading.mark,
        at=now,
        observed=len(seen),
        proposed=len(made),
        title=summary.title,
        outcome=summary.line,
        steps=tuple(
            (redact(command).text[:120], turns[place].ref)
            for command, place in steps(turns)[:MOST_STEPS]
        ),
    )
    first = [_first_sighting(proposal, now) for proposal in made]
    again = [one.sighting for one in outcomes if one.sighting is not None]
    return Read(captured, tuple(made), (*first, *again), tuple(outcomes), drafted)


def with_records(proposal: Proposal, found: Iterable[Heading], citations: Citations) -> Proposal:
    """A proposal from several sessions with the records that it cites, as far as they can be read."""
    draft = proposal.draft
    wanted = {session_of(cited.ref) for cited in draft.evidence} if draft else set()
    turns: list[Turn] = []
    for heading in found:
        if heading.ref in wanted:
            try:
                turns += read(heading)
            except OSError:
                continue  # that session is cited by its name alone, and counted where it is read
    return replace(proposal, records=cited_records(draft, turns, citations))


def keys_of(heading: Heading, project: str) -> set[str]:
    """The keys of everything that a session could propose. Empty when it cannot be read."""
    try:
        turns = read(heading)
    except OSError:
        return set()
    found = candidates(turns, Scope(project=project or None))
    return {key_of_text(one.draft.rule, cleaned(one.draft).title) for one in found}


def _first_sighting(proposal: Proposal, now: datetime) -> SightingRecord:
    refs = proposal.draft.evidence if proposal.draft else ()
    record = refs[0].ref if refs else proposal.session
    return SightingRecord(proposal.subject, record, proposal.session, now)
