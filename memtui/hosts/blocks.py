"""Messages made of typed blocks, as most hosts keep them: text, thinking, calls and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind
from memtui.hosts.plain import PlainParser
from memtui.hosts.shape import block_text, joined_text, list_of, map_of, text_of

Split = Callable[[str], list[tuple[Kind, str]]]
"""The parts of a user's text, each with its kind: a host may put texts of its own around a prompt."""

_CALLS = ("tool_use", "toolCall", "tool_call")
_RESULTS = ("tool_result", "toolResult")


def as_prompt(text: str) -> list[tuple[Kind, str]]:
    """The whole text is what a person typed."""
    return [(Kind.PROMPT, text)]


def message_entries(
    parser: PlainParser,
    context: Context,
    record: str,
    at: Any,
    role: str,
    content: Any,
    *,
    split: Split = as_prompt,
    **shared: Any,
) -> Iterator[Entry]:
    """The entries of one message of a user or an assistant. Texts of one prompt are joined."""
    blocks = [content] if isinstance(content, str) else list_of(content)
    typed: list[str] = []
    typed_part = 0
    for part, block in enumerate(blocks):
        fields = block if isinstance(block, dict) else {"type": "text", "text": block}
        kind = text_of(fields.get("type"))
        if kind in _CALLS:
            values = fields.get("input", fields.get("arguments"))
            yield parser.called(
                context, record, at, text_of(fields.get("name")), values,
                text_of(fields.get("id")), part=part, **shared,
            )  # fmt: skip
        elif kind in _RESULTS:
            call = text_of(fields.get("tool_use_id")) or text_of(fields.get("id"))
            yield result_entry(
                parser, context, record, at, call, joined_text(fields.get("content")),
                failed=fields.get("is_error") is True, part=part,
            )  # fmt: skip
        elif kind in ("thinking", "reasoning"):
            if thought := text_of(fields.get("thinking")) or text_of(fields.get("text")):
                yield context.entry(Kind.THINKING, record, at, part=part, text=thought, **shared)
        elif kind == "redacted_thinking" or not (text := block_text(fields)).strip():
            continue
        elif role != "user":
            yield context.entry(Kind.ANSWER, record, at, part=part, text=text, **shared)
        else:
            for number, (told, piece) in enumerate(split(text)):
                if told is Kind.PROMPT:
                    typed_part = typed_part if typed else part * 100 + number
                    typed.append(piece)
                else:
                    yield context.entry(told, record, at, part=part * 100 + number, text=piece)
    if any(text.strip() for text in typed):
        yield context.entry(Kind.PROMPT, record, at, part=typed_part, text="\n".join(typed))


def result_entry(
    parser: PlainParser,
    context: Context,
    record: str,
    at: Any,
    call: str,
    text: str,
    *,
    failed: bool = False,
    exit_code: int | None = None,
    part: int = 0,
    diff: str | None = None,
) -> Entry:
    """The RESULT of a call, with the tool's name where the call was seen."""
    tool = parser.calls.pop(call, "")
    return context.entry(
        Kind.RESULT, record, at, part=part, call=call or None, tool=tool or None, text=text,
        is_error=failed or exit_code not in (None, 0), exit_code=exit_code, diff=diff,
    )  # fmt: skip


def canonical_message(message: Mapping[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    """Role and content of a message; of its blocks only what says something."""
    content = message.get("content")
    return {
        "role": text_of(message.get("role")),
        "content": content
        if isinstance(content, str)
        else [
            {key: block[key] for key in kept if key in block} if isinstance(block, dict) else block
            for block in map(_block, list_of(content))
        ],
    }


def _block(block: Any) -> Any:
    return map_of(block) or block


BLOCK_FIELDS = (
    "type", "text", "thinking", "id", "name", "input", "arguments", "tool_use_id", "content",
    "is_error",
)  # fmt: skip
