"""What identifies a record over all files of a host."""

from __future__ import annotations

import hashlib
import re

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def is_global(record: str) -> bool:
    """Whether a record id means the same record in any file: a UUID does, a line number does not."""
    return _UUID.fullmatch(record) is not None


def record_key(host: str, session: str, record: str) -> int:
    """A 64 bit number for a record; `session` matters only where the id is a place in a file."""
    scope = "" if is_global(record) else session
    text = f"{host}\0{scope}\0{record}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
