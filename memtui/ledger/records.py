"""The ledger's other records: injections, receipts, retrievals and proposals."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Set
from contextlib import AbstractContextManager
from datetime import datetime

from sqlmodel import Session, SQLModel, col, func, select

from memtui.clock import format_time, parse_time
from memtui.ledger.model import InjectionRecord, ProposalRecord, ReceiptRecord, RetrievalRecord
from memtui.ledger.schema import (
    CapturedRow,
    DraftingRow,
    InjectionRow,
    ProposalRow,
    ReceiptRow,
    RetrievalRow,
    SightingRow,
    SleepRow,
)

CAPTURE = (CapturedRow, SightingRow, SleepRow, DraftingRow)
"""What capture keeps: a purge looks here too."""


class Records(ABC):
    """Adding is idempotent: the same id again replaces the row."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Session]: ...

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Session]: ...

    def add_injection(self, record: InjectionRecord) -> None:
        """Keep what was planned for a session."""
        row = InjectionRow(
            id=record.id,
            at=format_time(record.at),
            session=record.session,
            host=record.host,
            source=record.source,
            budget=record.budget,
            tokens=record.tokens,
            text=record.text,
            digest=record.digest,
            bank_version=record.bank_version,
            lines=_dump(record.lines),
            decisions=_dump([dict(decision) for decision in record.decisions]),
        )
        self._merge(row)

    def injections(
        self, session_id: str | None = None, limit: int | None = None
    ) -> list[InjectionRecord]:
        """All injections, or those of one session, or the newest `limit` of them, oldest first."""
        with self._reading() as session:
            query = select(InjectionRow).order_by(
                col(InjectionRow.at).desc(), col(InjectionRow.id).desc()
            )
            if session_id is not None:
                query = query.where(col(InjectionRow.session) == session_id)
            if limit is not None:
                query = query.limit(limit)
            return [_injection(row) for row in session.exec(query)][::-1]

    def unsettled(self) -> list[str]:
        """The sessions that were sent something of which no receipt says that it arrived."""
        with self._reading() as session:
            query = (
                select(InjectionRow.session)
                .join(
                    ReceiptRow,
                    col(ReceiptRow.injection) == col(InjectionRow.id),
                    isouter=True,
                )
                .where(col(InjectionRow.text) != "")
                .where(func.coalesce(col(ReceiptRow.outcome), "missing") == "missing")
                .distinct()
                .order_by(col(InjectionRow.session))
            )
            return list(session.exec(query))

    def last_injections(self) -> dict[str, datetime]:
        """When each host last asked what to send, by its name."""
        with self._reading() as session:
            query = select(InjectionRow.host, func.max(InjectionRow.at)).group_by(InjectionRow.host)
            return {host: parse_time(at) for host, at in session.exec(query)}

    def last_session(self, host: str) -> str:
        """The session (`host:session`) that a host's hook planned for last, "" when there is none."""
        with self._reading() as session:
            newest = (col(InjectionRow.at).desc(), col(InjectionRow.id).desc())
            query = select(InjectionRow.session).where(InjectionRow.host == host)
            return session.exec(query.order_by(*newest).limit(1)).first() or ""

    def add_receipt(self, record: ReceiptRecord) -> None:
        """Keep what became of an injection; a later receipt replaces an earlier one."""
        row = ReceiptRow(
            injection=record.injection,
            at=format_time(record.at),
            outcome=record.outcome,
            digest=record.digest,
            detail=record.detail,
        )
        self._merge(row)

    def receipts(self) -> dict[str, ReceiptRecord]:
        """Every receipt by the id of its injection."""
        with self._reading() as session:
            rows = session.exec(select(ReceiptRow)).all()
            return {
                row.injection: ReceiptRecord(
                    row.injection, parse_time(row.at), row.outcome, row.digest, row.detail
                )
                for row in rows
            }

    def add_retrieval(self, record: RetrievalRecord) -> None:
        """Keep one search with what it found and showed."""
        row = RetrievalRow(
            id=record.id,
            at=format_time(record.at),
            origin=record.origin,
            session=record.session,
            query=record.query,
            mode=record.mode,
            tokens=record.tokens,
            ms=record.ms,
            candidates=_dump([dict(candidate) for candidate in record.candidates]),
            shown=_dump(record.shown),
        )
        self._merge(row)

    def retrievals(self, limit: int = 1000) -> list[RetrievalRecord]:
        """The newest searches, newest first."""
        with self._reading() as session:
            newest = (col(RetrievalRow.at).desc(), col(RetrievalRow.id).desc())
            query = select(RetrievalRow).order_by(*newest).limit(limit)
            return [_retrieval(row) for row in session.exec(query)]

    def put_proposal(self, record: ProposalRecord) -> None:
        """Add a proposal, or replace the one with its id (to decide on it)."""
        self._merge(proposal_row(record))

    def proposals(self, status: str | None = None) -> list[ProposalRecord]:
        """All proposals, or those with one status, oldest first."""
        with self._reading() as session:
            query = select(ProposalRow).order_by(col(ProposalRow.at), col(ProposalRow.id))
            if status is not None:
                query = query.where(col(ProposalRow.status) == status)
            return [proposal_of(row) for row in session.exec(query)]

    def proposed_before(self, key: str) -> bool:
        """Whether something with this key was ever proposed, whatever became of it."""
        with self._reading() as session:
            query = select(ProposalRow.id).where(col(ProposalRow.key) == key).limit(1)
            return session.exec(query).first() is not None

    def _merge(self, row: SQLModel) -> None:
        with self._writing() as session:
            session.merge(row)

    def _erase_records(
        self, session: Session, matches: Callable[[str], bool], items: Set[str]
    ) -> int:
        """Delete the rows that match, or that are proposals about `items`. Returns how many."""
        gone = 0
        for table in (InjectionRow, RetrievalRow, ProposalRow, ReceiptRow, *CAPTURE):
            for row in session.exec(select(table)):
                values = [value for value in row.model_dump().values() if isinstance(value, str)]
                nearest = isinstance(row, ProposalRow) and row.nearest in items
                if nearest or any(map(matches, values)):
                    session.delete(row)
                    gone += 1
        return gone


def _dump(value: object) -> str:
    # Unescaped, so that a purge finds a text by its own characters.
    return json.dumps(value, ensure_ascii=False)


def _injection(row: InjectionRow) -> InjectionRecord:
    return InjectionRecord(
        id=row.id,
        at=parse_time(row.at),
        session=row.session,
        host=row.host,
        source=row.source,
        budget=row.budget,
        tokens=row.tokens,
        text=row.text,
        digest=row.digest,
        bank_version=row.bank_version,
        lines=tuple((handle, text) for handle, text in json.loads(row.lines)),
        decisions=tuple(json.loads(row.decisions)),
    )


def _retrieval(row: RetrievalRow) -> RetrievalRecord:
    return RetrievalRecord(
        id=row.id,
        at=parse_time(row.at),
        origin=row.origin,
        session=row.session,
        query=row.query,
        mode=row.mode,
        tokens=row.tokens,
        ms=row.ms,
        candidates=tuple(json.loads(row.candidates)),
        shown=tuple(json.loads(row.shown)),
    )


def proposal_row(record: ProposalRecord) -> ProposalRow:
    """A proposal as the ledger keeps it."""
    return ProposalRow(
        id=record.id,
        at=format_time(record.at),
        key=record.key,
        proposer=record.proposer,
        session=record.session,
        verb=record.verb,
        title=record.title,
        nearest=record.nearest,
        status=record.status,
        decided_at=_format(record.decided_at),
        payload=_dump(dict(record.payload)),
        evidence=_dump([dict(evidence) for evidence in record.evidence]),
    )


def proposal_of(row: ProposalRow) -> ProposalRecord:
    return ProposalRecord(
        id=row.id,
        at=parse_time(row.at),
        key=row.key,
        proposer=row.proposer,
        session=row.session,
        verb=row.verb,
        title=row.title,
        nearest=row.nearest,
        status=row.status,
        decided_at=None if row.decided_at is None else parse_time(row.decided_at),
        payload=json.loads(row.payload),
        evidence=tuple(json.loads(row.evidence)),
    )


def _format(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)
