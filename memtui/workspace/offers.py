"""From rows of the timeline to drafts: what the editor of a new card begins with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from memtui.bank.model import Scope
from memtui.capture.transcripts import heading_of, read
from memtui.capture.turns import Turn
from memtui.curate.act import CurateError
from memtui.curate.candidates import candidates
from memtui.curate.cited import cited_records
from memtui.curate.create import CitedRecord
from memtui.curate.draft import Draft, draft
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.citation import Citations
from memtui.sessions.rows import turn_id

Row = tuple[int, int]
"""A row of the timeline: its session's row id and its number there."""


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
    """Reads marked turns, and whole sessions for what is worth a card. Blocks; safe from any thread."""

    def __init__(self, catalogue: Catalogue, scope: Scope) -> None:
        self._catalogue = catalogue
        self._scope = scope

    def draft(self, rows: Iterable[Row]) -> Material:
        """The draft that the rules make of these rows.

        A single row that is half of a failure and its success brings the other half along. Raises
        CurateError when no row can be cited, OSError when a transcript cannot be read.
        """
        chosen: list[Turn] = []
        known: list[Turn] = []
        for session, refs in self._refs(rows).items():
            turns = self._turns(session)
            known += turns
            chosen += [turn for turn in turns if turn.ref in refs or turn.result_ref in refs]
        if not chosen:
            raise CurateError(
                "none of these turns can be cited", "mark prompts, answers or tool calls"
            )
        made = draft(chosen, self._scope, known)
        return self._material(made, known)

    def offers(self, session: int) -> tuple[Offer, ...]:
        """What could be promoted in a session, best first. Raises KeyError, OSError."""
        turns = self._turns(session)
        return tuple(
            Offer(self._material(found.draft, turns), found.reason, session)
            for found in candidates(turns, self._scope)
        )

    def _turns(self, session: int) -> list[Turn]:
        return read(heading_of(self._catalogue, session))

    def _material(self, made: Draft, turns: Sequence[Turn]) -> Material:
        return Material(made, cited_records(made, turns, Citations(self._catalogue)))

    def _refs(self, rows: Iterable[Row]) -> dict[int, set[str]]:
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
