"""From findings to observations: redacted, bounded, with their references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.capture.commands import runs
from memtui.capture.extract.all import findings
from memtui.capture.extract.finding import Finding
from memtui.capture.noise import told
from memtui.capture.observation import DETAIL, SUMMARY, Observation
from memtui.capture.turns import Turn
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

_REFS = 20
_PATHS = 5
_TAGS = 4


@dataclass(frozen=True, slots=True)
class Where:
    """Which session is observed, and its scope."""

    host: str
    session: str
    project: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """An observation beside the finding that it was made from."""

    finding: Finding
    observation: Observation


def observe(turns: Sequence[Turn], where: Where) -> list[Seen]:
    """What a session shows, in the order of the extractors."""
    return [Seen(finding, observation_of(turns, finding, where)) for finding in findings(turns)]


def observation_of(turns: Sequence[Turn], finding: Finding, where: Where) -> Observation:
    """A finding as an observation."""
    shown = [turns[place] for place in finding.places]
    refs = dict.fromkeys(ref for turn in shown for ref in (turn.cited, turn.ref))
    between = turns[min(finding.places) : max(finding.places) + 1]
    paths = sorted({path for turn in between for path in turn.paths if not path.startswith("/")})
    tags = dict.fromkeys(
        run.program.rsplit("/", 1)[-1].split()[0][:60]
        for turn in shown
        for run in runs(turn.command)
        if run.program.strip()
    )
    return Observation(
        kind=finding.kind,
        host=where.host,
        session=where.session,
        summary=_line(finding.sentence, SUMMARY) or finding.kind.value,
        refs=tuple(ref[:600] for ref in list(refs)[:_REFS]),
        key=_line(finding.key, SUMMARY) or finding.kind.value,
        project=where.project[:400],
        branch=where.branch[:400],
        at=shown[0].at.replace(microsecond=0) if shown[0].at else None,
        detail=told(redact(finding.detail).text, DETAIL),
        tags=tuple(list(tags)[:_TAGS]),
        paths=tuple(path[:400] for path in paths[:_PATHS]),
        ok=finding.ok,
    )


def _line(text: str, limit: int) -> str:
    return one_line(redact(text).text, limit)[:limit]
