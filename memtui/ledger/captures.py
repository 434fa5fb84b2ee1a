"""What capture and sleep keep: sessions read, sightings, sleeps. One step is one transaction."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from typing import Any

from sqlmodel import Session, col, select

from memtui.clock import format_time, parse_time
from memtui.ledger.model import (
    PROPOSAL,
    ActState,
    CapturedRecord,
    DecisionRecord,
    DraftingRecord,
    ProposalRecord,
    SightingRecord,
    SleepRecord,
)
from memtui.ledger.records import proposal_row
from memtui.ledger.schema import ActRow, CapturedRow, DraftingRow, SightingRow, SleepRow


class Captures(ABC):
    """The same record again replaces the row, so a step that was killed can be done again."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Session]: ...

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Session]: ...

    def capture(
        self,
        captured: Iterable[CapturedRecord],
        proposals: Iterable[ProposalRecord] = (),
        sightings: Iterable[SightingRecord] = (),
        draftings: Iterable[DraftingRecord] = (),
    ) -> None:
        """Keep what one step of capture found, wholly or not at all."""
        with self._writing() as session:
            for record in captured:
                session.merge(_captured_row(record))
            for proposal in proposals:
                session.merge(proposal_row(proposal))
            for seen in sightings:
                if not _is_copy(session, seen):
                    session.merge(_sighting_row(seen))
            for drafted in draftings:
                session.merge(DraftingRow(**_fields(drafted)))

    def draftings(self) -> list[DraftingRecord]:
        """What the drafter made of each session that it was given, oldest first."""
        with self._reading() as session:
            rows = session.exec(select(DraftingRow).order_by(col(DraftingRow.at))).all()
            names = [field.name for field in fields(DraftingRecord)]
            told = [{name: getattr(row, name) for name in names} for row in rows]
        return [DraftingRecord(**{**one, "at": parse_time(one["at"])}) for one in told]

    def captured(self) -> dict[str, CapturedRecord]:
        """What was read, by session."""
        with self._reading() as session:
            return {row.session: _captured(row) for row in session.exec(select(CapturedRow))}

    def sightings(self, subject: str | None = None) -> dict[str, list[SightingRecord]]:
        """Sightings by subject, oldest first."""
        with self._reading() as session:
            query = select(SightingRow).order_by(col(SightingRow.at), col(SightingRow.record))
            if subject is not None:
                query = query.where(col(SightingRow.subject) == subject)
            found: dict[str, list[SightingRecord]] = defaultdict(list)
            for row in session.exec(query):
                found[row.subject].append(_sighting(row))
            return dict(found)

    def add_sleep(self, record: SleepRecord) -> None:
        """Keep that a sleep was carried out."""
        with self._writing() as session:
            session.merge(
                SleepRow(
                    id=record.id,
                    at=format_time(record.at),
                    read=record.read,
                    report=json.dumps(dict(record.report), ensure_ascii=False),
                )
            )

    def last_sleep(self) -> SleepRecord | None:
        """The newest sleep, if there was one."""
        with self._reading() as session:
            query = select(SleepRow).order_by(col(SleepRow.at).desc(), col(SleepRow.id).desc())
            row = session.exec(query.limit(1)).first()
            if row is None:
                return None
            return SleepRecord(row.id, parse_time(row.at), row.read, json.loads(row.report))

    def decisions(self) -> Mapping[str, DecisionRecord]:
        """By which act each proposal (by id) was decided; what was taken back is left out."""
        found: dict[str, DecisionRecord] = {}
        with self._reading() as session:
            query = select(ActRow).where(
                col(ActRow.items).contains(PROPOSAL),
                col(ActRow.state) == ActState.DONE.value,
                col(ActRow.undoes).is_(None),
                col(ActRow.undone_by).is_(None),
            )
            for row in session.exec(query.order_by(col(ActRow.seq))):
                items = json.loads(row.items)
                about = [item.removeprefix(PROPOSAL) for item in items if item.startswith(PROPOSAL)]
                made = next((item for item in items if not item.startswith(PROPOSAL)), "")
                for proposal in about:
                    found[proposal] = DecisionRecord(row.id, row.verb, parse_time(row.at), made)
        return found


def _fields(record: DraftingRecord) -> dict[str, Any]:
    return {**asdict(record), "at": format_time(record.at)}


_OWN_ID = 12
"""Characters from which on the id of a record is its own wherever it stands."""


def _is_copy(session: Session, seen: SightingRecord) -> bool:
    """Whether the record was sighted in another session: a fork takes the records of its parent along.

    Only ids that no two sessions have by chance: some hosts count their records.
    """
    place, _, record = seen.record.partition("#")
    if len(record) < _OWN_ID:
        return False
    host = place.partition(":")[0]
    query = select(SightingRow.record).where(
        col(SightingRow.subject) == seen.subject, col(SightingRow.record) != seen.record
    )
    others = (other.partition("#") for other in session.exec(query))
    return any(o[2] == record and o[0].partition(":")[0] == host for o in others)


def _captured_row(record: CapturedRecord) -> CapturedRow:
    return CapturedRow(
        session=record.session,
        mark=record.mark,
        at=format_time(record.at),
        status=record.status,
        detail=record.detail,
        observed=record.observed,
        proposed=record.proposed,
        title=record.title,
        outcome=record.outcome,
        steps=json.dumps(record.steps, ensure_ascii=False),
    )


def _captured(row: CapturedRow) -> CapturedRecord:
    return CapturedRecord(
        session=row.session,
        mark=row.mark,
        at=parse_time(row.at),
        status=row.status,
        detail=row.detail,
        observed=row.observed,
        proposed=row.proposed,
        title=row.title,
        outcome=row.outcome,
        steps=tuple((command, record) for command, record in json.loads(row.steps)),
    )


def _sighting_row(record: SightingRecord) -> SightingRow:
    return SightingRow(
        subject=record.subject,
        record=record.record,
        session=record.session,
        at=format_time(record.at),
    )


def _sighting(row: SightingRow) -> SightingRecord:
    return SightingRecord(row.subject, row.record, row.session, parse_time(row.at))
