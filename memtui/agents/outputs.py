"""How each host wants a hook's words: one writer per host, since each rejects the others' extra keys."""

from __future__ import annotations

import json
import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS = ("claude-code", "codex", "gemini-cli")
START = "session-start"
PROMPT = "prompt"

_CLAUDE_EVENTS = {START: "SessionStart", PROMPT: "UserPromptSubmit"}
_GEMINI_EVENTS = {START: "SessionStart", PROMPT: "BeforeAgent"}


def say(host: str, event: str, text: str) -> bytes:
    """What to print so that `text` reaches the model. Raises KeyError for a host that is not known."""
    return _WRITERS[host](event, text).encode("ascii") + b"\n"


def print_out(data: bytes) -> None:
    """Write to standard output, whole. Raises OSError when nobody reads it."""
    while data:
        data = data[os.write(1, data) :]


def complain(what: str) -> None:
    """Say something on standard error, where a host shows it to nobody but its log."""
    with suppress(OSError):  # nobody is left to tell
        os.write(2, f"memtui-hook: {what}\n".encode("utf-8", "replace"))


def _claude_code(event: str, text: str) -> str:
    return _specific(_CLAUDE_EVENTS[event], text)


def _codex(event: str, text: str) -> str:
    return _specific(_CLAUDE_EVENTS[event], text)


def _gemini_cli(event: str, text: str) -> str:
    return _specific(_GEMINI_EVENTS[event], text)


def _specific(name: str, text: str) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


_WRITERS: dict[str, Callable[[str, str], str]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
}
