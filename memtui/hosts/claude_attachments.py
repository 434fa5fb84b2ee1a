"""Claude Code's `attachment` and `system` rows into entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memtui.hosts.claude_messages import agent_of, queued_agent, record_id, typed
from memtui.hosts.claude_state import ClaudeState
from memtui.hosts.claude_text import split_text, undelivered
from memtui.hosts.feeding import Context
from memtui.hosts.model import Kind, Skipped, Tokens
from memtui.hosts.protocol import Event
from memtui.hosts.shape import count_of, joined_text, list_of, map_of, text_of

_CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit")
"""The hook events whose plain output reaches the model."""

_FAILED_HOOKS = frozenset(
    {
        "hook_blocking_error",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_cancelled",
    }
)

_SILENT_ATTACHMENTS = frozenset(
    {
        "agent_listing_delta", "agent_mention", "async_hook_response", "auto_mode", "auto_mode_exit",
        "budget_usd", "command_permissions", "compact_file_reference", "compaction_reminder",
        "companion_intro", "context_efficiency", "critical_system_reminder", "current_session_memory",
        "date_change", "deferred_tools_delta", "diagnostics", "directory", "edited_image_file",
        "edited_text_file", "file", "hook_permission_decision", "hook_stopped_continuation",
        "invoked_skills", "already_read_file", "max_turns_reached", "mcp_instructions_delta",
        "mcp_resource", "nested_memory", "opened_file_in_ide", "output_style", "pdf_reference",
        "plan_file_reference", "plan_mode", "plan_mode_exit", "plan_mode_reentry",
        "relevant_memories", "selected_lines_in_ide", "skill_discovery", "skill_listing",
        "structured_output", "task_reminder", "task_status", "team_context", "teammate_mailbox",
        "todo", "todo_reminder", "token_usage", "ultrathink_effort", "verify_plan_reminder",
    }
)  # fmt: skip
"""Known attachments that are the host's own housekeeping."""

_SILENT_SUBTYPES = frozenset(
    {
        "agents_killed", "bridge_status", "file_snapshot", "memory_saved", "permission_retry",
        "scheduled_task_fire", "thinking", "turn_duration",
    }
)  # fmt: skip

_SPOKEN_SUBTYPES = frozenset(
    {"local_command", "informational", "away_summary", "microcompact_boundary"}
)


def attachment_entries(
    context: Context, row: Mapping[str, Any], state: ClaudeState, file_agent: str | None
) -> Iterator[Event]:
    """INJECTION of hook text, the PROMPT of a queued command, NOTICE of what hooks said."""
    attachment = map_of(row.get("attachment"))
    kind = text_of(attachment.get("type"))
    shared: dict[str, Any] = {"agent": agent_of(row, file_agent)}
    record, at = record_id(context, row), row.get("timestamp")
    if kind == "hook_additional_context":
        content = attachment.get("content")
        for part, text in enumerate([content] if isinstance(content, str) else list_of(content)):
            if isinstance(text, str) and text:
                yield context.entry(Kind.INJECTION, record, at, part=part, text=text, **shared)
    elif kind == "hook_success":
        if text := _reached_model(attachment):
            yield context.entry(Kind.INJECTION, record, at, text=text, **shared)
    elif kind == "queued_command":
        yield from _queued(context, row, attachment, state, shared)
    elif kind in _FAILED_HOOKS or kind == "hook_system_message":
        if text := _hook_message(attachment):
            failed = kind in _FAILED_HOOKS
            yield context.entry(Kind.NOTICE, record, at, text=text, is_error=failed, **shared)
    elif kind not in _SILENT_ATTACHMENTS:
        yield _unknown(context, row, state, f"attachment/{kind}")


def _reached_model(attachment: Mapping[str, Any]) -> str:
    """The output of a hook as the model got it: plain text of the events that pass it on."""
    if attachment.get("hookEvent") not in _CONTEXT_EVENTS:
        return ""
    content = attachment.get("content")
    if isinstance(content, str):
        return content
    output = text_of(attachment.get("stdout")).strip()
    return "" if output.startswith("{") else output


def _hook_message(attachment: Mapping[str, Any]) -> str:
    for key in ("content", "blockingError", "stderr", "stdout"):
        value = attachment.get(key)
        text = text_of(map_of(value).get("blockingError")) or joined_text(value)
        if text.strip():
            return text
    return ""


def _queued(
    context: Context,
    row: Mapping[str, Any],
    attachment: Mapping[str, Any],
    state: ClaudeState,
    shared: Mapping[str, Any],
) -> Iterator[Event]:
    """Typed while the agent worked; task notifications come the same way."""
    text = joined_text(attachment.get("prompt"))
    record, at = record_id(context, row), row.get("timestamp")
    by_host = (
        attachment.get("commandMode") == "task-notification"
        or attachment.get("isMeta") is True
        or not typed(attachment)
        or not typed(row)
    )
    part = 0
    for piece in split_text(text):
        kind = piece.kind
        if kind is Kind.PROMPT and state.was_injected(undelivered(piece.text)):
            kind = Kind.INJECTION
        elif kind is Kind.PROMPT and by_host:
            kind = Kind.NOTICE
        yield context.entry(kind, record, at, part=part, text=piece.text, **shared)
        part += 1
    found = queued_agent(text)
    if found and state.is_new_agent(found[0]):
        agent, call, summary = found
        yield context.entry(
            Kind.SUBAGENT, record, at, part=part, text=summary, call=call, agent=agent
        )


def system_entries(
    context: Context, row: Mapping[str, Any], state: ClaudeState, file_agent: str | None
) -> Iterator[Event]:
    """COMPACTION, and NOTICE of errors, local commands and hooks that failed."""
    subtype = text_of(row.get("subtype"))
    shared: dict[str, Any] = {"agent": agent_of(row, file_agent)}
    record, at = record_id(context, row), row.get("timestamp")
    content = joined_text(row.get("content"))
    if subtype == "compact_boundary":
        state.compacting = True
        text, tokens = _compaction(content, map_of(row.get("compactMetadata")))
        yield context.entry(Kind.COMPACTION, record, at, text=text, tokens=tokens, **shared)
    elif subtype == "api_error":
        yield context.entry(Kind.NOTICE, record, at, text=_api_error(row), is_error=True, **shared)
    elif subtype == "stop_hook_summary":
        errors = [joined_text(error) for error in list_of(row.get("hookErrors"))]
        if text := "\n".join(filter(None, errors)):
            yield context.entry(Kind.NOTICE, record, at, text=text, is_error=True, **shared)
    elif subtype in _SPOKEN_SUBTYPES or not subtype:
        for part, piece in enumerate(split_text(content)):
            yield context.entry(Kind.NOTICE, record, at, part=part, text=piece.text, **shared)
    elif subtype not in _SILENT_SUBTYPES:
        yield _unknown(context, row, state, f"system/{subtype}")


def _compaction(content: str, metadata: Mapping[str, Any]) -> tuple[str, Tokens | None]:
    """What the boundary says; `input` tokens are those before it, `output` those after it."""
    before, after = count_of(metadata.get("preTokens")), count_of(metadata.get("postTokens"))
    notes = [
        text_of(metadata.get("trigger")),
        f"{before:,} tokens before" if before else "",
        f"{after:,} after" if after else "",
    ]
    note = ", ".join(filter(None, notes))
    text = content or "Conversation compacted"
    return (f"{text} ({note})" if note else text), (Tokens(before, after) if before else None)


def _api_error(row: Mapping[str, Any]) -> str:
    error = map_of(row.get("error"))
    nested = map_of(map_of(error.get("error")).get("error"))
    cause = map_of(error.get("cause"))
    said = next(
        (
            text
            for value in (
                error.get("formatted"),
                error.get("message"),
                nested.get("message"),
                cause.get("code"),
            )
            if (text := text_of(value))
        ),
        "API error",
    )
    attempt, most = count_of(row.get("retryAttempt")), count_of(row.get("maxRetries"))
    return f"{said} (retry {attempt} of {most})" if attempt else said


def _unknown(context: Context, row: Mapping[str, Any], state: ClaudeState, label: str) -> Skipped:
    return context.skipped("unknown type", label, text_of(row.get("version")) or state.version)
