"""Codex tool calls and their outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.hosts.decode import decode_text
from memtui.hosts.render import compact, render_call
from memtui.hosts.shape import int_or_none, joined_text, map_of, text_of

CALL_TYPES = frozenset(
    {
        "function_call", "custom_tool_call", "local_shell_call", "web_search_call",
        "tool_search_call", "image_generation_call",
    }
)  # fmt: skip
OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})

_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})\s*$", re.MULTILINE)
_OUTPUT = re.compile(r"^(?:Output|Total output lines: \d+\n+Output):\n", re.MULTILINE)
_HEADER = re.compile(r"\A(?:Chunk ID: |Wall time: |Exit code: |Process exited |Command: )")
_HEADER_SIZE = 2000
_FAILED = re.compile(
    r"\A(?:execution error: |failed to parse function arguments|unsupported (?:custom tool )?call: |"
    r"unsupported tool|apply_patch verification failed|exec_command failed|write_stdin failed|"
    r"patch rejected|patch: rejected|exec_command failed for |command timed out|"
    r"failed in sandbox|tool call error|err: |Error: |aborted by user)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave back: the text without the host's header, and how it ended, if told."""

    text: str
    exit_code: int | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its name, its input as values, and how it reads."""

    id: str
    tool: str
    input: dict[str, Any]
    text: str
    diff: str | None = None
    paths: tuple[str, ...] = field(default=())


def read_call(payload: Mapping[str, Any]) -> Call:
    """A call of any of `CALL_TYPES`; `arguments` are JSON inside a string."""
    kind = text_of(payload.get("type"))
    tool = text_of(payload.get("name"))
    values: dict[str, Any] = {}
    if kind == "function_call":
        values = arguments(payload.get("arguments"))
        if server := text_of(payload.get("namespace")):
            tool = f"{server}.{tool}"
    elif kind == "custom_tool_call":
        raw = payload.get("input")
        values = {"input": raw} if isinstance(raw, str) else map_of(raw)
    elif kind == "local_shell_call":
        tool, values = "local_shell", map_of(payload.get("action"))
    elif kind == "web_search_call":
        tool, values = "web_search", map_of(payload.get("action"))
    else:
        tool = kind.removesuffix("_call")
        values = arguments(payload.get("arguments"))
    rendered = render_call(tool, values)
    text = rendered.text or text_of(payload.get("summary"))
    call = text_of(payload.get("call_id")) or text_of(payload.get("id"))
    return Call(call, tool, values, text, rendered.diff, rendered.paths)


def arguments(value: Any) -> dict[str, Any]:
    """Call arguments as values; text that is not a JSON object is kept under "input"."""
    if isinstance(value, str):
        parsed = decode_text(value)
        if isinstance(parsed, dict):
            return parsed
        return {"input": value} if value else {}
    return map_of(value)


def read_output(value: Any) -> Output:
    """The output of a call in any of its shapes.

    Text; JSON `{output, metadata: {exit_code}}` inside a string; `{content, success}`; content
    blocks; or any other JSON. An exit code other than 0, `success: false` and the host's own
    failure texts make an error.
    """
    if isinstance(value, str):
        inner = _wrapped(value)
        return _fields(inner) if inner else _text(value)
    if isinstance(value, dict):
        known = "output" in value or "content" in value or "success" in value
        return _fields(value) if known else Output(compact(value))
    text = joined_text(value)
    return _text(text) if text else Output("" if value is None else compact(value))


def _wrapped(value: str) -> dict[str, Any]:
    """The object inside a JSON text that wraps an output; {} if `value` is plain text."""
    if not value.lstrip().startswith("{") or '"output"' not in value:
        return {}
    parsed = arguments(value)
    return parsed if "output" in parsed and ("metadata" in parsed or "exit_code" in parsed) else {}


def _fields(fields: Mapping[str, Any]) -> Output:
    body = fields.get("output", fields.get("content"))
    inner = _text(
        body if isinstance(body, str) else joined_text(body) or (compact(body) if body else "")
    )
    metadata = map_of(fields.get("metadata"))
    code = int_or_none(metadata.get("exit_code", fields.get("exit_code")))
    code = inner.exit_code if code is None else code
    failed = fields.get("success") is False or (code is not None and code != 0)
    return Output(inner.text, code, failed or (code is None and inner.is_error))


def _text(text: str) -> Output:
    code: int | None = None
    body = text
    if _HEADER.match(text):
        cut = _OUTPUT.search(text, 0, _HEADER_SIZE)
        header = text[: cut.start()] if cut else text[:_HEADER_SIZE]
        found = _EXIT.search(header)
        code = int(found.group(1)) if found else None
        body = text[cut.end() :] if cut else text
    failed = bool(_FAILED.match(body[:200])) if code is None else code != 0
    return Output(body, code, failed)
