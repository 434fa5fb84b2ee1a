"""What could be promoted in a session: drafts with their evidence and the reason, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtui.bank.model import Scope
from memtui.capture.extract.all import findings
from memtui.capture.observation import ROUTINE
from memtui.capture.turns import Turn
from memtui.curate.draft import Draft, draft_finding
from memtui.curate.similar import SAME, similarity

REASONS = {
    "pair": "a failure and its success",
    "correction": "the user corrected the agent",
    "root cause": "a cause is stated",
    "dead end": "tried and given up",
    "decision": "a decision with its reason",
    "environment": "a fact about the environment",
}
_ORDER = tuple(REASONS)
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing worth a card: `places` are its turns' positions in the session, `by` who drafted it."""

    draft: Draft
    reason: str
    places: tuple[int, ...]
    by: str = RULES


def candidates(turns: Sequence[Turn], scope: Scope) -> list[Candidate]:
    """The candidates of one session: pairs first, then by the order of the rules, then by place."""
    kept: list[Candidate] = []
    for found in sorted(_all(turns, scope), key=_rank):
        if not any(_same(found, other) for other in kept):
            kept.append(found)
    return kept


def _all(turns: Sequence[Turn], scope: Scope) -> Iterator[Candidate]:
    for finding in findings(turns):
        if finding.kind not in ROUTINE:
            made = draft_finding(turns, finding, scope)
            yield Candidate(made, REASONS[made.rule], finding.places)


def _rank(candidate: Candidate) -> tuple[int, int]:
    return _ORDER.index(candidate.draft.rule), candidate.places[0]


def _same(a: Candidate, b: Candidate) -> bool:
    return similarity(a.draft.title, b.draft.title) >= SAME
