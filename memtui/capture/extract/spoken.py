"""Outcomes that are said: corrections by the user, causes, decisions and facts of the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memtui.capture import phrases
from memtui.capture.commands import failed, refused, runs
from memtui.capture.extract.finding import Extractor, Finding, same
from memtui.capture.observation import What
from memtui.capture.turns import Turn
from memtui.hosts.model import Kind


def _said(what: What, kinds: tuple[Kind, ...], find: Callable[[str], str | None]) -> Extractor:
    def extract(turns: Sequence[Turn]) -> Iterator[Finding]:
        for place, turn in enumerate(turns):
            sentence = find(turn.text) if turn.kind in kinds and turn.text else None
            if sentence:
                yield Finding(what, (place,), sentence, same(sentence))

    return extract


corrections = _said(What.CORRECTION, (Kind.PROMPT,), phrases.correction)
"""A user who says how it is done here."""
_stated = _said(What.CAUSE, (Kind.ANSWER,), phrases.root_cause)


def causes(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Causes that are stated as found, and what is said first after a failure."""
    yield from _stated(turns)
    after_failure = False
    for place, turn in enumerate(turns):
        if turn.kind is Kind.CALL:
            after_failure |= failed(turn) and not refused(turn) and bool(runs(turn.command))
        elif turn.kind is Kind.PROMPT:
            after_failure = False
        elif turn.kind is Kind.ANSWER and after_failure:
            after_failure = False
            sentence = phrases.explanation(turn.text)
            if sentence:
                yield Finding(What.CAUSE, (place,), sentence, same(sentence))


decisions = _said(What.DECISION, (Kind.ANSWER,), phrases.decision)
"""A decision with its reason or its alternative."""
facts = _said(What.ENVIRONMENT, (Kind.PROMPT, Kind.ANSWER), phrases.environment)
"""Versions, ports, variables, places, as said."""
