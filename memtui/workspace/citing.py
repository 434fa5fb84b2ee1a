"""Citations of cards and pages, each checked against its transcript and remembered."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui import reasons
from memtui.bank.evidence import EvidenceError, read_excerpt
from memtui.index.states import State
from memtui.sessions.citation import Citations, Standing, Verification
from memtui.workspace.model import Check, EvidenceView

if TYPE_CHECKING:
    from memtui.bank.layout import BankFiles
    from memtui.bank.model import BankContents, Evidence, Excerpt
    from memtui.sessions.catalogue import Catalogue

CHECKS = {
    Standing.VERIFIED: Check.VERIFIED,
    Standing.CHANGED: Check.CHANGED,
    Standing.GONE: Check.GONE,
}


class Citing:
    """Checks citations and remembers the outcome until the transcripts change. Thread-safe per call."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[tuple[str, str, str], Verification] = {}
        self._touched: set[Path] = set()
        self._renewed = False

    def check(self, files: BankFiles, evidence: Sequence[Evidence]) -> tuple[EvidenceView, ...]:
        """Every citation with its standing and the kept excerpt."""
        if not evidence:
            return ()
        self._forget()
        folders = evidence_folders(files)
        citations = Citations(self._catalogue)
        return tuple(
            _view(cited, self._verify(citations, cited), folders)
            if self._readable(cited)
            else _unread(cited, folders)
            for cited in evidence
        )

    def states(
        self, contents: BankContents, seconds: float
    ) -> tuple[dict[str, tuple[State, ...]], int]:
        """The states by item id that citations give, and how many citations are still unchecked.

        Checks what is not known yet for at most `seconds`.
        """
        self._forget()
        citations = Citations(self._catalogue)
        deadline = time.monotonic() + seconds
        found: dict[str, tuple[State, ...]] = {}
        waiting = 0
        for item in (*contents.cards, *contents.pages):
            outcomes = []
            for cited in filter(self._readable, item.evidence):
                if _key(cited) not in self._known and time.monotonic() > deadline:
                    waiting += 1
                    continue
                outcomes.append(self._verify(citations, cited))
            states = _states(outcomes)
            if states:
                found[item.id] = states
        return found, waiting

    def touched(self, paths: Iterable[Path]) -> None:
        """Next time, check again what lies in these transcripts, and what the catalogue did not have.

        Quick: a record that an agent appends must not wait for ten thousand citations.
        """
        self._touched.update(paths)
        self._renewed = True

    def _forget(self) -> None:
        if not self._renewed:
            return
        self._renewed = False
        changed, self._touched = self._touched, set()
        self._known = {
            key: outcome
            for key, outcome in self._known.items()
            if (place := outcome.location) is not None
            and place.session is not None  # found before it was catalogued: it has a turn by now
            and place.span.path not in changed
        }

    def _verify(self, citations: Citations, cited: Evidence) -> Verification:
        key, known = _key(cited), self._known
        outcome = known.get(key)
        if outcome is None:
            outcome = known[key] = citations.verify(cited)
        return outcome

    def _readable(self, cited: Evidence) -> bool:
        """Whether an adapter for the cited host is there: without one nothing can be said."""
        return cited.ref.partition(":")[0] in self._catalogue.hosts


def evidence_folders(files: BankFiles) -> tuple[Path, ...]:
    """Where excerpts may lie: with the bank, and in the state folder when they are not shared."""
    folders = [files.evidence]
    if files.state is not None and files.state / "evidence" not in folders:
        folders.append(files.state / "evidence")
    return tuple(folders)


def _key(cited: Evidence) -> tuple[str, str, str]:
    return cited.ref, cited.record, cited.quote


def _view(cited: Evidence, outcome: Verification, folders: tuple[Path, ...]) -> EvidenceView:
    excerpt, wrong = _excerpt(cited, folders)
    detail = "; ".join(filter(None, (_detail(cited, outcome), wrong)))
    check = CHECKS[outcome.state]
    if check is Check.VERIFIED and not cited.record and not cited.quote:
        check = Check.UNSEALED
    return EvidenceView(cited, check, outcome.location, excerpt, detail)


def _unread(cited: Evidence, folders: tuple[Path, ...]) -> EvidenceView:
    excerpt, wrong = _excerpt(cited, folders)
    host = cited.ref.partition(":")[0]
    detail = f"transcripts of {host or 'this host'} are not read"
    return EvidenceView(
        cited, Check.UNSEALED, None, excerpt, "; ".join(filter(None, (detail, wrong)))
    )


def _excerpt(cited: Evidence, folders: tuple[Path, ...]) -> tuple[Excerpt | None, str]:
    if not cited.excerpt:
        return None, ""
    try:
        return read_excerpt(folders, cited.excerpt), ""
    except EvidenceError as error:
        return None, str(error)


def _detail(cited: Evidence, outcome: Verification) -> str:
    if outcome.state is Standing.GONE:
        return "the transcript no longer holds this record"
    if outcome.state is Standing.CHANGED:
        if cited.quote and not outcome.quote_found:
            return "the record no longer holds the quoted words"
        return "the record changed since it was cited"
    if outcome.location is not None and outcome.location.copy:
        return f"found in the copy in session {outcome.location.session_id}"
    return ""


def _states(outcomes: Iterable[Verification]) -> tuple[State, ...]:
    gone = changed = 0
    for outcome in outcomes:
        gone += outcome.state is Standing.GONE
        changed += outcome.state is Standing.CHANGED
    states = []
    if changed:
        states.append(State(reasons.EVIDENCE_CHANGED, f"{changed} cited records changed"))
    if gone:
        states.append(State(reasons.EVIDENCE_GONE, f"{gone} cited records are gone"))
    return tuple(states)
