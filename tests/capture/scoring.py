"""How well the extractors do against the labels: hits, misses and false alarms of each kind."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtui.capture.extract.all import findings
from memtui.capture.extract.finding import Finding
from memtui.capture.observation import ROUTINE, What
from memtui.capture.transcripts import clean
from memtui.capture.turns import Turn, turns_of
from memtui.hosts.model import Entry, SourceFile
from memtui.hosts.read import parse_file, without_rolled_back

LABELS = Path(__file__).with_name("labels.jsonl")
PROJECT = Path(__file__).resolve().parents[2]
_HOME = PROJECT / "sample_bank" / "home"
ROOTS = {"sample": _HOME, "real": PROJECT.parent / "shared" / "samples", "held-out": _HOME}
"""Where the sessions of each part lie. What is held out was labelled after the rules were written."""


@dataclass(frozen=True, slots=True)
class Label:
    """One outcome that a person saw: the kinds that name it, the best first, and its records."""

    kinds: tuple[What, ...]
    records: frozenset[str]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A session whose every outcome is labelled."""

    half: str
    file: Path
    host: str
    session: str
    labels: tuple[Label, ...]


@dataclass(slots=True)
class Score:
    """Counts of one kind. `found` are labels that were found, `right` findings that are labelled."""

    labels: int = 0
    found: int = 0
    findings: int = 0
    right: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Findings that are labelled, of all; 1 where nothing was found."""
        return self.right / self.findings if self.findings else 1.0

    @property
    def recall(self) -> float:
        """Labels that were found, of all; 1 where there is none."""
        return self.found / self.labels if self.labels else 1.0


def labelled(half: str) -> Iterator[Labelled]:
    """The labelled sessions of one part: `sample`, `real` or `held-out`."""
    for line in LABELS.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] == half:
            labels = tuple(
                Label(tuple(What(kind) for kind in label["kinds"]), frozenset(label["records"]))
                for label in row["labels"]
            )
            file = ROOTS[half] / row["file"]
            yield Labelled(half, file, row["host"], row["session"], labels)


def turns(session: Labelled) -> list[Turn]:
    """The turns of a labelled session."""
    entries = [
        e for e in parse_file(SourceFile(session.host, session.file)) if isinstance(e, Entry)
    ]
    return clean(turns_of(session.host, session.session, without_rolled_back(entries)))


def score(half: str) -> dict[str, Score]:
    """Scores by kind, and those of all outcomes together as `all`."""
    scores: dict[str, Score] = defaultdict(Score)
    for session in labelled(half):
        own = turns(session)
        seen = [finding for finding in findings(own) if finding.kind is not What.RESULT]
        for finding in seen:
            right = any(_hits(own, finding, label) for label in session.labels)
            for name in _names(finding.kind):
                scores[name].findings += 1
                scores[name].right += right
                if not right:
                    scores[name].wrong.append((own[finding.places[0]].ref, finding.sentence))
        for label in session.labels:
            found = any(_hits(own, finding, label) for finding in seen)
            for name in _names(label.kinds[0]):
                scores[name].labels += 1
                scores[name].found += found
                if not found:
                    scores[name].missed.append(sorted(label.records)[0])
    return dict(scores)


def _names(kind: What) -> tuple[str, ...]:
    return (kind.value,) if kind in ROUTINE else (kind.value, "all")


def _hits(own: Sequence[Turn], finding: Finding, label: Label) -> bool:
    refs = {ref for p in finding.places for ref in (own[p].ref, own[p].result_ref) if ref}
    return finding.kind in label.kinds and any(r.partition("#")[2] in label.records for r in refs)
