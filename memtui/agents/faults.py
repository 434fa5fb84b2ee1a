"""What went wrong in hooks: a small log that doctor and the status bar read.

One JSON object a line: `at` (ISO 8601, UTC), `event`, `host`, `what`. Two files of at most 64 KiB.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH103, PTH105, PTH116, PTH118, PTH123
from __future__ import annotations

import json
import os
import time

NAME = "hook.log"
LIMIT = 64 * 1024
MAX_TEXT = 500

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def note(state: str, event: str, host: str, what: str) -> bool:
    """Append one fault to the log in the state folder. False when even that could not be written."""
    line = json.dumps({"at": stamp(), "event": event, "host": host, "what": what[:MAX_TEXT]})
    path = os.path.join(state, NAME)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        _rotate(path)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        return os.write(handle, line.encode() + b"\n") > 0
    except OSError:
        return False
    finally:
        os.close(handle)


def read(state: str, limit: int = 100) -> list[dict[str, Any]]:
    """The newest faults, newest first; lines that are no record are left out."""
    found: list[dict[str, Any]] = []
    for name in (NAME, NAME + ".1"):
        try:
            with open(os.path.join(state, name), "rb") as stream:
                lines = stream.read(2 * LIMIT).splitlines()
        except OSError:
            continue
        found += filter(None, map(_record, reversed(lines)))
    return found[:limit]


def stamp(moment: float | None = None) -> str:
    """A time in seconds since the epoch (now, when None) as ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _rotate(path: str) -> None:
    try:
        full = os.stat(path).st_size >= LIMIT
    except FileNotFoundError:
        return
    if full:
        os.replace(path, path + ".1")


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "what" in value else None
