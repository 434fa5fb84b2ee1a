"""What a host tells a hook on standard input, made one shape for all hosts.

Claude Code, Codex and Gemini CLI use the same names (`session_id`, `cwd`, `source`, `prompt`,
`tool_name`, `tool_input`, `tool_response`); what they do not agree on is settled here.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH109
from __future__ import annotations

import json
import os
import stat

LIMIT = 1024 * 1024
"""More of standard input is not read, in bytes: a tool's response may be any size."""

RESUME = "resume"
"""The source of a session that goes on with its context."""

FORK = "fork"
"""The source of a session that goes on from an earlier point of another."""

SOURCES = ("startup", RESUME, "clear", "compact", FORK)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Payload:
    """One event as its host describes it. Texts are raw: neither cut nor redacted.

    `source` is one of `SOURCES`; a host that says nothing, or a word that is not known, begins a new
    context ("startup"). `problem` says what was wrong with the input, "" when nothing was.
    """

    __slots__ = ("agent", "cwd", "problem", "raw", "session", "source")

    def __init__(self, raw: dict[str, Any], problem: str = "") -> None:
        self.raw = raw
        self.problem = problem
        self.session = self.text("session_id")[:200]
        self.agent = self.text("agent_id")[:200]
        self.cwd = self.text("cwd")[:4096] or _cwd()
        source = self.text("source")
        self.source = source if source in SOURCES else SOURCES[0]

    def text(self, key: str) -> str:
        """A text of the payload, "" where there is none."""
        value = self.raw.get(key)
        return value if isinstance(value, str) else ""


def read(handle: int = 0) -> Payload:
    """Read the payload from a file handle. Never raises: no input, or a terminal, is an empty payload."""
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISCHR(mode):
            return Payload({}, "no input")
        data = _read_all(handle)
    except OSError as error:
        return Payload({}, f"no input: {error.strerror}")
    return parse(data)


def parse(data: bytes) -> Payload:
    """The payload in `data`; what is no JSON object gives an empty one that says so."""
    if not data.strip():
        return Payload({}, "no input")
    if len(data) > LIMIT:
        return _from_cut(data)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        return Payload({}, f"input is not JSON: {error}")
    if not isinstance(value, dict):
        return Payload({}, "input is not a JSON object")
    return Payload(value)


def _read_all(handle: int) -> bytes:
    parts, size = [], 0
    while size <= LIMIT and (part := os.read(handle, 65536)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _from_cut(data: bytes) -> Payload:
    """The leading plain members of an object that is too large: ids and names stand before the bulk."""
    text = data.decode("utf-8", "replace")
    decoder, found, at = json.JSONDecoder(), {}, text.find("{") + 1
    try:
        while text[at:].lstrip()[:1] == '"':
            at = text.index('"', at)
            key, at = decoder.raw_decode(text, at)
            at = text.index(":", at) + 1
            at += len(text[at : at + 64]) - len(text[at : at + 64].lstrip())
            value, at = decoder.raw_decode(text, at)
            found[key] = value
            at = text.index(",", at) + 1
    except ValueError:
        return Payload(found, f"input is larger than {LIMIT} bytes")
    return Payload(found, f"input is larger than {LIMIT} bytes")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
