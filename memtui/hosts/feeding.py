"""What every line parser does the same: decode a line, place its records, survive odd shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memtui.hosts.decode import decode_line, decode_whole
from memtui.hosts.model import Entry, Kind, RawLine, Skipped, SourceFile, Span
from memtui.hosts.protocol import Event
from memtui.hosts.shape import millis, text_of

_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a value of unknown shape can raise: the record is skipped, never the file."""


class Context(msgspec.Struct, frozen=True):
    """Where a record lies: `piece` counts the records of a line, from 0."""

    source: SourceFile
    ordinal: int
    piece: int
    offset: int
    length: int

    @property
    def span(self) -> Span:
        return Span(self.source.path, self.offset, self.length)

    @property
    def ordinal_id(self) -> str:
        """What identifies a record that has no id of its own: "12", or "12.1" in a glued line."""
        return f"{self.ordinal}.{self.piece}" if self.piece else str(self.ordinal)

    def entry(self, kind: Kind, record: str, at: Any, **fields: Any) -> Entry:
        """An entry of this record; `at` is the host's own time stamp."""
        span = Span(self.source.path, self.offset, self.length)
        return Entry(kind, record, span, at=millis(at), **fields)

    def skipped(self, reason: str, label: str, version: str = "") -> Skipped:
        return Skipped(reason, label[:80], self.span, version)


def feed_line(
    source: SourceFile,
    line: RawLine,
    handle: Callable[[Context, dict[str, Any]], Iterable[Event]],
    version: str = "",
) -> list[Event]:
    """The events of every record of `line`, and a `Skipped` for what could not be read."""
    length = len(line.data)
    value = decode_whole(line.data)
    if value is not None:
        context = Context(source, line.ordinal, 0, line.offset, length)
        return _events(context, value, handle, version)
    decoded = decode_line(line.data)
    events: list[Event] = []
    if decoded.reason:
        label = next((_label(piece.value) for piece in decoded.pieces), "")
        whole = Context(source, line.ordinal, 0, line.offset, length)
        events.append(whole.skipped(decoded.reason, label, version))
    for number, piece in enumerate(decoded.pieces):
        offset = line.offset + piece.start
        context = Context(source, line.ordinal, number, offset, piece.end - piece.start)
        events += _events(context, piece.value, handle, version)
    return events


def _events(
    context: Context,
    value: Any,
    handle: Callable[[Context, dict[str, Any]], Iterable[Event]],
    version: str,
) -> list[Event]:
    if not isinstance(value, dict):
        return [context.skipped("bad shape", type(value).__name__, version)]
    events: list[Event] = []
    try:
        events.extend(handle(context, value))
    except _ODD:
        events.append(context.skipped("bad shape", _label(value), version))
    return events


def _label(value: Any) -> str:
    return text_of(value.get("type")) if isinstance(value, dict) else ""
