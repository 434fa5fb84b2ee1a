"""What one person noted about sessions, for themselves: hidden, and tags. One small file a session.

They lie in the bank's state folder (`sessions/`), because a session lies on one person's machine too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

FOLDER = "sessions"
_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one session, `session` as `<host>:<session id>`."""

    session: str
    hidden: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllMarks:
    """Every marked session of a bank. `unread` are files that could not be understood."""

    hidden: frozenset[str] = frozenset()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: tuple[Path, ...] = ()


def file_of(session: str) -> str:
    """Where a session's marks lie, below the state folder."""
    digest = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"{FOLDER}/{digest}.json"


def to_bytes(marks: Marks) -> bytes | None:
    """The file of these marks; None where nothing is marked."""
    if not marks.hidden and not marks.tags:
        return None
    told = {"session": marks.session, "hidden": marks.hidden, "tags": list(marks.tags)}
    return (json.dumps(told, ensure_ascii=True) + "\n").encode()


def from_bytes(data: bytes | None, session: str = "") -> Marks:
    """The marks in a file; none where there is no file. Raises ValueError for what is none."""
    if data is None:
        return Marks(session)
    told = json.loads(data[:_LIMIT])
    if not isinstance(told, dict) or not isinstance(told.get("session"), str):
        raise ValueError("not the marks of a session")
    tags = told.get("tags")
    kept = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    return Marks(told["session"], told.get("hidden") is True, kept)


def read_marks(state: Path | None) -> AllMarks:
    """All marks of a bank. What cannot be read is named, never fatal."""
    hidden, tags, unread = set(), {}, []
    for path in sorted((state / FOLDER).glob("*.json")) if state is not None else ():
        try:
            marks = from_bytes(path.read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            unread.append(path)
            continue
        if marks.hidden:
            hidden.add(marks.session)
        if marks.tags:
            tags[marks.session] = marks.tags
    return AllMarks(frozenset(hidden), tags, tuple(unread))
