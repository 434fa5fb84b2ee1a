"""From a citation to the record it names, and whether the record still says what was cited."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memtui.hosts.model import Span


class Standing(StrEnum):
    """Whether a cited record still says what was cited."""

    VERIFIED = "verified"
    CHANGED = "changed"
    GONE = "gone"


class Cited(Protocol):
    """What is verified: the fields of `memtui.bank.model.Evidence` that are read here."""

    @property
    def ref(self) -> str: ...
    @property
    def record(self) -> str: ...
    @property
    def quote(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Ref:
    """`host:session#record`, parsed."""

    host: str
    session: str
    record: str

    def __str__(self) -> str:
        return f"{self.host}:{self.session}#{self.record}"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a cited record lies. `session` and `seq` are None while the catalogue is behind.

    `copy` tells that the record was found in another session (a fork) than the one cited.
    """

    host: str
    session_id: str
    record: str
    span: Span
    compressed: bool = False
    session: int | None = None
    seq: int | None = None
    copy: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """`record_digest` and `quote_found` are of the record as it is now ("" and False when gone)."""

    state: Standing
    location: Location | None = None
    record_digest: str = ""
    quote_found: bool = False


class Citations:
    """Looks records up in the catalogue, and in the files where the catalogue is behind."""

    def locate(self, ref: str) -> Location | None:
        """Where the record of `host:session#record` lies, or None if no file holds it."""
        ...

    def verify(self, evidence: Cited) -> Verification:
        """Read the cited record again and compare its digest, or the quote where there is none."""
        ...


def parse_ref(text: str) -> Ref:
    """Parse `host:session#record`. Raises ValueError."""
    host, colon, rest = text.partition(":")
    session, hash_sign, record = rest.rpartition("#")
    if not (host and colon and session and hash_sign and record):
        raise ValueError(f"not a citation: {text!r} (host:session#record)")
    return Ref(host, session, record)
