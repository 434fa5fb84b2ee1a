"""From a citation to the record it names, and whether the record still says what was cited."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from memtui.hosts.access import read_span
from memtui.hosts.decode import decode_line
from memtui.hosts.digest import record_digest
from memtui.hosts.model import HostHome, SourceFile, Span
from memtui.hosts.place import span_at
from memtui.safety.redact import redact
from memtui.sessions.behind import find_behind
from memtui.sessions.catalogue import Catalogue, source_of
from memtui.sessions.keys import record_key
from memtui.sessions.rows import split_id

_NESTED = 1024 * 1024
_RECORDS = (
    "SELECT f.path, f.compressed, r.offset, r.length, s.session, r.turn FROM records r "
    "JOIN files f ON f.id = r.file JOIN sessions s ON s.id = r.turn >> 24 "
    "WHERE r.key = ? AND f.host = ? AND NOT f.gone ORDER BY r.id"
)
_COPIES = (
    "SELECT f.path, f.compressed, c.offset, c.length, COALESCE((SELECT s.session FROM session_files sf "
    "JOIN sessions s ON s.id = sf.session WHERE sf.file = c.file ORDER BY s.agent <> '' LIMIT 1), ''), "
    "NULL FROM copies c JOIN files f ON f.id = c.file "
    "WHERE c.key = ? AND f.host = ? AND NOT f.gone ORDER BY c.file, c.offset"
)


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


_FILES = (
    "SELECT f.id, s.session FROM sessions s JOIN session_files sf ON sf.session = s.id "
    "JOIN files f ON f.id = sf.file WHERE s.host = ? AND s.session = ? AND NOT f.gone ORDER BY f.id"
)
_NEAREST = "SELECT turn FROM records WHERE file = ? ORDER BY ABS(offset - ?) LIMIT 1"


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

    @property
    def source(self) -> SourceFile:
        """The transcript that holds it."""
        return SourceFile(self.host, self.span.path, compressed=self.compressed)


@dataclass(frozen=True, slots=True)
class Verification:
    """`record_digest` and `quote_found` are of the record as it is now ("" and False when gone)."""

    state: Standing
    location: Location | None = None
    record_digest: str = ""
    quote_found: bool = False


class Citations:
    """Looks cited records up in the catalogue and reads them again from the hosts' files.

    Where the catalogue is behind, the session's own files are read on from where it stands; `home`
    is where files are looked for that it does not know at all. Safe from any thread.
    """

    def __init__(self, catalogue: Catalogue, home: HostHome | None = None) -> None:
        self._catalogue = catalogue
        self._home = home

    def locate(self, ref: str) -> Location | None:
        """Where the record of `host:session#record` lies, or None if no file is known to hold it.

        Raises sqlite3.Error if there is no catalogue.
        """
        return next(iter(self._places(ref)), None)

    def verify(self, evidence: Cited) -> Verification:
        """Read the cited record again and compare its digest, or the quote where there is none.

        A copy in a fork counts: CHANGED means that no file holds the record as it was cited.
        """
        best = Verification(Standing.GONE)
        for location in self._places(evidence.ref):
            found = _check(location, evidence)
            if found.state is Standing.VERIFIED:
                return found
            if best.state is Standing.GONE:
                best = found
        return best

    def _places(self, ref: str) -> Iterator[Location]:
        """Where the record lies: in the cited session, in its copies, in what was not read yet."""
        try:
            wanted = parse_ref(ref)
        except ValueError:
            return
        key = record_key(wanted.host, wanted.session, wanted.record)
        with closing(self._catalogue.reader()) as db:
            rows = db.execute(_RECORDS, (key, wanted.host)).fetchall()
            rows += db.execute(_COPIES, (key, wanted.host)).fetchall()
            rows = rows or _by_place(db, wanted)
            rows.sort(key=lambda row: row[4] != wanted.session)
            yield from (_location(wanted, row) for row in rows)
            host = self._catalogue.hosts.get(wanted.host)
            if host is None or any(row[4] == wanted.session for row in rows):
                return
            found = find_behind(db, host, wanted.session, wanted.record, self._home)
        if found is not None:
            source, span = found
            yield Location(wanted.host, wanted.session, wanted.record, span, source.compressed)


def _check(location: Location, evidence: Cited) -> Verification:
    raw = _raw(location)
    if raw is None:
        return Verification(Standing.GONE)
    found = bool(evidence.quote) and quote_in(evidence.quote, _texts(raw))
    try:
        digest = record_digest(location.host, raw)
    except (KeyError, ValueError):
        return Verification(Standing.GONE, location)
    holds = digest == evidence.record if evidence.record else found or not evidence.quote
    state = Standing.VERIFIED if holds else Standing.CHANGED
    return Verification(state, location, digest, found)


def quote_in(quote: str, texts: Iterable[str]) -> bool:
    """Whether a text holds the quote, as it stands or as it reads redacted; spaces count as one."""
    wanted = " ".join(quote.split())
    for text in texts:
        if quote in text or wanted in " ".join(text.split()):
            return True
        if "[redacted:" in wanted and wanted in " ".join(redact(text).text.split()):
            return True
    return False


def _by_place(db: sqlite3.Connection, wanted: Ref) -> list[tuple[Any, ...]]:
    """A record that made no row of its own, with the row nearest to it in its file."""
    files = db.execute(_FILES, (wanted.host, wanted.session)).fetchall()
    for file, session_id in files:
        source = source_of(db, file)
        try:
            span = span_at(source, wanted.record) if source else None
        except OSError:
            continue  # a file that cannot be read holds no record: the citation is gone
        if source is not None and span is not None:
            near = db.execute(_NEAREST, (file, span.offset)).fetchone()
            turn = near[0] if near else None
            return [(str(span.path), source.compressed, span.offset, span.length, session_id, turn)]
    return []


def _location(wanted: Ref, row: tuple[Any, ...]) -> Location:
    path, compressed, offset, length, session_id, turn = row
    session, seq = split_id(turn) if turn is not None else (None, None)
    return Location(
        host=wanted.host,
        session_id=session_id,
        record=wanted.record,
        span=Span(Path(path), offset, length),
        compressed=bool(compressed),
        session=session,
        seq=seq,
        copy=session_id != wanted.session,
    )


def _raw(location: Location) -> dict[str, Any] | None:
    """The record at a location as JSON; None when the file no longer holds it there."""
    try:
        pieces = decode_line(read_span(location.source, location.span)).pieces
    except (OSError, EOFError):
        return None
    value = pieces[0].value if pieces else None
    return value if isinstance(value, dict) else None


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value. JSON inside a text (as Codex keeps outputs) is looked into too."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
            if value[:1] in "{[" and len(value) < _NESTED:
                with suppress(ValueError, RecursionError):
                    waiting.append(_containers(json.loads(value)))
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _containers(value: Any) -> Any:
    return value if isinstance(value, dict | list) else None


def parse_ref(text: str) -> Ref:
    """Parse `host:session#record`. Raises ValueError."""
    host, colon, rest = text.partition(":")
    session, hash_sign, record = rest.rpartition("#")
    if not (host and colon and session and hash_sign and record):
        raise ValueError(f"not a citation: {text!r} (host:session#record)")
    return Ref(host, session, record)
