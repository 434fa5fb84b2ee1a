"""Codex `event_msg` rows into entries: texts, errors, tokens, and what they tell of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memtui.hosts.codex_calls import Output, read_output
from memtui.hosts.codex_items import At, answer_entry, prompt_entry, result_entry, thinking_entry
from memtui.hosts.codex_state import CodexState
from memtui.hosts.codex_texts import is_host_text
from memtui.hosts.diffs import changes_diff
from memtui.hosts.model import Entry, Kind, Tokens
from memtui.hosts.protocol import Event
from memtui.hosts.render import command_line, compact
from memtui.hosts.shape import (
    count_of,
    int_or_none,
    joined_text,
    list_of,
    map_of,
    text_of,
    text_or_none,
)

SILENT_EVENTS = frozenset(
    {
        "agent_reasoning_section_break", "background_event", "collab_agent_interaction_end",
        "collab_close_end", "collab_resume_end", "collab_waiting_end", "compaction_trigger",
        "context_compaction", "deprecation_notice", "dynamic_tool_call_request",
        "dynamic_tool_call_response", "entered_review_mode", "exec_approval_request",
        "exec_command_begin", "exited_review_mode", "ghost_snapshot", "image_generation_end",
        "item_started", "mcp_startup_complete", "other", "plan_update", "session_configured",
        "sub_agent_activity", "task_complete", "task_started", "thread_goal_updated",
        "thread_settings_applied", "turn_complete", "turn_diff", "turn_started",
        "undo_completed", "user_message_ack", "view_image_tool_call", "web_search_begin",
        "web_search_end",
    }
)  # fmt: skip
"""Known events that add nothing to the conversation."""

Events = Iterator[Event]


def event_entries(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    """The entries of one event."""
    kind = text_of(payload.get("type"))
    handle = _EVENTS.get(kind)
    if handle is not None:
        yield from handle(place, payload, state)
    elif kind not in SILENT_EVENTS:
        yield place.context.skipped("unknown type", f"event_msg/{kind}", state.version)


def _user_message(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    text = text_of(payload.get("message"))
    if not is_host_text(text):
        yield from prompt_entry(place, text, "event", state)


def _agent_message(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    yield from answer_entry(place, text_of(payload.get("message")), "event", state)


def _agent_reasoning(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    yield from thinking_entry(place, text_of(payload.get("text")), "event", state)


def _token_count(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    """A NOTICE without text that carries the tokens of one request; repeated totals count once."""
    info = map_of(payload.get("info"))
    last, totals = map_of(info.get("last_token_usage")), compact(info.get("total_token_usage"))
    if not last or totals == state.totals:
        return
    state.totals = totals if len(totals) < 1000 else ""
    tokens = Tokens(
        count_of(last.get("input_tokens")),
        count_of(last.get("output_tokens")),
        count_of(last.get("cached_input_tokens")),
    )
    yield place.entry(Kind.NOTICE, tokens=tokens, model=state.model or None)


def _error(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    text = text_of(payload.get("message")) or "error"
    failed = payload.get("type") != "warning"
    yield place.entry(Kind.NOTICE, text=text, is_error=failed)


def _aborted(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    reason = text_of(payload.get("reason"))
    yield place.entry(Kind.NOTICE, text=f"Turn aborted ({reason})" if reason else "Turn aborted")


def _rolled_back(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    """The host forgot its last turns; `input` holds `num_turns` for who shows them."""
    turns = count_of(payload.get("num_turns"))
    yield place.entry(
        Kind.NOTICE,
        text=f"Rolled back {turns} turn{'' if turns == 1 else 's'}",
        tool="thread_rolled_back",
        input={"num_turns": turns},
    )


def _compacted(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    family = "item" if "item" in payload else "event"
    if state.is_first(family, "compaction", ""):
        yield place.entry(Kind.COMPACTION, text="Conversation compacted")


def _patch_end(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    diff, paths = changes_diff(payload.get("changes"))
    ok = payload.get("success")
    state.tell(
        text_of(payload.get("call_id")),
        ok=ok if isinstance(ok, bool) else None,
        diff=diff,
        paths=list(paths) or None,
    )
    yield from ()


def _command_end(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    state.tell(text_of(payload.get("call_id")), exit_code=int_or_none(payload.get("exit_code")))
    yield from ()


def _mcp_end(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    result = map_of(payload.get("result"))
    failed = "Err" in result or map_of(result.get("Ok")).get("is_error") is True
    state.tell(text_of(payload.get("call_id")), ok=not failed)
    yield from ()


def _spawn_end(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    agent = text_of(payload.get("new_thread_id"))
    if agent and agent in state.agents:
        return
    if state.is_new_agent(agent):
        call = text_or_none(payload.get("call_id"))
        yield place.entry(
            Kind.SUBAGENT, text=text_of(payload.get("prompt")), call=call, agent=agent
        )


def _item_completed(place: At, payload: Mapping[str, Any], state: CodexState) -> Events:
    """Paginated history: the same things as items; calls only where no call row told of them."""
    item = map_of(payload.get("item"))
    kind = text_of(item.get("type"))
    if kind == "UserMessage":
        text = joined_text(item.get("content"))
        if not is_host_text(text):
            yield from prompt_entry(place, text, "item", state)
    elif kind == "AgentMessage":
        message = text_or_none(item.get("id"))
        yield from answer_entry(place, joined_text(item.get("content")), "item", state, message)
    elif kind == "Reasoning":
        parts = list_of(item.get("summary_text")) or list_of(item.get("raw_content"))
        for part, text in enumerate(parts):
            yield from thinking_entry(place, joined_text([text]), "item", state, part)
    elif kind == "ContextCompaction":
        yield from _compacted(place, payload, state)
    elif kind in _ITEM_CALLS:
        yield from _item_call(place, item, kind, state)
    elif kind not in _SILENT_ITEMS:
        yield place.context.skipped("unknown type", f"item_completed/{kind}", state.version)


def _item_call(place: At, item: Mapping[str, Any], kind: str, state: CodexState) -> Iterator[Entry]:
    call = text_of(item.get("id"))
    status = text_of(item.get("status"))
    diff, paths = changes_diff(item.get("changes"))
    facts: dict[str, Any] = {
        "exit_code": int_or_none(item.get("exit_code")),
        "ok": False if status in ("failed", "declined") else None,
        "diff": diff,
        "paths": list(paths) or None,
    }
    if call in state.open:
        state.tell(call, **facts)
        return
    tool, text, values = _item_input(item, kind)
    yield place.entry(
        Kind.CALL, call=call or None, tool=tool, input=values, text=text, diff=diff, paths=paths
    )
    said = (
        item.get("aggregated_output")
        or item.get("stdout")
        or item.get("result")
        or item.get("error")
    )
    output = read_output(said) if said is not None else Output("")
    yield result_entry(place, call, tool, output, facts, part=1)


def _item_input(item: Mapping[str, Any], kind: str) -> tuple[str, str, dict[str, Any]]:
    """Tool name, text and input of a call that only an item tells of."""
    if kind == "CommandExecution":
        return "exec_command", command_line(item.get("command")), {"command": item.get("command")}
    if kind == "FileChange":
        paths = list(map_of(item.get("changes")))
        return "apply_patch", ", ".join(paths), {"paths": paths}
    values = map_of(item.get("arguments"))
    name = ".".join(filter(None, (text_of(item.get("server")), text_of(item.get("tool")))))
    return name or kind, compact(values) if values else "", values


_ITEM_CALLS = frozenset({"CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall"})
_SILENT_ITEMS = frozenset(
    {
        "CollabAgentToolCall", "EnteredReviewMode", "ExitedReviewMode", "HookPrompt",
        "ImageGeneration", "ImageView", "Plan", "Sleep", "SubAgentActivity", "WebSearch",
    }
)  # fmt: skip

_EVENTS: dict[str, Callable[[At, Mapping[str, Any], CodexState], Events]] = {
    "user_message": _user_message,
    "agent_message": _agent_message,
    "agent_reasoning": _agent_reasoning,
    "agent_reasoning_raw_content": _agent_reasoning,
    "token_count": _token_count,
    "error": _error,
    "stream_error": _error,
    "warning": _error,
    "turn_aborted": _aborted,
    "thread_rolled_back": _rolled_back,
    "context_compacted": _compacted,
    "patch_apply_end": _patch_end,
    "exec_command_end": _command_end,
    "mcp_tool_call_end": _mcp_end,
    "collab_agent_spawn_end": _spawn_end,
    "item_completed": _item_completed,
}
