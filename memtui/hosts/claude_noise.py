"""Claude Code rows that are no part of the conversation, recognised without decoding them whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from memtui.hosts.shape import int_or_none, map_of, text_of, text_or_none

SILENT_TYPES = frozenset(
    {
        "agent-color", "agent-name", "agent-setting", "content-replacement", "file-history-delta",
        "file-history-snapshot", "fork-context-ref", "frame-link", "marble-origami-commit", "mode",
        "permission-mode", "pr-link", "progress", "relocated", "speculation-accept", "started",
        "result", "tag", "task-summary", "worktree-state",
    }
)  # fmt: skip
"""Known row types that say nothing about the conversation."""

_PROGRESS = b'"type":"progress"'
_PROGRESS_WITHIN = 4096
"""The type of a progress row stands behind its ids and folder, before its long data."""

_NOISE = frozenset({"progress", "file-history-snapshot", "file-history-delta"})
_HISTORY = b'{"type":"file-history-'


class _Head(msgspec.Struct):
    type: Any = None


class _Progress(msgspec.Struct):
    data: Any = None
    parent: Any = msgspec.field(default=None, name="parentToolUseID")
    uuid: Any = None
    timestamp: Any = None


_head = msgspec.json.Decoder(_Head)
_progress = msgspec.json.Decoder(_Progress)


def row_type_of_noise(data: bytes) -> str | None:
    """The type of a row that can be passed over, or None if the row must be read."""
    if not data.startswith(_HISTORY) and data.find(_PROGRESS, 0, _PROGRESS_WITHIN) < 0:
        return None
    try:
        kind = text_of(_head.decode(data).type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return kind if kind in _NOISE else None


@dataclass(frozen=True, slots=True)
class ProgressAgent:
    """The sub-agent that a progress row names; `at` is the host's time stamp."""

    agent: str
    call: str | None
    prompt: str
    record: str
    at: str | int | None


def progress_agent(data: bytes) -> ProgressAgent | None:
    """The sub-agent behind a progress row (2.1.12 to 2.1.81), if it reports one."""
    if b'"agentId"' not in data:
        return None
    try:
        row = _progress.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return agent_told(row.data, row.parent, row.uuid, row.timestamp)


def agent_told(data: Any, parent: Any, uuid: Any, timestamp: Any) -> ProgressAgent | None:
    """The sub-agent that the fields of a progress row name, if they do."""
    fields = map_of(data)
    agent = text_of(fields.get("agentId"))
    if not agent:
        return None
    return ProgressAgent(
        agent,
        text_or_none(parent),
        text_of(fields.get("prompt")),
        text_of(uuid),
        text_or_none(timestamp) or int_or_none(timestamp),
    )
