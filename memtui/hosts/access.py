"""The bytes of a transcript, whatever its host keeps it in: a file of lines or a document."""

from __future__ import annotations

import threading
from collections import OrderedDict

from memtui.hosts import jsonl
from memtui.hosts.documents import Document, DocumentReader, stream_bytes
from memtui.hosts.jsonl import LineReader
from memtui.hosts.model import SourceFile, Span, Stamp
from memtui.hosts.registry import host

_KEPT = 4
_KEPT_BYTES = 16 * 1024 * 1024

Reader = LineReader | DocumentReader


class _Streams:
    """The streams of the documents read last, for as long as their stamp is the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], tuple[Stamp, bytes]] = OrderedDict()

    def read(self, source: SourceFile, document: Document) -> bytes:
        """Raises Unreadable, OSError."""
        key, stamp = (source.host, str(source.path)), document.stamp()
        with self._lock:
            found = self._known.get(key)
            if found is not None and found[0] == stamp:
                self._known.move_to_end(key)
                return found[1]
        data = stream_bytes(document)
        with self._lock:
            self._known.pop(key, None)
            if len(data) <= _KEPT_BYTES and document.stamp() == stamp:
                self._known[key] = (stamp, data)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return data


_streams = _Streams()


def document_of(source: SourceFile) -> Document | None:
    """The document that `source` is; None for a file of lines, and for a host that is not known."""
    try:
        return host(source.host).document(source)
    except KeyError:
        return None


def stamp_of(source: SourceFile) -> Stamp:
    """What changes whenever the transcript does. Raises OSError."""
    if source.stamp is not None:
        return source.stamp
    document = document_of(source)
    if document is not None:
        return document.stamp()
    found = source.path.stat()
    return Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def open_lines(source: SourceFile, offset: int = 0, ordinal: int = 0) -> Reader:
    """The reader that suits `source`, from the line `ordinal` at `offset` on."""
    document = document_of(source)
    if document is None:
        return jsonl.open_lines(source, offset, ordinal)
    return DocumentReader(source.path, lambda: _streams.read(source, document), offset, ordinal)


def read_head(source: SourceFile, size: int) -> bytes:
    """The first `size` bytes. Raises Unreadable, OSError."""
    document = document_of(source)
    if document is None:
        return jsonl.read_head(source.path, size)
    return _streams.read(source, document)[:size]


def read_span(source: SourceFile, span: Span) -> bytes:
    """The raw bytes of one record. Raises OSError; EOFError if the transcript no longer reaches there."""
    document = document_of(source)
    if document is None:
        return jsonl.read_span(span, source.compressed)
    data = _streams.read(source, document)[span.offset : span.offset + span.length]
    if len(data) < span.length:
        raise EOFError(f"{span.path} ends before byte {span.offset + span.length}")
    return data
