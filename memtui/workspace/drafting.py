"""From turns to drafts: what a new card begins with, and what else of a session is worth one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from memtui.bank.model import Scope
from memtui.capture.transcripts import Heading, heading_of, headings, read
from memtui.capture.turns import Turn
from memtui.curate.act import CurateError
from memtui.curate.candidates import candidates
from memtui.curate.cited import checks_after, cited_records, fact_of, session_of
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft, draft
from memtui.curate.drafter.prompt import NEAR
from memtui.curate.proposals import Proposal
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.citation import Citations
from memtui.sessions.rows import turn_id

Row = tuple[int, int]
"""A row of the timeline: its session's row id and its number there."""

BETWEEN = 30
"""Turns from the first to the last that a draft cites, up to which those between belong to it."""


class UnknownTurnError(LookupError):
    """A reference to a session or record that this project does not have."""


@dataclass(frozen=True, slots=True)
class Material:
    """A draft with the records that it cites, ready to be kept with the card."""

    draft: Draft
    records: tuple[CitedRecord, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The cited texts, redacted."""
        return tuple(record.text for record in self.records)


@dataclass(frozen=True, slots=True)
class Offer:
    """Something in a session that is worth a card: `reason` says why."""

    material: Material
    reason: str
    session: int


class Drafting:
    """Drafts by rules from the sessions of `projects` (their keys). Blocks; safe from any thread.

    Everything here raises OSError when a transcript cannot be read. A session is given as `host:session`,
    a turn as `host:session#record`.
    """

    def __init__(self, catalogue: Catalogue, scope: Scope, projects: Sequence[str]) -> None:
        self._catalogue = catalogue
        self._scope = scope
        self._projects = projects

    def draft(self, rows: Iterable[Row]) -> Material:
        """The draft of these rows; half of a failure and its success brings the other half along.

        Raises CurateError when no row can be cited.
        """
        chosen: list[Turn] = []
        sessions: list[list[Turn]] = []
        for session, refs in self._refs(rows).items():
            turns = read(heading_of(self._catalogue, session))
            sessions.append(turns)
            chosen += [turn for turn in turns if turn.ref in refs or turn.result_ref in refs]
        if not chosen:
            raise CurateError(
                "none of these turns can be cited", "mark prompts, answers or tool calls"
            )
        return self._drafted(chosen, sessions)

    def draft_of(self, refs: Sequence[str]) -> Material:
        """The draft of these turns. Raises UnknownTurnError."""
        named: dict[str, list[list[Turn]]] = {}
        chosen: list[Turn] = []
        sessions: list[list[Turn]] = []
        for ref in refs:
            name = ref.partition("#")[0]
            if name not in named:
                named[name] = [read(heading) for heading in self._headings(name)]
            turn, turns = _turn(named[name], ref)
            if turn not in chosen:
                chosen.append(turn)
            if turns not in sessions:
                sessions.append(turns)
        return self._drafted(chosen, sessions)

    def offers(self, session: int) -> tuple[Offer, ...]:
        """What could be promoted in the session with this row id, best first. Raises KeyError."""
        return tuple(self._offers(heading_of(self._catalogue, session)))

    def offers_of(self, session: str) -> tuple[Offer, ...]:
        """The same for a session and its sub-agents, by name. Raises UnknownTurnError."""
        return tuple(offer for one in self._headings(session) for offer in self._offers(one))

    def around(self, made: Draft) -> tuple[str, list[Turn], list[Turn]]:
        """The session of a draft's first citation; what it cites with the turns around; all turns.

        Raises CurateError where none of its sessions is there.
        """
        refs = {one.ref for one in made.evidence}
        near: list[Turn] = []
        whole: list[Turn] = []
        names = list(dict.fromkeys(ref.partition("#")[0] for ref in refs))
        for name in sorted(names):
            try:
                found = self._headings(name)
            except UnknownTurnError:
                continue
            for turns in map(read, found):
                places = [at for at, turn in enumerate(turns) if turn.cited in refs]
                near += [turn for at, turn in enumerate(turns) if at in _around(places)]
                whole += turns
        if not near:
            raise CurateError("what it cites is not there any more", "write the card by hand")
        return sorted(names)[0], near, whole

    def material(self, made: Draft, turns: Sequence[Turn]) -> Material:
        """A draft with the records that it cites of these turns."""
        return Material(made, cited_records(made, turns, Citations(self._catalogue)))

    def rechecked(self, proposal: Proposal) -> Proposal:
        """The proposal with what passed in its session since it was made: most are made while one works."""
        records = proposal.records
        if not records or any(record.passed for record in records):
            return proposal
        try:
            turns = [turn for one in self._headings(proposal.session) for turn in read(one)]
        except (UnknownTurnError, OSError):
            # The host deleted the transcript since: the card can be saved, and nothing more is known.
            return proposal
        about = fact_of(proposal.draft) if proposal.draft else ""
        passed = checks_after([record.ref for record in records], turns, about)
        looked = tuple(replace(one, passed=passed.get(session_of(one.ref))) for one in records)
        return replace(proposal, records=looked)

    def _offers(self, heading: Heading) -> list[Offer]:
        turns = read(heading)
        return [
            Offer(self.material(found.draft, turns), found.reason, heading.row)
            for found in candidates(turns, self._scope)
        ]

    def _headings(self, name: str) -> list[Heading]:
        found = headings(self._catalogue, self._projects)
        wanted = [one for one in found if name in (one.ref, one.name)]
        if not wanted:
            raise UnknownTurnError(f"no session {name} in this project")
        return wanted

    def _drafted(self, chosen: Sequence[Turn], sessions: Sequence[Sequence[Turn]]) -> Material:
        # A failure and its success are looked for in one session only.
        context = sessions[0] if len(sessions) == 1 else None
        made = draft(chosen, self._scope, context)
        return self.material(made, [turn for turns in sessions for turn in turns])

    def _refs(self, rows: Iterable[Row]) -> Mapping[int, set[str]]:
        """The citations of the rows, by session."""
        found: dict[int, set[str]] = {}
        with closing(self._catalogue.reader()) as db:
            for session, seq in sorted(set(rows)):
                row = db.execute(
                    "SELECT s.host, s.session, t.record FROM turns t "
                    "JOIN sessions s ON s.id = t.id >> 24 WHERE t.id = ?",
                    (turn_id(session, seq),),
                ).fetchone()
                if row is not None:
                    host, name, record = row
                    found.setdefault(session, set()).add(f"{host}:{name}#{record}")
        return found


def _around(places: Sequence[int]) -> set[int]:
    """The places with those next to them, and with what lies between where that is not much."""
    if places and places[-1] - places[0] <= BETWEEN:
        return set(range(places[0] - NEAR, places[-1] + NEAR + 1))
    return {at for place in places for at in range(place - NEAR, place + NEAR + 1)}


def _turn(sessions: Sequence[list[Turn]], ref: str) -> tuple[Turn, list[Turn]]:
    """The turn, and the session that it is of."""
    for turns in sessions:
        for turn in turns:
            if ref in (turn.ref, turn.cited):
                return turn, turns
    raise UnknownTurnError(f"no turn {ref}: it is none that was said, run or printed")
