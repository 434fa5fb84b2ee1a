"""Sessions as drafts are made from them: their turns, whole and in order, and the records that they cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memtui.bank.model import Scope
from memtui.capture.transcripts import Heading, headings, read
from memtui.capture.turns import Turn
from memtui.curate.candidates import Candidate, candidates
from memtui.curate.cited import checks_after, cited_records, fact_of, session_of
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft, draft
from memtui.curate.proposals import Proposal
from memtui.sessions.citation import Citations
from memtui.workspace.workspace import Workspace


class UnknownTurnError(LookupError):
    """A reference to a session or record that this project does not have."""


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """One session: `name` is `host:session`, with `/agent` for a sub-agent's."""

    name: str
    title: str
    scope: Scope
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft, the turns that it was made from, and the records that it cites."""

    draft: Draft
    turns: tuple[Turn, ...]
    records: tuple[CitedRecord, ...]


def session_turns(workspace: Workspace, name: str) -> list[SessionTurns]:
    """The session `host:session` and those of its sub-agents, newest scan. Blocks.

    Raises UnknownTurnError when this project has none of that name, OSError when it cannot be read.
    """
    found = headings(workspace.catalogue, workspace.project_keys)
    wanted = [heading for heading in found if name in (_session(heading), heading.name)]
    if not wanted:
        raise UnknownTurnError(f"no session {name} in this project")
    scope = Scope(project=workspace.project or None)
    return [SessionTurns(h.name, h.title, scope, tuple(read(h))) for h in wanted]


def draft_of_turns(workspace: Workspace, refs: Sequence[str]) -> Drafted:
    """A draft by rules from the turns `host:session#record`. Blocks. Raises like `session_turns`."""
    sessions: dict[str, list[SessionTurns]] = {}
    marked: list[Turn] = []
    context: tuple[Turn, ...] = ()
    for ref in refs:
        name = ref.partition("#")[0]
        if name not in sessions:
            sessions[name] = session_turns(workspace, name)
        turn, context = _turn(sessions[name], ref)
        if turn not in marked:
            marked.append(turn)
    scope = Scope(project=workspace.project or None)
    made = draft(marked, scope, context if len(sessions) == 1 else None)
    turns = tuple(turn for found in sessions.values() for one in found for turn in one.turns)
    return Drafted(made, tuple(marked), cited_records(made, turns, Citations(workspace.catalogue)))


def rechecked(workspace: Workspace, proposal: Proposal) -> Proposal:
    """The proposal with what passed in its session since it was made: most are made while one works."""
    records = proposal.records
    if not records or any(record.passed for record in records):
        return proposal
    try:
        sessions = session_turns(workspace, proposal.session)
    except (UnknownTurnError, OSError):
        # The host deleted the transcript since: the card can be saved, and nothing more is known.
        return proposal
    turns = [turn for session in sessions for turn in session.turns]
    about = fact_of(proposal.draft) if proposal.draft else ""
    passed = checks_after([record.ref for record in records], turns, about)
    looked = tuple(replace(one, passed=passed.get(session_of(one.ref))) for one in records)
    return replace(proposal, records=looked)


def candidates_of(workspace: Workspace, name: str) -> list[Candidate]:
    """What of a session could be promoted, best first. Blocks. Raises like `session_turns`."""
    return [
        candidate
        for session in session_turns(workspace, name)
        for candidate in candidates(session.turns, session.scope)
    ]


def _session(heading: Heading) -> str:
    return f"{heading.host}:{heading.session}"


def _turn(sessions: Sequence[SessionTurns], ref: str) -> tuple[Turn, tuple[Turn, ...]]:
    for session in sessions:
        for turn in session.turns:
            if ref in (turn.ref, turn.cited):
                return turn, session.turns
    raise UnknownTurnError(f"no turn {ref}: it is none that was said, run or printed")
