"""A session in two lines, by rule: its title, and what was asked, changed, failed and proved true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.capture.observation import Observation, What
from memtui.capture.turns import Turn
from memtui.hosts.model import Kind
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

TITLE = 80
PART = 110
_PROOFS = (What.CAUSE, What.PAIR, What.DECISION, What.CORRECTION, What.ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`title` is the host's own or the first prompt; `line` says how it went, empty when nothing did."""

    title: str
    line: str


def outcome_of(turns: Sequence[Turn], seen: Sequence[Observation], title: str = "") -> Outcome:
    """The summary of a session. Both lines are redacted."""
    asked = next((turn.text for turn in turns if turn.kind is Kind.PROMPT and turn.text), "")
    parts = [part for part in (_changed(turns, seen), _failed(seen), _proved(seen)) if part]
    return Outcome(_short(title or asked, TITLE), "; ".join(parts))


def _changed(turns: Sequence[Turn], seen: Sequence[Observation]) -> str:
    commits = [one.summary for one in seen if one.kind is What.CHANGE]
    if commits:
        more = f" (+{len(commits) - 1} commits)" if len(commits) > 1 else ""
        return f"changed: {_short(commits[-1], PART)}{more}"
    paths = {path for turn in turns for path in turn.paths if turn.kind is Kind.CALL and path}
    return f"touched {len(paths)} file{'s' if len(paths) != 1 else ''}" if paths else ""


def _failed(seen: Sequence[Observation]) -> str:
    """The checks that were red at the end."""
    last = {one.key: one for one in seen if one.kind is What.REPORT}
    red = [one.summary for one in last.values() if one.ok is False]
    return f"still failing: {_short(red[-1], PART)}" if red else ""


def _proved(seen: Sequence[Observation]) -> str:
    for kind in _PROOFS:
        found = next((one.summary for one in seen if one.kind is kind), "")
        if found:
            return f"learned: {_short(found, PART)}"
    return ""


def _short(text: str, limit: int) -> str:
    return one_line(redact(text).text, limit)
