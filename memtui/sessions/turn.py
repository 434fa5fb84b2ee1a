"""One row of the timeline in full, read from the host's file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from memtui.hosts.access import read_span
from memtui.hosts.model import Entry, Kind, SourceFile, Span, Tokens
from memtui.sessions.catalogue import Catalogue
from memtui.sessions.rows import KINDS, Flag, turn_id
from memtui.sessions.spans import Piece, pieces_of, read_piece

_ROW = (
    "SELECT t.kind, t.flags, s.host, s.session, t.record, t.at, t.tool, t.exit_code, t.agent, t.preview "
    "FROM turns t JOIN sessions s ON s.id = t.id >> 24 WHERE t.id = ?"
)

SHOWN = 256 * 1024
"""Characters of a text that are shown unless asked for more."""


@dataclass(frozen=True, slots=True)
class LongText:
    """A text as stored, neither redacted nor sanitized, cut to what is shown.

    `total` is its full length in characters; `cut` is how many are missing at the end.
    """

    text: str
    total: int

    @property
    def cut(self) -> int:
        """Characters that are not shown."""
        return self.total - len(self.text)


@dataclass(frozen=True, slots=True)
class TurnDetail:
    """Everything there is to read about one row.

    `text` is the prompt, answer, reasoning, notice or the rendered command of a call; `result` what
    the call gave back (None: no result). `spans` are the raw records that it was read from, in
    order. `problem` says why something is missing ("file is gone").
    """

    session: int
    seq: int
    kind: Kind
    flags: int
    ref: str
    at: int | None
    text: LongText
    tool: str | None = None
    input: Mapping[str, Any] | None = None
    result: LongText | None = None
    exit_code: int | None = None
    is_error: bool = False
    diff: LongText | None = None
    paths: tuple[str, ...] = ()
    tokens: Tokens | None = None
    model: str | None = None
    agent: str | None = None
    spans: tuple[Span, ...] = ()
    problem: str = ""


def read_turn(catalogue: Catalogue, session: int, seq: int, shown: int = SHOWN) -> TurnDetail:
    """The row `seq` of the session with row id `session`. Raises KeyError if there is none.

    What its file no longer holds is said in `problem`; the preview then stands for the text.
    """
    turn = turn_id(session, seq)
    with closing(catalogue.reader()) as db:
        row = db.execute(_ROW, (turn,)).fetchone()
        if row is None:
            raise KeyError(f"session {session} has no row {seq}")
        pieces = pieces_of(db, turn)
    entries, problem = _entries(pieces)
    spans = list(dict.fromkeys(piece.span for piece in pieces))
    return _detail(session, seq, row, entries, spans, problem, shown)


def read_raw(catalogue: Catalogue, detail: TurnDetail) -> list[bytes]:
    """The raw records behind a row, one per span. Raises OSError or EOFError if they are gone."""
    host = detail.ref.partition(":")[0]
    return [
        read_span(SourceFile(host, span.path, compressed=span.path.suffix == ".zst"), span)
        for span in detail.spans
    ]


def _entries(pieces: list[Piece]) -> tuple[list[Entry], str]:
    """The entries of a row, and what could not be read."""
    entries: list[Entry] = []
    problem = "" if pieces else "no record of it is known"
    for piece in pieces:
        path = piece.source.path
        try:
            entry = read_piece(piece)
        except FileNotFoundError:
            problem = f"the transcript is gone: {path}"
        except (OSError, EOFError, KeyError) as error:
            problem = f"the transcript changed or cannot be read: {path}: {error}"
        else:
            if entry is None:
                problem = f"the transcript no longer holds this record: {path}"
            else:
                entries.append(entry)
    return entries, problem


def _detail(
    session: int,
    seq: int,
    row: tuple[Any, ...],
    entries: list[Entry],
    spans: list[Span],
    problem: str,
    shown: int,
) -> TurnDetail:
    kind_number, flags, host, session_id, record, at, tool, exit_code, agent, preview = row
    results = [entry for entry in entries if entry.kind is Kind.RESULT]
    said = [entry for entry in entries if entry.kind is not Kind.RESULT]
    diffs = [entry.diff for entry in entries if entry.diff]
    text = "\n\n".join(entry.text for entry in _last_of_each(said)) if said else ""
    return TurnDetail(
        session=session,
        seq=seq,
        kind=KINDS[kind_number],
        flags=flags,
        ref=f"{host}:{session_id}#{record}",
        at=at,
        text=_long(text or ("" if results else preview), shown),
        tool=tool,
        input=next((entry.input for entry in said if entry.input is not None), None),
        result=_long("\n".join(e.text for e in results), shown) if results else None,
        exit_code=exit_code,
        is_error=bool(flags & Flag.ERROR),
        diff=_long("\n".join(dict.fromkeys(diffs)), shown) if diffs else None,
        paths=tuple(dict.fromkeys(path for entry in entries for path in entry.paths)),
        tokens=_most(said),
        model=next((entry.model for entry in entries if entry.model), None),
        agent=agent,
        spans=tuple(spans),
        problem=problem,
    )


def _last_of_each(entries: list[Entry]) -> list[Entry]:
    """Without the earlier states of a text that a host wrote again while it grew."""
    kept: list[Entry] = []
    for entry in entries:
        if kept and entry.text.startswith(kept[-1].text):
            kept.pop()
        kept.append(entry)
    return kept


def _most(entries: list[Entry]) -> Tokens | None:
    counts = [entry.tokens for entry in entries if entry.tokens is not None]
    return max(counts, key=lambda tokens: tokens.output) if counts else None


def _long(text: str, shown: int) -> LongText:
    return LongText(text[:shown], len(text))
