"""The first records of a file, for recognising whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui.hosts.decode import decode_line

_LOOKED_AT = 20


def head_records(head: bytes) -> Iterator[dict[str, Any]]:
    """JSON objects of the first lines of `head`; its last line may be cut off and is then left out."""
    for line in head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]:
        for piece in decode_line(line).pieces:
            if isinstance(piece.value, dict):
                yield piece.value
