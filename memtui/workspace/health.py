"""The health of an open bank: what the linter finds, with all that is known besides the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui import reasons
from memtui.bank.layout import INDEX
from memtui.curate.curator import Curator
from memtui.curate.lint import Finding, Source, lint, source_of, untold
from memtui.curate.rules.host import CUT_LINES, CUT_UNITS
from memtui.curate.sleep.upkeep import cold_cards, weekly
from memtui.index.citations import cited_paths
from memtui.index.days import day_of
from memtui.index.states import State
from memtui.inject.limits import measure
from memtui.inject.model import Request
from memtui.inject.plan import plan
from memtui.ledger.access import LEDGER_NAME
from memtui.workspace.model import BankView

INSTRUCTION_FILES = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
"""The instruction files of a project that cards are compared with."""
_LARGEST = 256 * 1024
_EVIDENCE = (reasons.EVIDENCE_GONE, reasons.EVIDENCE_CHANGED)


@dataclass(frozen=True, slots=True)
class Health:
    """Findings of one look at the bank, errors first. `notes` say what could not be looked at."""

    findings: tuple[Finding, ...]
    at: datetime
    notes: tuple[str, ...] = ()
    size: Size | None = None


@dataclass(frozen=True, slots=True)
class Size:
    """How a bank grows: cards that came and went within a week, the ids of cold ones (shown often, never
    used), and its index against what a host loads of it (200 lines, 25,000 characters).
    """

    came: int
    went: int
    cold: tuple[str, ...]
    lines: int
    characters: int

    @property
    def fill(self) -> float:
        """How full the index is: 1 at the limit."""
        return max(self.lines / CUT_LINES, self.characters / CUT_UNITS)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a look at the bank needs, read at one moment. `notes` say what could not be read."""

    source: Source
    notes: tuple[str, ...] = ()
    size: Size | None = None


def gather(curator: Curator, view: BankView, project_root: Path | None) -> Gathered:
    """Read what the linter needs besides the bank of `view`. Blocks. Raises OSError."""
    texts, notes = _texts(project_root, INSTRUCTION_FILES)
    named, more = _texts(project_root, sorted(_named(view)))
    return Gathered(source_for(curator, view, texts, named), notes + more, _size(curator, view))


def examine(gathered: Gathered, tell: Callable[[int, int], None] = untold) -> Health:
    """Lint. Blocks for as long as the rules take, and needs no curator meanwhile.

    `tell` hears how many rules are done of how many; what it raises ends the work.
    """
    found = lint(gathered.source, tell)
    return Health(tuple(found), gathered.source.now, gathered.notes, gathered.size)


def source_for(
    curator: Curator,
    view: BankView,
    instructions: Mapping[str, str],
    files: Mapping[str, str],
) -> Source:
    """What the linter reads: the bank, and what drift, evidence checks and past queries say."""
    plain = source_of(curator, view.contents)
    return Source(
        contents=plain.contents,
        now=plain.now,
        index=plain.index,
        drift=_drift(view),
        evidence=_evidence(view),
        instructions=instructions,
        files=files,
        missed=_missed(curator),
        excerpts=plain.excerpts,
        unfinished=plain.unfinished,
        block=_block(view, plain.now),
        waiting=plain.waiting,
        unlogged=plain.unlogged,
    )


def _block(view: BankView, now: datetime) -> int:
    """How much a session of the host with the smallest room would receive, in its own measure."""
    project = view.contents.config.project
    made = plan(view.snapshot, Request("claude-code", "startup", project, "", day_of(now)))
    return measure(made.text, made.limit)


def _size(curator: Curator, view: BankView) -> Size:
    contents = view.contents
    came, went = weekly(contents, curator.clock())
    known = (curator.state / LEDGER_NAME).exists()
    cold = tuple(card.id for card in cold_cards(curator, contents)) if known else ()
    index = (curator.read(INDEX) or b"").decode("utf-8", "replace").strip()
    return Size(came, went, cold, len(index.splitlines()), len(index))


def _drift(view: BankView) -> dict[str, str]:
    return {
        found.item.id: state.cause
        for found in view.cards
        for state in found.states
        if state.reason == reasons.DRIFTED
    }


def _evidence(view: BankView) -> dict[str, tuple[State, ...]]:
    states = {
        found.item.id: tuple(state for state in found.states if state.reason in _EVIDENCE)
        for found in (*view.cards, *view.pages)
    }
    return {item: found for item, found in states.items() if found}


def _missed(curator: Curator) -> Mapping[str, int]:
    """Queries that found nothing, with how often they were asked."""
    if not (curator.state / LEDGER_NAME).exists():
        return {}
    asked = curator.ledger.retrievals()
    return Counter(one.query for one in asked if one.query.strip() and not one.candidates)


def _named(view: BankView) -> set[str]:
    """The files that cards name, relative to the repository and inside of it."""
    paths = {path for card in view.contents.cards for path in cited_paths(card)}
    return {path for path in paths if not path.startswith("/") and ".." not in Path(path).parts}


def _texts(root: Path | None, names: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The texts of files of the project by path, and what could not be read."""
    texts: dict[str, str] = {}
    notes = []
    for name in names if root is not None else ():
        file = (root or Path()) / name
        try:
            if file.is_file() and file.stat().st_size <= _LARGEST:
                texts[name] = file.read_text("utf-8", "replace")
        except OSError as error:
            notes.append(f"{name} is not compared: {error}")
    return texts, tuple(notes)
