"""One line of bytes into JSON records, damaged lines included."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import msgspec

_decoder = msgspec.json.Decoder()
_lenient = json.JSONDecoder(strict=False)

_PADDING = re.compile(r"[\s\x00]*")

_RESTART = re.compile(r'\{"(?:parentUuid|timestamp)":')
"""How records begin in the append-only hosts: where to go on after a half-written record."""

_MAX_RESTARTS = 50
_MAX_PIECES = 1000
"""Limits of the work that one damaged line can make."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One JSON value found at bytes `start` to `end` of a line."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Decoded:
    """The values of a line. `reason` is None when the line was exactly one JSON value."""

    pieces: list[Piece]
    reason: str | None = None


def decode_line(data: bytes) -> Decoded:
    """The JSON values of `data`. Never raises.

    `reason` is "recovered" when values were read from a damaged or glued line, "NUL bytes" when the
    line holds nothing else, "not JSON" when nothing could be read. Lone surrogates and bytes that
    are not UTF-8 become U+FFFD.
    """
    value = decode_whole(data)
    if value is not None:
        return Decoded([Piece(0, len(data), value)])
    if not data.strip(b"\x00 \t\r\n"):
        return Decoded([], "NUL bytes")
    pieces, clean = _salvage(data.decode("utf-8", "surrogateescape"))
    if not pieces:
        return Decoded([], "not JSON")
    return Decoded(pieces, None if clean and len(pieces) == 1 else "recovered")


def decode_whole(data: bytes) -> Any:
    """The value of a line that is exactly one JSON value; None if it is not, or is null."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def decode_text(text: str) -> Any:
    """The JSON value inside a string; None if it is none. Lone surrogates become U+FFFD."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return mend(_lenient.decode(text))
    except (ValueError, RecursionError):
        return None


def is_object(data: bytes) -> bool:
    """Whether `data` is exactly one JSON object."""
    if not data.rstrip().endswith(b"}"):
        return False
    decoded = decode_line(data)
    return decoded.reason is None and isinstance(decoded.pieces[0].value, dict)


def _salvage(text: str) -> tuple[list[Piece], bool]:
    """Every value that can be read from `text`, and whether nothing had to be left out."""
    pieces: list[Piece] = []
    clean = True
    at, restarts = _after_padding(text, 0), 0
    seen, seen_bytes = 0, 0
    while at < len(text) and len(pieces) < _MAX_PIECES:
        try:
            value, end = _lenient.raw_decode(text, at)
            mended = mend(value)
        except (ValueError, RecursionError):
            clean = False
            found = _RESTART.search(text, at + 1)
            restarts += 1
            at = found.start() if found and restarts <= _MAX_RESTARTS else len(text)
            continue
        start = seen_bytes + _size(text[seen:at])
        seen, seen_bytes = end, start + _size(text[at:end])
        pieces.append(Piece(start, seen_bytes, mended))
        at = _after_padding(text, end)
        clean = clean and "\x00" not in text[end:at]
    return pieces, clean and at >= len(text)


def _after_padding(text: str, at: int) -> int:
    found = _PADDING.match(text, at)
    return found.end() if found else at


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def mend(value: Any) -> Any:
    """`value` with every lone surrogate in its strings replaced, so that it can be encoded."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [mend(item) for item in value]
    if isinstance(value, dict):
        return {mend(key): mend(item) for key, item in value.items()}
    return value
