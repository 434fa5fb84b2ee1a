"""Codex response items (messages, reasoning, calls, outputs) of every era into entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from memtui.hosts.codex_calls import CALL_TYPES, OUTPUT_TYPES, Output, read_call, read_output
from memtui.hosts.codex_state import CodexState
from memtui.hosts.codex_texts import developer_injection, message_texts, request, user_kind
from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind
from memtui.hosts.shape import joined_text, list_of, map_of, text_of, text_or_none


class At(msgspec.Struct, frozen=True):
    """A record's place, its id (`"<ordinal>@<timestamp>"` or `"<ordinal>"`) and its time stamp."""

    context: Context
    record: str
    time: Any

    @classmethod
    def of(cls, context: Context, row: Mapping[str, Any]) -> At:
        stamp = text_of(row.get("timestamp"))
        record = f"{context.ordinal_id}@{stamp}" if stamp else context.ordinal_id
        return cls(context, record, stamp)

    def entry(self, kind: Kind, part: int = 0, **fields: Any) -> Entry:
        return self.context.entry(kind, self.record, self.time, part=part, **fields)


def item_type(payload: Mapping[str, Any]) -> str:
    """The type of a response item; old and hand-made ones with a role alone are messages."""
    return text_of(payload.get("type")) or ("message" if "role" in payload else "")


def item_entries(place: At, payload: Mapping[str, Any], state: CodexState) -> Iterator[Entry]:
    """The entries of one response item, enveloped or bare."""
    kind = item_type(payload)
    if kind == "message":
        yield from _message(place, payload, state)
    elif kind == "reasoning":
        yield from _reasoning(place, payload, state)
    elif kind in CALL_TYPES:
        call = read_call(payload)
        state.open_call(call.id, call.tool)
        yield place.entry(
            Kind.CALL,
            call=call.id or None,
            tool=call.tool or None,
            input=call.input,
            text=call.text,
            diff=call.diff,
            paths=call.paths,
            model=state.model or None,
        )
    elif kind in OUTPUT_TYPES:
        yield from _output(place, payload, state)


def legacy_items(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A chat message of the TypeScript era as response items; newer items pass unchanged."""
    if "type" in item:
        yield dict(item)
        return
    if thought := text_of(item.get("reasoning")):
        yield {"type": "reasoning", "content": [{"type": "reasoning_text", "text": thought}]}
    if item.get("role") == "tool":
        yield {
            "type": "function_call_output",
            "call_id": item.get("tool_call_id"),
            "output": item.get("content"),
        }
    elif joined_text(item.get("content")):
        yield {"type": "message", "role": item.get("role"), "content": item.get("content")}
    for call in map(map_of, list_of(item.get("tool_calls"))):
        function = map_of(call.get("function"))
        yield {
            "type": "function_call",
            "call_id": call.get("id"),
            "name": function.get("name"),
            "arguments": function.get("arguments"),
        }


def prompt_entry(
    place: At, text: str, family: str, state: CodexState, part: int = 0
) -> Iterator[Entry]:
    """A PROMPT, unless another family of rows has told it already."""
    asked = request(text)
    if asked.strip() and state.is_first(family, "prompt", asked):
        yield place.entry(Kind.PROMPT, part, text=asked)


def answer_entry(
    place: At, text: str, family: str, state: CodexState, message: str | None = None, part: int = 0
) -> Iterator[Entry]:
    """An ANSWER, unless another family of rows has told it already."""
    if text.strip() and state.is_first(family, "answer", text):
        yield place.entry(Kind.ANSWER, part, text=text, message=message, model=state.model or None)


def thinking_entry(
    place: At, text: str, family: str, state: CodexState, part: int = 0
) -> Iterator[Entry]:
    """THINKING, unless another family of rows has told it already."""
    if text.strip() and state.is_first(family, "thinking", text):
        yield place.entry(Kind.THINKING, part, text=text, model=state.model or None)


def _message(place: At, payload: Mapping[str, Any], state: CodexState) -> Iterator[Entry]:
    role = payload.get("role")
    texts = list(message_texts(payload))
    if role == "assistant":
        message = text_or_none(payload.get("id"))
        text = "\n".join(text for text, _ in texts)
        yield from answer_entry(place, text, "response", state, message)
    elif role == "user":
        yield from _user_message(place, texts, state)
    else:
        for part, (text, told) in enumerate(texts):
            if developer_injection(text, told):
                yield place.entry(Kind.INJECTION, part, text=text)


def _user_message(place: At, texts: list[tuple[str, str]], state: CodexState) -> Iterator[Entry]:
    """Texts of the host one by one; the texts of a person are one prompt."""
    prompt: list[str] = []
    part = 0
    for text, told in texts:
        kind = user_kind(text, told)
        if kind is Kind.PROMPT:
            prompt.append(text)
        else:
            yield place.entry(kind, part, text=text)
            part += 1
    yield from prompt_entry(place, "\n".join(prompt), "response", state, part)


def _reasoning(place: At, payload: Mapping[str, Any], state: CodexState) -> Iterator[Entry]:
    """The summary parts, each an entry as in the events; else the raw text."""
    summary = [joined_text([block]) for block in list_of(payload.get("summary"))]
    texts = [text for text in summary if text] or [joined_text(payload.get("content"))]
    for part, text in enumerate(texts):
        yield from thinking_entry(place, text, "response", state, part)


def _output(place: At, payload: Mapping[str, Any], state: CodexState) -> Iterator[Entry]:
    output = read_output(payload.get("output"))
    call = text_of(payload.get("call_id"))
    tool = state.open.get(call)
    facts = state.close_call(call)
    yield result_entry(place, call, tool, output, facts)
    agent = _spawned(tool, payload.get("output"))
    if state.is_new_agent(agent):
        yield place.entry(Kind.SUBAGENT, 1, call=call or None, agent=agent)


def result_entry(
    place: At, call: str, tool: str | None, output: Output, facts: Mapping[str, Any], part: int = 0
) -> Entry:
    """A RESULT; `facts` are what events told of the call before (see `CodexState.tell`)."""
    code = output.exit_code
    told = facts.get("exit_code")
    if code is None and type(told) is int:
        code = told
    failed = output.is_error or facts.get("ok") is False or (code is not None and code != 0)
    paths = tuple(path for path in list_of(facts.get("paths")) if isinstance(path, str))
    return place.entry(
        Kind.RESULT,
        part,
        call=call or None,
        tool=tool or None,
        text=output.text,
        exit_code=code,
        is_error=failed,
        diff=text_or_none(facts.get("diff")),
        paths=paths,
    )


def _spawned(tool: str | None, output: Any) -> str:
    """The thread id of the sub-agent that a call started."""
    if not (tool or "").endswith("spawn_agent"):
        return ""
    text = output if isinstance(output, str) else ""
    marker = '"agent_id":'
    if marker not in text:
        return ""
    return text.split(marker, 1)[1].lstrip().removeprefix('"').split('"', 1)[0][:64]
