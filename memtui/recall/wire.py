"""What a child process and its owner say to each other over two pipes: a JSON head and a body of bytes.

A message is the lengths of both in four bytes each, big-endian, then both.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

MAX_PART = 64 * 1024 * 1024
"""Bytes of a head or body beyond which the other side cannot be what it should be."""

_LENGTHS = struct.Struct(">II")


class Message(NamedTuple):
    """One message; most bodies are vectors, one after the other, and many are empty."""

    head: Mapping[str, Any]
    body: bytes = b""


def send(pipe: BinaryIO, message: Message) -> None:
    """Write one message. Raises OSError, ValueError when the pipe is closed."""
    head = json.dumps(message.head).encode()
    pipe.write(_LENGTHS.pack(len(head), len(message.body)) + head)
    pipe.write(message.body)
    pipe.flush()


def receive(pipe: BinaryIO) -> Message | None:
    """Read one message, None at the end. Raises OSError, ValueError."""
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    sizes = _LENGTHS.unpack(lengths)
    if max(sizes) > MAX_PART:
        raise ValueError(f"a message of {sum(sizes)} bytes")
    data = pipe.read(sum(sizes))
    if len(data) < sum(sizes):
        return None
    head = json.loads(data[: sizes[0]])
    if not isinstance(head, dict):
        raise ValueError("a message whose head is no object")
    return Message(head, data[sizes[0] :])
