"""The agent hosts that memtui reads."""

from __future__ import annotations

from pathlib import Path

from memtui.hosts.aider import Aider
from memtui.hosts.claude_code import ClaudeCode
from memtui.hosts.cline import Cline, Roo
from memtui.hosts.codex import Codex
from memtui.hosts.copilot_cli import CopilotCli
from memtui.hosts.cursor import Cursor
from memtui.hosts.gemini_cli import GeminiCli
from memtui.hosts.generic import Generic
from memtui.hosts.goose import Goose
from memtui.hosts.jsonl import read_head
from memtui.hosts.opencode import OpenCode
from memtui.hosts.pi import Pi
from memtui.hosts.protocol import Host
from memtui.hosts.qwen_code import QwenCode

HOSTS: tuple[Host, ...] = (
    ClaudeCode(),
    Codex(),
    GeminiCli(),
    OpenCode(),
    CopilotCli(),
    Cursor(),
    Cline(),
    Roo(),
    Goose(),
    Aider(),
    Pi(),
    QwenCode(),
    Generic(),
)


def host(name: str) -> Host:
    """The host called `name` ("claude-code", "codex"). Raises KeyError."""
    for candidate in HOSTS:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def sniff_file(path: Path) -> Host | None:
    """The host whose transcript `path` is, by its content; None if it is none. Raises OSError."""
    head = read_head(path)
    return next((candidate for candidate in HOSTS if candidate.sniff(head)), None)
