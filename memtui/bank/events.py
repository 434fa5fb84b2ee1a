"""Events: what happened to a bank, one file per person and machine, one JSON object a line."""

from __future__ import annotations

import getpass
import json
import os
import platform
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.bank.model import Event, Problem
from memtui.clock import format_time, parse_time
from memtui.safety.private import make_folder, mode_within

VERSION = 1
SUFFIX = ".jsonl"
_KEYS = frozenset(
    ("v", "id", "at", "writer", "kind", "verb", "item", "name", "title", "reason", "by", "data")
)


def read_all(folder: Path) -> tuple[list[Event], list[Problem]]:
    """Every event below `folder`, sorted by time, then id; lines that do not read are problems."""
    events: list[Event] = []
    problems: list[Problem] = []
    for path in event_files(folder):
        found, wrong = read_file(path)
        events += found
        problems += wrong
    events.sort(key=lambda event: (event.at, event.id))
    return events, problems


def event_files(folder: Path) -> list[Path]:
    """The event files of a bank, sorted by name."""
    return sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []


def read_file(path: Path) -> tuple[list[Event], list[Problem]]:
    """The events of one writer's file in the order of its lines."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return [], [Problem(path, f"cannot be read: {error.strerror or error}")]
    events: list[Event] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            events.append(from_json(json.loads(line)))
        except (ValueError, TypeError, RecursionError) as error:
            problems.append(Problem(path, f"not an event: {error}", number))
    return events, problems


def from_json(data: Any) -> Event:
    """An event from a line's JSON. Raises ValueError for what is none, or of a newer version."""
    if not isinstance(data, Mapping):
        raise ValueError("not a JSON object")
    version = data.get("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(f"version {version!r}; this memtui reads up to {VERSION}")
    extra = data.get("data")
    unknown = {key: value for key, value in data.items() if key not in _KEYS}
    return Event(
        id=_text(data, "id", needed=True),
        at=_time(_text(data, "at", needed=True)),
        writer=_text(data, "writer"),
        kind=_text(data, "kind", needed=True),
        verb=_text(data, "verb", needed=True),
        item=_text(data, "item"),
        name=_text(data, "name"),
        title=_text(data, "title"),
        reason=_text(data, "reason"),
        by=_text(data, "by") or "human",
        data={**(extra if isinstance(extra, Mapping) else {}), **unknown},
    )


def to_json(event: Event) -> dict[str, Any]:
    """The JSON object of an event; empty texts are left out."""
    line: dict[str, Any] = {
        "v": VERSION,
        "id": event.id,
        "at": format_time(event.at),
        "writer": event.writer,
        "kind": event.kind,
        "verb": event.verb,
        "item": event.item,
    }
    for key in ("name", "title", "reason"):
        if getattr(event, key):
            line[key] = getattr(event, key)
    line["by"] = event.by
    if event.data:
        line["data"] = dict(event.data)
    return line


def append(folder: Path, event: Event) -> None:
    """Add one event durably to its writer's file; a cut last line there is ended first. Raises OSError.

    Secrets in its title and reason are masked: both are often typed or pasted.
    """
    from memtui.safety.redact import redact  # its rules take longer to compile than a bank to open

    event = replace(event, title=redact(event.title).text, reason=redact(event.reason).text)
    make_folder(folder)
    path = folder / f"{writer_stem(event.writer)}{SUFFIX}"
    line = json.dumps(to_json(event), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode_within(folder, 0o644))
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line
        written = os.write(handle, line)
        if written != len(line):
            raise OSError(f"{path}: only {written} of {len(line)} bytes were written")
        os.fsync(handle)
    finally:
        os.close(handle)


def ids(folder: Path, writers: Collection[str]) -> set[str]:
    """The ids of all events of these writers."""
    found: set[str] = set()
    for writer in writers:
        path = folder / f"{writer_stem(writer)}{SUFFIX}"
        if path.exists():
            found |= {event.id for event in read_file(path)[0]}
    return found


def writer_name(environ: Mapping[str, str] = os.environ) -> str:
    """Who writes: `MEMTUI_WRITER`, else `<user>-<host>`."""
    asked = environ.get("MEMTUI_WRITER")
    if asked:
        return writer_stem(asked)
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "user"
    return writer_stem(f"{user}-{platform.node().split('.')[0] or 'local'}")


def writer_stem(writer: str) -> str:
    """A writer's name as a file stem: letters, digits, `.`, `_` and `-`."""
    stem = "".join(char if char.isalnum() or char in "._-" else "-" for char in writer)
    return stem.lstrip(".")[:80] or "unknown"


def _text(data: Mapping[str, Any], key: str, needed: bool = False) -> str:
    value = data.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise ValueError(f"{key} is {value!r}, wanted a text")
    return value


def _time(text: str) -> datetime:
    try:
        return parse_time(text)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"at is {text!r}, wanted an ISO 8601 time") from error
