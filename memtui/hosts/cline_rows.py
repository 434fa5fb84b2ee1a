"""The Cline parser: messages whose tools are blocks, or XML inside the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from memtui.hosts.blocks import message_entries, result_entry
from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.plain import PlainParser
from memtui.hosts.protocol import Event
from memtui.hosts.shape import joined_text, list_of, map_of, text_of, text_or_none

_TOOLS = (
    "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|"
    "search_files|list_files|list_code_definition_names|use_mcp_tool|access_mcp_resource|browser_action|"
    "ask_followup_question|attempt_completion|new_task|switch_mode|update_todo_list|web_fetch|"
    "plan_mode_respond|load_mcp_documentation|fetch_instructions|codebase_search"
)
_CALL = re.compile(rf"<({_TOOLS})>(.*?)</\1>", re.DOTALL)
_VALUE = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
_TYPED = re.compile(
    r"\A\s*<(task|feedback|user_message|answer|new_message)>\s*(.*?)\s*</\1>\s*\Z", re.DOTALL
)
_OWN = re.compile(
    r"\A\s*(?:<environment_details>|<(?:file_content|notice|explicit_instructions)\b|# task_progress)"
)
_RESULT = re.compile(rf"\A\[({_TOOLS})(?: for .*?)?\] Result:\s*", re.DOTALL)
_FAILED = (
    "The tool execution failed",
    "<error>",
    "Error executing",
    "The user denied this operation",
)
_EXIT = re.compile(r"(?:exit(?:ed with)? code|Exit code:?) ?(\d+)", re.IGNORECASE)


class ClineParser(PlainParser):
    """Reads one task. Calls in XML have no id: they are numbered, and results come in their order."""

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(source, state)
        self._waiting = [w for w in list_of((state or {}).get("waiting")) if isinstance(w, str)]

    def state(self) -> dict[str, Any]:
        return {**super().state(), "waiting": self._waiting}

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        if row.get("type") == "task":
            yield from self.begin(text_of(row.get("id")), cwd=text_or_none(row.get("cwd")))
            return
        role, content = text_of(row.get("role")), row.get("content")
        record, at = text_of(row.get("id")) or context.ordinal_id, row.get("ts")
        if role == "assistant":
            self._waiting.clear()
            yield from self._answer(context, record, at, content)
        elif role == "user":
            yield from self._user(context, record, at, content)
        else:
            yield context.skipped("unknown type", role, self.version)

    def _answer(self, context: Context, record: str, at: Any, content: Any) -> Iterator[Event]:
        blocks = [content] if isinstance(content, str) else list_of(content)
        for number, block in enumerate(blocks):
            text = block if isinstance(block, str) else text_of(map_of(block).get("text"))
            kind = "text" if isinstance(block, str) else text_of(map_of(block).get("type"))
            if kind == "text" and _CALL.search(text):
                yield from self._written(context, record, at, number * 100, text)
                continue
            for entry in message_entries(
                self, context, record, at, "assistant", [block], message=record
            ):
                yield _moved(entry, number * 100)
                if entry.kind is Kind.CALL and entry.tool == "attempt_completion":
                    said = text_of((entry.input or {}).get("result"))
                    yield from self._completed(context, record, at, number * 100 + 1, said)

    def _written(
        self, context: Context, record: str, at: Any, part: int, text: str
    ) -> Iterator[Event]:
        """An answer with calls in XML."""
        before = _CALL.split(text, maxsplit=1)[0].strip()
        if before:
            yield context.entry(Kind.ANSWER, record, at, part=part, text=before, message=record)
        for number, found in enumerate(_CALL.finditer(text), 1):
            tool, inner = found.group(1), found.group(2)
            values = {key: value.strip() for key, value in _VALUE.findall(inner)}
            call = f"{record}/{part + number}"
            if tool == "attempt_completion":
                yield from self._completed(
                    context, record, at, part + number, values.get("result", "")
                )
                continue
            self._waiting.append(call)
            yield self.called(
                context, record, at, tool, values, call, part=part + number, message=record
            )

    def _completed(
        self, context: Context, record: str, at: Any, part: int, text: str
    ) -> Iterator[Event]:
        if text.strip():
            yield context.entry(Kind.ANSWER, record, at, part=part, text=text, message=record)

    def _user(self, context: Context, record: str, at: Any, content: Any) -> Iterator[Event]:
        blocks = [content] if isinstance(content, str) else list_of(content)
        typed: list[str] = []
        pending: tuple[str, int] | None = None
        for part, block in enumerate(blocks):
            if map_of(block).get("type") == "tool_result":
                yield self._block_result(context, record, at, part, map_of(block))
                continue
            text = joined_text([block])
            if found := _RESULT.match(text):
                call = self._waiting.pop(0) if self._waiting else ""
                rest = text[found.end() :]
                if rest.strip():
                    yield self._result(context, record, at, part, call, rest)
                else:
                    pending = (call, part)
            elif pending is not None and not _OWN.match(text):
                yield self._result(context, record, at, part, pending[0], text)
                pending = None
            elif inner := _TYPED.match(text):
                typed.append(inner.group(2))
            elif _OWN.match(text) or text.startswith("[ERROR]"):
                own_error = text.startswith("[ERROR]")
                yield context.entry(
                    Kind.NOTICE, record, at, part=part, text=text, is_error=own_error
                )
            elif text.strip():
                typed.append(text)
        if any(text.strip() for text in typed):
            yield context.entry(Kind.PROMPT, record, at, part=1000, text="\n".join(typed))

    def _block_result(
        self, context: Context, record: str, at: Any, part: int, block: Mapping[str, Any]
    ) -> Entry:
        text = joined_text(block.get("content"))
        failed = block.get("is_error") is True or text.startswith(_FAILED)
        call = text_of(block.get("tool_use_id"))
        shell = self.calls.get(call) == "execute_command"
        return result_entry(
            self, context, record, at, call, text, failed=failed, part=part,
            exit_code=_exit_code(text) if shell else None,
        )  # fmt: skip

    def _result(
        self, context: Context, record: str, at: Any, part: int, call: str, text: str
    ) -> Entry:
        shell = self.calls.get(call) == "execute_command"
        return result_entry(
            self, context, record, at, call, text, failed=text.lstrip().startswith(_FAILED), part=part,
            exit_code=_exit_code(text) if shell else None,
        )  # fmt: skip


def _exit_code(text: str) -> int | None:
    found = _EXIT.search(text[:400])
    return int(found.group(1)) if found else None


def _moved(entry: Entry, part: int) -> Entry:
    return msgspec.structs.replace(entry, part=part)
