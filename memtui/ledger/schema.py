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


class CapturedRow(SQLModel, table=True):
    """What was read of one session; `steps` is a JSON array."""

    __tablename__ = "captured"

    session: str = Field(primary_key=True)
    mark: str
    at: str
    status: str
    detail: str
    observed: int
    proposed: int
    title: str
    outcome: str
    steps: str


class SightingRow(SQLModel, table=True):
    """One more time that something was seen."""

    __tablename__ = "sightings"

    subject: str = Field(primary_key=True)
    record: str = Field(primary_key=True)
    session: str
    at: str


class SleepRow(SQLModel, table=True):
    """One sleep; `report` is a JSON object."""

    __tablename__ = "sleeps"

    id: str = Field(primary_key=True)
    at: str
    read: int
    report: str


class DraftingRow(SQLModel, table=True):
    """What the drafter made of one session."""

    __tablename__ = "draftings"

    session: str = Field(primary_key=True)
    at: str
    drafter: str
    status: str
    detail: str
    sent: int
    tokens: int
    received: int
    seconds: float
    cards: int
    refused: int


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
