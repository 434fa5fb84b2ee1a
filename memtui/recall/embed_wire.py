"""What a model's process and its owner say to each other over two pipes: JSON heads, then vectors.

A frame is its length in four bytes, big-endian, then that many bytes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

MAX_FRAME = 64 * 1024 * 1024
"""Bytes of a frame beyond which the other side cannot be what it should be."""


def send(pipe: BinaryIO, data: bytes) -> None:
    """Write one frame. Raises OSError, ValueError when the pipe is closed."""
    pipe.write(struct.pack(">I", len(data)) + data)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """Read one frame, None at the end. Raises OSError, ValueError."""
    head = pipe.read(4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    if size > MAX_FRAME:
        raise ValueError(f"a frame of {size} bytes")
    data = pipe.read(size)
    return data if len(data) == size else None


def send_json(pipe: BinaryIO, value: Mapping[str, Any]) -> None:
    """Write one frame of JSON. Raises OSError, ValueError."""
    send(pipe, json.dumps(value).encode())


def receive_json(pipe: BinaryIO) -> dict[str, Any] | None:
    """Read one frame of JSON, None at the end. Raises OSError, ValueError."""
    data = receive(pipe)
    if data is None:
        return None
    value = json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("a frame that holds no object")
    return value
