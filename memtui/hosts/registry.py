"""The agent hosts that memtui reads. An adapter is imported when its host is first asked for anything."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pathlib import Path

    from memtui.hosts.protocol import Host, Part


class _Adapter:
    """Stands for a host until it is needed: most commands read no transcript, and 13 hosts take 80 ms."""

    def __init__(self, name: str, label: str, place: str) -> None:
        self.name = name
        self.label = label
        self._place = place

    def __getattr__(self, attribute: str) -> Any:
        """Everything but name and label comes from the adapter."""
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        module, _, kind = self._place.partition(":")
        real = getattr(import_module(f"memtui.hosts.{module}"), kind)()
        self.__dict__.update({each: getattr(real, each) for each in _OF_HOSTS})
        return getattr(real, attribute)


_OF_HOSTS = (
    "lacks", "discover", "folders", "sniff", "document", "touched", "resume", "parser", "canonical"
)  # fmt: skip
"""What the protocol `Host` asks for besides `name` and `label`."""

HOSTS: tuple[Host, ...] = tuple(
    cast("Host", _Adapter(name, label, place))
    for name, label, place in (
        ("claude-code", "Claude Code", "claude_code:ClaudeCode"),
        ("codex", "Codex", "codex:Codex"),
        ("gemini-cli", "Gemini CLI", "gemini_cli:GeminiCli"),
        ("opencode", "OpenCode", "opencode:OpenCode"),
        ("copilot-cli", "GitHub Copilot CLI", "copilot_cli:CopilotCli"),
        ("cursor", "Cursor", "cursor:Cursor"),
        ("cline", "Cline", "cline:Cline"),
        ("roo", "Roo Code", "cline:Roo"),
        ("goose", "Goose", "goose:Goose"),
        ("aider", "Aider", "aider:Aider"),
        ("pi", "Pi", "pi:Pi"),
        ("qwen-code", "Qwen Code", "qwen_code:QwenCode"),
        ("generic", "Other agents", "generic:Generic"),
    )
)


def host(name: str) -> Host:
    """The host called `name` ("claude-code", "codex"). Raises KeyError."""
    for candidate in HOSTS:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def lacks(name: str) -> frozenset[Part]:
    """What the host called `name` never stores; nothing is said of a host that is not known."""
    known = next((candidate for candidate in HOSTS if candidate.name == name), None)
    return frozenset() if known is None else known.lacks


def label(name: str) -> str:
    """What people call the host `name`."""
    return next((candidate.label for candidate in HOSTS if candidate.name == name), name)


def sniff_file(path: Path) -> Host | None:
    """The host whose transcript `path` is, by its content; None if it is none. Raises OSError."""
    from memtui.hosts.jsonl import read_head

    head = read_head(path)
    return next((candidate for candidate in HOSTS if candidate.sniff(head)), None)
