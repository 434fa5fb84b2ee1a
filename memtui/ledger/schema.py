"""The rows of `ledger.db`. Only this package sees them; `migrations.py` makes their tables."""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class ActRow(SQLModel, table=True):
    """One act; `items` and `events` are JSON arrays."""

    __tablename__ = "acts"

    seq: int | None = Field(default=None, primary_key=True)
    id: str
    at: str
    writer: str
    verb: str
    items: str
    title: str
    summary: str
    state: str
    undoes: str | None = None
    undone_by: str | None = None
    redoable: bool = False
    erased: bool = False
    events: str = "[]"


class FileRow(SQLModel, table=True):
    """Undo bytes of one file of one act."""

    __tablename__ = "act_files"

    seq: int | None = Field(default=None, primary_key=True)
    act: str
    path: str
    start: int | None = None
    before: bytes | None = None
    after: bytes | None = None
    before_digest: str = ""
    after_digest: str = ""


class InjectionRow(SQLModel, table=True):
    """A planned injection; `lines` and `decisions` are JSON arrays."""

    __tablename__ = "injections"

    id: str = Field(primary_key=True)
    at: str
    session: str
    host: str
    source: str
    budget: int
    tokens: int
    text: str
    digest: str
    bank_version: str
    lines: str
    decisions: str


class ReceiptRow(SQLModel, table=True):
    """What became of an injection."""

    __tablename__ = "receipts"

    injection: str = Field(primary_key=True)
    at: str
    outcome: str
    digest: str
    detail: str


class RetrievalRow(SQLModel, table=True):
    """A search; `candidates` and `shown` are JSON arrays."""

    __tablename__ = "retrievals"

    id: str = Field(primary_key=True)
    at: str
    origin: str
    session: str
    query: str
    mode: str
    tokens: int
    ms: float
    candidates: str
    shown: str


class ProposalRow(SQLModel, table=True):
    """A suggestion in the inbox; `payload` is a JSON object, `evidence` a JSON array."""

    __tablename__ = "proposals"

    id: str = Field(primary_key=True)
    at: str
    key: str
    proposer: str
    session: str
    verb: str
    title: str
    nearest: str
    status: str
    decided_at: str | None = None
    payload: str
    evidence: str
