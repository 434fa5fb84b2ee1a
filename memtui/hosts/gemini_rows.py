"""The Gemini CLI parser: messages that are written again as they grow, whole or in part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtui.hosts.feeding import Context
from memtui.hosts.model import Entry, Kind, SourceFile
from memtui.hosts.plain import PlainParser, tokens_from
from memtui.hosts.protocol import Event
from memtui.hosts.shape import list_of, map_of, text_of, text_or_none

_HOOK = re.compile(r"\A\s*(<hook_context>.*?</hook_context>)\s*", re.DOTALL)
_OWN = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
_EXIT = re.compile(r"^(?:Exit Code|Exit code): (-?\d+)\s*$", re.MULTILINE)
_SILENT = ("info",)
_KEPT = 1000
_DIFF_HEAD = re.compile(r"\AIndex: [^\n]*\n=+\n")


class GeminiParser(PlainParser):
    """Reads one chat. A message is told once, however often it is written: only what is new in it.

    `told` says of the last messages what was told: its text, how many thoughts, calls and results.
    """

    def __init__(self, source: SourceFile, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(source, state)
        self._told: dict[str, dict[str, Any]] = {
            key: dict(map_of(value)) for key, value in map_of((state or {}).get("told")).items()
        }

    def state(self) -> dict[str, Any]:
        return {**super().state(), "told": self._told}

    def record(self, context: Context, row: dict[str, Any]) -> Iterator[Event]:
        if isinstance(row.get("$rewindTo"), str):
            yield self._rewound(context, row["$rewindTo"])
        elif "$set" in row:
            yield from self._set(context, map_of(row["$set"]))
        elif isinstance(row.get("type"), str):
            yield from self._message(context, row)
        elif isinstance(row.get("sessionId"), str):
            yield from self._set(context, row)
        else:
            yield context.skipped("unknown type", ",".join(sorted(row))[:80], self.version)

    def _set(self, context: Context, told: Mapping[str, Any]) -> Iterator[Event]:
        """The chat's own fields; its `messages` may retell all that was said, in another shape."""
        if not self.session:
            agent = self.source.agent
            yield from self.begin(
                text_of(told.get("sessionId")),
                cwd=project_root(self.source.path),
                parent=self.source.parent,
                agent=agent,
            )
        if summary := text_of(told.get("summary")):
            yield from self.named(summary)
        known = set(self._told)
        for message in map(map_of, list_of(told.get("messages"))):
            if text_of(message.get("id")) not in known:
                yield from self._message(context, message)

    def _message(self, context: Context, row: Mapping[str, Any]) -> Iterator[Event]:
        kind, record = text_of(row.get("type")), text_of(row.get("id")) or context.ordinal_id
        told = self._told.pop(record, {})
        self._told[record] = told
        while len(self._told) > _KEPT:
            del self._told[next(iter(self._told))]
        if kind == "user":
            yield from self._user(context, record, row, told)
        elif kind == "gemini":
            yield from self._gemini(context, record, row, told)
        elif kind in ("info", "warning", "error"):
            if _is_new(told, text := _text(row.get("content"))):
                yield context.entry(
                    Kind.NOTICE, record, row.get("timestamp"), text=text, is_error=kind == "error"
                )
        else:
            yield context.skipped("unknown type", kind, self.version)

    def _user(
        self, context: Context, record: str, row: Mapping[str, Any], told: dict[str, Any]
    ) -> Iterator[Entry]:
        at = row.get("timestamp")
        for part in map(map_of, list_of(row.get("content"))):
            answer = map_of(part.get("functionResponse"))
            if answer:
                yield from self._answered(context, record, at, answer)
        text = _text(row.get("content"))
        if not text.strip() or not _is_new(told, text):
            return
        part_number = 0
        if found := _HOOK.match(text):
            yield context.entry(Kind.INJECTION, record, at, text=found.group(1))
            text, part_number = text[found.end() :], 1
        if not text.strip():
            return
        kind = Kind.NOTICE if text.lstrip().startswith(_OWN) else Kind.PROMPT
        shown = _text(row.get("displayContent")) if kind is Kind.PROMPT else ""
        yield context.entry(
            kind, record, at, part=part_number, text=(shown.strip() and shown) or text
        )

    def _answered(
        self, context: Context, record: str, at: Any, answer: Mapping[str, Any]
    ) -> Iterator[Entry]:
        """A result that is only told to the model, not written into the call."""
        call = text_of(answer.get("id"))
        if call in self.calls:
            tool = self.calls.pop(call)
            text, failed = _response(answer.get("response"))
            yield _result(context, f"{record}/{call}", at, call, tool, text, failed)

    def _gemini(
        self, context: Context, record: str, row: Mapping[str, Any], told: dict[str, Any]
    ) -> Iterator[Event]:
        at, model = row.get("timestamp"), text_or_none(row.get("model"))
        if not self.session or (model and model != self.model):
            yield from self.begin(model=model)
        tokens = tokens_from(row.get("tokens"), "input", "output", "cached")
        shared: dict[str, Any] = {"message": record, "model": model}
        for number, thought in enumerate(map(map_of, list_of(row.get("thoughts")))):
            if number >= _number(told, "thoughts"):
                told["thoughts"] = number + 1
                words = (text_of(thought.get("subject")), text_of(thought.get("description")))
                yield context.entry(
                    Kind.THINKING, record, thought.get("timestamp") or at, part=number,
                    text=": ".join(filter(None, words)), **shared,
                )  # fmt: skip
        text = _text(row.get("content"))
        if text.strip() and _is_new(told, text):
            yield context.entry(Kind.ANSWER, record, at, text=text, tokens=tokens, **shared)
            told["tokens"] = told.get("tokens") is True or tokens is not None
        elif tokens is not None and told.get("tokens") is not True:
            told["tokens"] = True
            yield context.entry(Kind.NOTICE, f"{record}/tokens", at, tokens=tokens, **shared)
        for number, call in enumerate(map(map_of, list_of(row.get("toolCalls")))):
            yield from self._tool(context, record, at, call, number, told, shared)

    def _tool(
        self,
        context: Context,
        record: str,
        at: Any,
        call: Mapping[str, Any],
        number: int,
        told: dict[str, Any],
        shared: Mapping[str, Any],
    ) -> Iterator[Entry]:
        """The call when it is new, its result when that is there."""
        name, stored = text_of(call.get("name")), text_of(call.get("id"))
        key = stored or f"{record}/{number}"
        calls = told.setdefault("calls", {})
        if not isinstance(calls, dict):
            calls = told["calls"] = {}
        when = call.get("timestamp") or at
        if key not in calls:
            calls[key] = 0
            yield self.called(
                context, f"{record}/{key}", when, name, call.get("args"), key, **shared
            )
        status, result = text_of(call.get("status")), call.get("result")
        ended = status in ("success", "error", "cancelled")
        if calls[key] != 1 and (ended or result is not None):
            calls[key] = 1
            self.calls.pop(key, None)
            responses = [
                _response(map_of(map_of(part).get("functionResponse")).get("response"))
                for part in list_of(result)
            ]
            display = call.get("resultDisplay")
            text = "\n".join(said for said, _ in responses) or text_of(display)
            failed = status in ("error", "cancelled") or any(bad for _, bad in responses)
            yield _result(
                context, f"{record}/{key}/result", when, key, name, text, failed,
                _diff(map_of(display).get("fileDiff")),
            )  # fmt: skip

    def _rewound(self, context: Context, to: str) -> Entry:
        """The host forgot everything from a message on; `input` names it for who shows them."""
        self._told.pop(to, None)
        return context.entry(
            Kind.NOTICE, context.ordinal_id, None, text="Went back to an earlier prompt",
            tool="rewound", input={"record": to},
        )  # fmt: skip


def project_root(chat: Path) -> str | None:
    """The project folder of a chat: from the marker file beside it, or from the host's list."""
    for folder in chat.parents:
        if folder.name == "chats":
            found = _small(folder.parent / ".project_root").strip()
            return found or _listed(folder.parent.name, folder.parent.parent.parent)
    return None


def _listed(slug: str, root: Path) -> str | None:
    """The folder that `projects.json` maps to a chat folder, or whose SHA-256 names it."""
    from hashlib import sha256

    from memtui.hosts.documents import read_json_or_none

    projects = map_of(map_of(read_json_or_none(root / "projects.json")).get("projects"))
    for path, name in projects.items():
        if name == slug or sha256(path.encode("utf-8", "replace")).hexdigest() == slug:
            return path
    return None


def _small(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(4096).decode("utf-8", "replace")
    except OSError:
        return ""


def _is_new(told: dict[str, Any], text: str) -> bool:
    """Whether a text of a message was not told before; a message's later text counts as the same."""
    if told.get("text") is True or not text.strip():
        return False
    told["text"] = True
    return True


def _number(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key)
    return value if type(value) is int else 0


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [content] if isinstance(content, dict) else list_of(content)
    texts = [part if isinstance(part, str) else _part_text(map_of(part)) for part in parts]
    return "\n".join(filter(None, texts))


def _part_text(part: Mapping[str, Any]) -> str:
    if part.get("thought") is True:
        return ""
    if "inlineData" in part or "fileData" in part:
        return "[file]"
    return text_of(part.get("text"))


def _response(response: Any) -> tuple[str, bool]:
    """The text of a tool's response, and whether it is an error."""
    fields = map_of(response)
    if isinstance(fields.get("error"), str):
        return fields["error"], True
    output = fields.get("output")
    return (output if isinstance(output, str) else _text(response)), False


def _result(
    context: Context,
    record: str,
    at: Any,
    call: str,
    tool: str,
    text: str,
    failed: bool,
    diff: str | None = None,
) -> Entry:
    found = _EXIT.findall(text[-4096:]) if "shell" in tool or "command" in tool else []
    code = int(found[-1]) if found else None
    return context.entry(
        Kind.RESULT, record, at, call=call, tool=tool or None, text=text,
        is_error=failed or code not in (None, 0), exit_code=code, diff=diff,
    )  # fmt: skip


def _diff(shown: Any) -> str | None:
    return _DIFF_HEAD.sub("", shown) if isinstance(shown, str) and shown else None
