"""What every agent host's transcript becomes: sessions made of entries.

An adapter turns the host's own records into `SessionInfo` updates and `Entry` values. Text here is
exactly what the host stored: neither redacted nor sanitized. Times are integer milliseconds since
the epoch in UTC, `None` where the host stores none.

What every record makes anew is a msgspec struct: it is made many times faster than a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec


class Kind(StrEnum):
    """What one entry of a transcript is."""

    PROMPT = "prompt"
    ANSWER = "answer"
    THINKING = "thinking"
    CALL = "call"
    RESULT = "result"
    COMPACTION = "compaction"
    SUBAGENT = "subagent"
    INJECTION = "injection"
    NOTICE = "notice"


class Span(msgspec.Struct, frozen=True, gc=False):
    """Where one raw record lies: `length` bytes at byte `offset` of `path` (decompressed bytes)."""

    path: Path
    offset: int
    length: int


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Token counts that the host stored for one answer."""

    input: int = 0
    output: int = 0
    cached: int = 0


class Entry(msgspec.Struct, frozen=True):
    """One thing that happened in a session.

    `record` identifies the raw record inside its session (what evidence cites) and `part` the block
    inside that record. `message` joins blocks of one answer; `call` joins a tool call and its
    result. `text` is the prompt, the answer, the reasoning, the rendered command of a call, or the
    output of a result.
    """

    kind: Kind
    record: str
    span: Span
    part: int = 0
    at: int | None = None
    text: str = ""
    message: str | None = None
    call: str | None = None
    tool: str | None = None
    input: Mapping[str, Any] | None = None
    is_error: bool = False
    exit_code: int | None = None
    diff: str | None = None
    paths: tuple[str, ...] = ()
    agent: str | None = None
    tokens: Tokens | None = None
    model: str | None = None


class SessionInfo(msgspec.Struct, frozen=True):
    """What a record says about its session; fields that it does not say are None.

    `title_rank` orders competing titles: a higher rank wins, an equal rank replaces.
    """

    session: str
    title: str | None = None
    title_rank: int = 0
    cwd: str | None = None
    branch: str | None = None
    remote: str | None = None
    version: str | None = None
    model: str | None = None
    parent: str | None = None
    agent: str | None = None


class Skipped(msgspec.Struct, frozen=True):
    """A record that was not understood: counted and shown, never fatal.

    `reason` is "unknown type", "not JSON", "too long", "NUL bytes", "recovered" (glued or damaged
    line of which records were still read) or "bad shape"; `label` the record type, if it has one.
    """

    reason: str
    label: str
    span: Span
    version: str = ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a transcript changed: named like the fields of `os.stat_result`."""

    st_dev: int
    st_ino: int
    st_size: int
    st_mtime_ns: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A transcript file found on disk. `session` and `parent` are what the path tells, if anything.

    `title` is one that the host keeps outside its transcripts. `path` need not be a file: a session
    in a database lies "below" it.
    `stamp` is what discovery has seen of its state, where that is dear to find out again.
    """

    host: str
    path: Path
    session: str | None = None
    parent: str | None = None
    agent: str | None = None
    compressed: bool = False
    archived: bool = False
    title: str | None = None
    stamp: Stamp | None = None


class RawLine(msgspec.Struct, frozen=True, gc=False):
    """One line of a JSONL file without its LF: `ordinal` counts lines from 0."""

    ordinal: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class HostHome:
    """Where hosts keep their data: a home folder and the environment that may move it."""

    home: Path
    environ: Mapping[str, str] = field(default_factory=dict)
