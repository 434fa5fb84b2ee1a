"""The copied history at the start of a forked or sub-agent rollout.

Newer versions (seen: 0.171) copy nothing: a fork begins with its own turns and names the parent and
the ordinal where it left it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.hosts.codex_state import CodexState
from memtui.hosts.shape import count_of, millis, text_of

_SLACK_MS = 1000
"""A copy is written in one burst: rows much later than its first one are new. Also the precision of
`started_at`, which counts seconds."""


def uuid7_millis(value: str) -> int | None:
    """The time inside a version 7 UUID (Codex's thread and turn ids), or None."""
    digits = value.replace("-", "")
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        return int(digits[:12], 16)
    except ValueError:
        return None


def follow_copy(
    state: CodexState, row: Mapping[str, Any], payload: Mapping[str, Any], at: Any
) -> None:
    """Update `state.copying` for a row of a session that has a parent, `session_meta` excepted.

    A turn that began before the session itself is the parent's: its id or its own start time tells,
    since copies get new time stamps. Where neither tells, a copy ends with the burst that wrote it.
    """
    own = own_turn(state, payload)
    if own is not None and is_turn_mark(row, payload):
        state.copying = not own
    elif state.copying:
        moment = millis(at) or 0
        state.copied_at = state.copied_at or moment
        later = moment - state.copied_at > _SLACK_MS
        if later and starts_turn(row, payload):
            state.copying = False


def own_turn(state: CodexState, payload: Mapping[str, Any]) -> bool | None:
    """Whether the row's turn began in this session; None if the row does not tell."""
    turn = uuid7_millis(text_of(payload.get("turn_id")))
    if turn is not None and state.started:
        return turn >= state.started
    if state.copying and (begun := count_of(payload.get("started_at"))):
        return (millis(begun) or 0) >= state.started - _SLACK_MS
    return None


def is_turn_mark(row: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    """Whether a row opens a turn."""
    return row.get("type") == "turn_context" or payload.get("type") in (
        "task_started",
        "turn_started",
    )


def starts_turn(row: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    """Whether a row can be the first of a turn: a mark, or a prompt."""
    prompt = payload.get("type") == "user_message" or payload.get("role") == "user"
    return prompt or is_turn_mark(row, payload)
