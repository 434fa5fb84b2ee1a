"""Raw lines of a transcript file, streamed from a byte offset in bounded memory.

Lines are split on LF only: other line separators (U+2028, U+0085) are legal inside JSON strings.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

import zstandard

from memtui.hosts.decode import is_object
from memtui.hosts.model import RawLine, Skipped, SourceFile, Span

MAX_LINE = 8 * 1024 * 1024
"""A longer line is reported as "too long" and not kept."""

MAX_DOCUMENT = 64 * 1024 * 1024
"""The same limit for a file that is one JSON document."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

_CHUNK = 256 * 1024
_BLANK = b" \t\r\n"


def open_bytes(path: Path, compressed: bool = False) -> IO[bytes]:
    """`path` opened for reading, decompressed on the fly if it is zstd. Raises OSError."""
    raw = path.open("rb")
    if not compressed:
        return raw
    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=True)


class LineReader:
    """Iterates over `RawLine` and, for lines above the cap, `Skipped("too long")`.

    After each line that it yields, `offset` and `ordinal` say where the next one begins: pass both
    to a new reader to go on later. Blank lines are counted in `ordinal` but not yielded.

    A last line without its LF is held back while it may still grow: `pending` is then its length in
    bytes, and `offset` stays before it. A complete JSON object cannot grow, so a tail that is one is
    yielded and consumed; an LF appended to it later is not counted as another line.

    Iterating raises OSError when the file cannot be opened or read (hosts delete transcripts).
    A damaged zstd stream ends the iteration with `Skipped("bad shape", "zstd")`.
    """

    def __init__(
        self,
        path: Path,
        *,
        offset: int = 0,
        ordinal: int = 0,
        compressed: bool = False,
        document: bool = False,
        cap: int | None = None,
    ) -> None:
        self.path = path
        self.offset = offset
        self.ordinal = ordinal
        self.pending = 0
        self._compressed = compressed
        self._document = document
        self._cap = cap if cap is not None else (MAX_DOCUMENT if document else MAX_LINE)
        self._kept: list[bytes] = []
        self._length = 0

    def __iter__(self) -> Generator[RawLine | Skipped, None, None]:
        self.pending = 0
        self._kept, self._length = [], 0
        with open_bytes(self.path, self._compressed) as stream:
            try:
                yield from self._lines(stream)
            except zstandard.ZstdError:
                yield Skipped("bad shape", "zstd", Span(self.path, self.offset, self._length))

    def _lines(self, stream: IO[bytes]) -> Iterator[RawLine | Skipped]:
        chunk = self._seek(stream)
        while chunk:
            start = 0
            while not self._document and (end := chunk.find(b"\n", start)) >= 0:
                line = self._line(chunk[start:end])
                start = end + 1
                if line is not None:
                    yield line
            self._keep(chunk[start:])
            chunk = stream.read(_CHUNK)
        if self._length:
            yield from self._tail()

    def _line(self, part: bytes) -> RawLine | Skipped | None:
        """The line that ends with `part`, which as a rule is all of it."""
        if self._length or len(part) > self._cap:
            self._keep(part)
            return self._finish(1)
        offset, ordinal = self.offset, self.ordinal
        self.offset, self.ordinal = offset + len(part) + 1, ordinal + 1
        return RawLine(ordinal, offset, part) if part.strip(_BLANK) else None

    def _seek(self, stream: IO[bytes]) -> bytes:
        """Go to `offset` and read the first chunk, past the LF of a tail that was consumed."""
        if not self.offset:
            return stream.read(_CHUNK)
        before = b""
        if self._compressed:
            left = self.offset
            while left and (before := stream.read(min(left, _CHUNK))):
                left -= len(before)
        else:
            stream.seek(self.offset - 1)
            before = stream.read(1)
        chunk = stream.read(_CHUNK)
        if before and before[-1:] != b"\n" and chunk[:1] == b"\n":
            self.offset += 1
            return chunk[1:] or stream.read(_CHUNK)
        return chunk

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._cap:
            if part:
                self._kept.append(part)
        else:
            self._kept.clear()

    def _finish(self, terminator: int) -> RawLine | Skipped | None:
        """The line kept so far, its place consumed."""
        offset, ordinal, length = self.offset, self.ordinal, self._length
        data = self._kept[0] if len(self._kept) == 1 else b"".join(self._kept)
        self.offset += length + terminator
        self.ordinal += 1
        self._kept, self._length = [], 0
        if length > self._cap:
            return Skipped("too long", "", Span(self.path, offset, length))
        if not data.strip(_BLANK):
            return None
        return RawLine(ordinal, offset, data)

    def _tail(self) -> Iterator[RawLine | Skipped]:
        final = self._document or self._compressed or self._is_object()
        if not final:
            self.pending = self._length
            return
        line = self._finish(0)
        if line is not None:
            yield line

    def _is_object(self) -> bool:
        return self._length <= self._cap and is_object(b"".join(self._kept))


def open_lines(source: SourceFile, offset: int = 0, ordinal: int = 0) -> LineReader:
    """The reader that suits `source`: lines, zstd lines, or one JSON document (`*.json`)."""
    return LineReader(
        source.path,
        offset=offset,
        ordinal=ordinal,
        compressed=source.compressed,
        document=source.path.suffix == ".json",
    )


def read_head(path: Path, size: int = 64 * 1024) -> bytes:
    """The first `size` bytes of `path`, decompressed if it is zstd. Raises OSError."""
    with path.open("rb") as stream:
        compressed = stream.read(4) == ZSTD_MAGIC
    with open_bytes(path, compressed) as stream:
        try:
            return stream.read(size)
        except zstandard.ZstdError:
            return b""


def read_span(span: Span, compressed: bool = False) -> bytes:
    """The raw bytes of one record. Raises OSError; EOFError if the file no longer reaches there."""
    with open_bytes(span.path, compressed) as stream:
        if compressed:
            left = span.offset
            while left and (skipped := stream.read(min(left, _CHUNK))):
                left -= len(skipped)
        else:
            stream.seek(span.offset)
        parts: list[bytes] = []
        left = span.length
        while left and (part := stream.read(min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
    if left:
        raise EOFError(f"{span.path} ends before byte {span.offset + span.length}")
    return b"".join(parts)
