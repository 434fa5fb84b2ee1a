"""Transcripts that are not files of lines, read as the lines that they would have had.

A host that rewrites a whole file, or keeps its sessions in a database, tells its sessions as a stream
of small JSON records in the order in which they came to be. Everything above reads that stream as if
it were a JSONL file: offsets and lengths count its bytes. A record that may still change is left out
until it cannot, so that the stream grows at its end; where it changed before that, it counts as
replaced.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from memtui.hosts.decode import decode_line
from memtui.hosts.jsonl import MAX_DOCUMENT, MAX_LINE
from memtui.hosts.model import RawLine, Skipped, Span, Stamp

_encoder = msgspec.json.Encoder()


class Unreadable(OSError):  # noqa: N818
    """A document that cannot be read now: half-written, locked or damaged. It may be again later."""


class Document(Protocol):
    """One session in a form of the host's own."""

    def stamp(self) -> Stamp:
        """What changes whenever the session does. Raises OSError."""
        ...

    def lines(self) -> Iterable[bytes]:
        """The records in order, each JSON on one line without LF. Raises Unreadable, OSError."""
        ...


@dataclass(frozen=True, slots=True)
class Files:
    """Stamps of a transcript made of several files: changed when one of them is."""

    paths: tuple[Path, ...]

    def stamp(self) -> Stamp:
        """The first file's place with the size of all and the latest change. Raises OSError."""
        first = self.paths[0].stat()
        size, changed = first.st_size, first.st_mtime_ns
        for path in self.paths[1:]:
            try:
                more = path.stat()
            except FileNotFoundError:
                continue
            size, changed = size + more.st_size, max(changed, more.st_mtime_ns)
        return Stamp(first.st_dev, first.st_ino, size, changed)


def record_line(value: Any) -> bytes:
    """`value` as one line of a stream."""
    return _encoder.encode(value)


def read_json(path: Path) -> Any:
    """The JSON document at `path`. Raises Unreadable when it is none (yet), OSError."""
    with path.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size > MAX_DOCUMENT:
            raise Unreadable(f"{path} is larger than {MAX_DOCUMENT} bytes")
        data = stream.read()
    decoded = decode_line(data)
    if decoded.reason is not None or not decoded.pieces:
        raise Unreadable(f"{path} is not one JSON document: {decoded.reason or 'empty'}")
    return decoded.pieces[0].value


def read_json_or_none(path: Path) -> Any:
    """The same for a file beside a transcript that may be missing or damaged: then None."""
    try:
        return read_json(path)
    except OSError:
        return None


def stream_bytes(document: Document) -> bytes:
    """The whole stream, each record with its LF. Raises Unreadable, OSError."""
    parts: list[bytes] = []
    total = 0
    for line in document.lines():
        total += len(line) + 1
        if total > MAX_DOCUMENT:
            raise Unreadable(f"the session is larger than {MAX_DOCUMENT} bytes")
        parts += (line, b"\n")
    return b"".join(parts)


class DocumentReader:
    """Iterates over the records of a stream, like `LineReader` over the lines of a file."""

    def __init__(self, path: Path, read: Any, offset: int = 0, ordinal: int = 0) -> None:
        self.path = path
        self.offset = offset
        self.ordinal = ordinal
        self.pending = 0
        self._read = read

    def __iter__(self) -> Generator[RawLine | Skipped, None, None]:
        try:
            data: bytes = self._read()
        except Unreadable as error:
            if not self.offset:
                yield Skipped("not JSON", str(error)[:80], Span(self.path, 0, 0))
            return
        while (end := data.find(b"\n", self.offset)) >= 0:
            start, ordinal = self.offset, self.ordinal
            self.offset, self.ordinal = end + 1, ordinal + 1
            if end - start > MAX_LINE:
                yield Skipped("too long", "", Span(self.path, start, end - start))
            else:
                yield RawLine(ordinal, start, data[start:end])
