"""The records that a draft cites, read while the transcript is there: hosts delete it one day."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.bank.model import Evidence
from memtui.capture.passing import Passed, passed_after
from memtui.capture.turns import Turn
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft
from memtui.safety.redact import redact
from memtui.sessions.citation import Citations

KEPT = 4000
"""Characters of a cited record that are kept."""


def cited_records(
    draft: Draft | None, turns: Sequence[Turn], citations: Citations
) -> tuple[CitedRecord, ...]:
    """The cited records, redacted, with the digests by which they are known again, and what passed after.

    A record that no longer can be read is left out: it stays cited by its words.
    """
    if draft is None:
        return ()
    passed = checks_after([cited.ref for cited in draft.evidence], turns, fact_of(draft))
    by_ref = {ref: turn for turn in turns for ref in (turn.ref, turn.cited)}
    kept = []
    for cited in draft.evidence:
        turn = by_ref.get(cited.ref)
        if turn is None:
            continue
        digest = citations.verify(Evidence(ref=cited.ref)).record_digest
        if not digest:
            continue
        source = turn.output if cited.ref == turn.result_ref else ""
        text = redact(source or turn.text or turn.command or turn.output).text[:KEPT]
        check = passed.get(session_of(cited.ref))
        kept.append(CitedRecord(cited.ref, text, digest, turn.kind.value, turn.at, check))
    return tuple(kept)


SURROUNDINGS = ("env", "fact", "task")
"""Types of cards that say something of which most checks know nothing: a port, a version, a place."""


def fact_of(draft: Draft) -> str:
    """What a check has to be about to say anything for this draft, "" when any check does."""
    if draft.type not in SURROUNDINGS:
        return ""
    # The "Use when" of a rule names what was run beside it, not the fact.
    said = [line for line in draft.body.splitlines() if not line.startswith("Use when:")]
    return "\n".join((draft.title, *said))


def checks_after(refs: Sequence[str], turns: Sequence[Turn], about: str = "") -> dict[str, Passed]:
    """By `host:session` the check that passed there after all that is cited of it.

    `about` is the fact that it has to be about (see `fact_of`).
    """
    found = {}
    for session in dict.fromkeys(map(session_of, refs)):
        own = [turn for turn in turns if session_of(turn.ref) == session]
        passed = passed_after(own, refs, about)
        if passed is not None:
            found[session] = passed
    return found


def session_of(ref: str) -> str:
    """The `host:session` of a reference."""
    return ref.partition("#")[0]
