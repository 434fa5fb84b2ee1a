"""Claude Code's `user` and `assistant` rows into entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memtui.hosts.claude_state import ClaudeState
from memtui.hosts.claude_text import notification, split_text, undelivered
from memtui.hosts.diffs import hunks_diff
from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind, Tokens
from memtui.hosts.render import render_call
from memtui.hosts.shape import (
    block_text,
    count_of,
    joined_text,
    list_of,
    map_of,
    text_of,
    text_or_none,
)

_EXIT = re.compile(r"\A(?:Error: )?Exit code (-?\d{1,9})\b")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_INLINE_AGENT = "sidechain"
"""The agent of rows that old versions wrote into the main file without naming their sub-agent."""


def record_id(context: Context, row: Mapping[str, Any]) -> str:
    """The row's uuid, or its place in the file."""
    return text_of(row.get("uuid")) or context.ordinal_id


def agent_of(row: Mapping[str, Any], file_agent: str | None) -> str | None:
    """The sub-agent whose row this is; None for the main conversation."""
    if file_agent:
        return file_agent
    if row.get("isSidechain") is True:
        return text_of(row.get("agentId")) or _INLINE_AGENT
    return None


def content_blocks(row: Mapping[str, Any]) -> list[Any]:
    """The blocks of the row's message; text given as a string is one text block."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list_of(content)


def assistant_entries(
    context: Context, row: Mapping[str, Any], file_agent: str | None
) -> Iterator[Entry]:
    """ANSWER, THINKING, CALL (and RESULT of server tools) of one `assistant` row.

    Several rows share one `message` id; each repeats the tokens of the whole answer, growing while
    it streams, so the largest counts. A model called "<synthetic>" is the host speaking: NOTICE.
    """
    message = map_of(row.get("message"))
    model = text_or_none(message.get("model"))
    host_speaks = model == "<synthetic>"
    shared: dict[str, Any] = {
        "message": text_or_none(message.get("id")),
        "model": None if host_speaks else model,
        "tokens": None if host_speaks else tokens_of(message.get("usage")),
        "agent": agent_of(row, file_agent),
    }
    record, at = record_id(context, row), row.get("timestamp")
    for part, block in enumerate(content_blocks(row)):
        fields = block if isinstance(block, dict) else {"type": "text", "text": block}
        kind = text_of(fields.get("type"))
        if kind in _CALLS:
            yield context.entry(Kind.CALL, record, at, part=part, **_call(fields), **shared)
        elif kind == "thinking":
            if thought := text_of(fields.get("thinking")):
                yield context.entry(Kind.THINKING, record, at, part=part, text=thought, **shared)
        elif kind.endswith("_tool_result"):
            yield context.entry(
                Kind.RESULT, record, at, part=part, **_server_result(fields), **shared
            )
        elif (text := block_text(fields)).strip() and kind != "redacted_thinking":
            if host_speaks:
                failed = row.get("isApiErrorMessage") is True or text.startswith("API Error")
                shared_notice = {**shared, "is_error": failed}
                yield context.entry(Kind.NOTICE, record, at, part=part, text=text, **shared_notice)
            else:
                yield context.entry(Kind.ANSWER, record, at, part=part, text=text, **shared)


def tokens_of(usage: Any) -> Tokens | None:
    """Tokens of an answer: `input` is everything sent, `cached` the part that was read from cache."""
    fields = map_of(usage)
    if not fields:
        return None
    cached = count_of(fields.get("cache_read_input_tokens"))
    sent = count_of(fields.get("input_tokens")) + count_of(
        fields.get("cache_creation_input_tokens")
    )
    return Tokens(sent + cached, count_of(fields.get("output_tokens")), cached)


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    tool, values = text_of(block.get("name")), map_of(block.get("input"))
    rendered = render_call(tool, values)
    return {
        "call": text_or_none(block.get("id")),
        "tool": tool or None,
        "input": values,
        "text": rendered.text,
        "diff": rendered.diff,
        "paths": rendered.paths,
    }


def _server_result(block: Mapping[str, Any]) -> dict[str, Any]:
    content = block.get("content")
    code = text_of(map_of(content).get("error_code"))
    found = [text_of(map_of(item).get("url")) for item in list_of(content)]
    return {
        "call": text_or_none(block.get("tool_use_id")),
        "text": code or "\n".join(filter(None, found)) or joined_text(content),
        "is_error": bool(code),
    }


def user_entries(
    context: Context, row: Mapping[str, Any], state: ClaudeState, file_agent: str | None
) -> Iterator[Entry]:
    """RESULTs of a `user` row, or its PROMPT with the host's own texts as NOTICE and INJECTION."""
    record, at = record_id(context, row), row.get("timestamp")
    agent = agent_of(row, file_agent)
    blocks = content_blocks(row)
    used = any(map(_is_result, blocks))
    part = 0
    texts: list[tuple[Kind, str]] = []
    for block in blocks:
        if _is_result(block):
            for kind, fields in _results(row, block, state):
                fields.setdefault("agent", agent)
                yield context.entry(kind, record, at, part=part, **fields)
                part += 1
        else:
            texts.extend(_texts(block_text(block), row, state, used))
    for kind, text in _one_prompt(texts):
        yield context.entry(kind, record, at, part=part, text=text, agent=agent)
        part += 1


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _one_prompt(texts: list[tuple[Kind, str]]) -> Iterator[tuple[Kind, str]]:
    """`texts` with all that a person put into one row (text, images) joined to one prompt."""
    prompt = "\n".join(text for kind, text in texts if kind is Kind.PROMPT)
    shown = False
    for kind, text in texts:
        if kind is not Kind.PROMPT:
            yield kind, text
        elif not shown:
            shown = True
            yield kind, prompt


def _texts(
    text: str, row: Mapping[str, Any], state: ClaudeState, beside_result: bool
) -> Iterator[tuple[Kind, str]]:
    """The parts of a user text, each with its kind."""
    if not text.strip():
        return
    if row.get("isCompactSummary") is True:
        yield (Kind.NOTICE if state.compacting else Kind.COMPACTION), text
        state.compacting = False
        return
    by_host = row.get("isMeta") is True or beside_result or not typed(row)
    for part in split_text(text):
        kind = part.kind
        if kind is Kind.PROMPT and state.was_injected(undelivered(part.text)):
            # Late hook text comes back as if typed (anthropics/claude-code#75378).
            kind = Kind.INJECTION
        elif kind is Kind.PROMPT and by_host:
            kind = Kind.NOTICE
        yield kind, part.text


def typed(row: Mapping[str, Any]) -> bool:
    """Whether the row's own marks, if it has any, say that its text came from a person."""
    origin = text_of(map_of(row.get("origin")).get("kind"))
    return origin in ("", "human") and row.get("promptSource") != "system"


def _results(
    row: Mapping[str, Any], block: Mapping[str, Any], state: ClaudeState
) -> Iterator[tuple[Kind, dict[str, Any]]]:
    """The RESULT of a call, and the SUBAGENT that it tells of: kinds and fields of entries."""
    told = row.get("toolUseResult")
    details = map_of(told)
    text = joined_text(block.get("content")) or _told_text(told)
    failed = block.get("is_error") is True
    found = _EXIT.match(text[:40]) if failed else None
    path = text_of(details.get("filePath"))
    call = text_or_none(block.get("tool_use_id"))
    yield (
        Kind.RESULT,
        {
            "text": text,
            "call": call,
            "is_error": failed,
            "exit_code": int(found.group(1)) if found else None,
            "diff": hunks_diff(path, details.get("structuredPatch")),
            "paths": (path,) if path else (),
        },
    )
    agent = text_of(details.get("agentId"))
    if agent and state.is_new_agent(agent):
        task = text_of(details.get("prompt")) or text_of(details.get("description"))
        yield Kind.SUBAGENT, {"text": task, "call": call, "agent": agent}


def _told_text(told: Any) -> str:
    """The output that only `toolUseResult` holds: text, blocks, or stdout and stderr."""
    if isinstance(told, dict):
        streams = [text_of(told.get("stdout")), text_of(told.get("stderr"))]
        return "\n".join(filter(None, streams)) or joined_text(told.get("content"))
    return joined_text(told)


def queued_agent(text: str) -> tuple[str, str | None, str] | None:
    """The sub-agent, its call and its summary that a task notification tells of."""
    told = notification(text)
    task = told.get("task-id", "")
    return (task, told.get("tool-use-id") or None, told.get("summary", "")) if task else None
