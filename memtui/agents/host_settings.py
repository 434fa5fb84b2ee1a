"""Where each host keeps its hooks, and what memtui puts there: one table per host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USER = "user"
PROJECT = "project"
LEVELS = (USER, PROJECT)

DEFAULT_EVENTS = ("session-start", "prompt", "post-tool", "session-end")
"""`pre-tool` is left out: it stands before every tool call and transcripts have the calls anyway."""
ALL_EVENTS = ("session-start", "prompt", "pre-tool", "post-tool", "session-end")


@dataclass(frozen=True, slots=True)
class Wiring:
    """How one of our events hangs in a host: its event, a matcher ("" for all), the host's time limit.

    `extra` are further members of the entry. `seconds` is rendered in the host's own unit.
    """

    event: str
    seconds: int
    matcher: str = ""
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class HostSettings:
    """One host's settings file. `comments`: it may have them. `unit`: time limits per second.

    `folder` is the name in the home and the project folder; `variable` names another folder to take
    instead of the one in the home, or (`moves_home`) another home.
    """

    host: str
    label: str
    folder: str
    variable: str
    user_file: str
    project_file: str
    comments: bool
    unit: int
    wirings: Mapping[str, Wiring]
    named: bool = False
    moves_home: bool = False
    notes: tuple[str, ...] = ()

    def path(
        self, level: str, home: Path, project: Path | None, environ: Mapping[str, str]
    ) -> Path:
        """The settings file of a level. Raises ValueError for a project level without a project."""
        if level == USER:
            moved = environ.get(self.variable, "")
            if moved and not self.moves_home:
                return Path(moved) / self.user_file
            return (Path(moved) if moved else home) / self.folder / self.user_file
        if level != PROJECT or project is None:
            raise ValueError("the project level needs a project folder")
        return project / self.folder / self.project_file

    def group(self, event: str, command: str) -> dict[str, Any]:
        """The group of hooks that runs `command` at one of our events."""
        wiring = self.wirings[event]
        entry: dict[str, Any] = {"name": f"memtui {event}"} if self.named else {}
        entry |= {"type": "command", "command": command, "timeout": wiring.seconds * self.unit}
        entry |= wiring.extra or {}
        matcher = {"matcher": wiring.matcher} if wiring.matcher else {}
        return {**matcher, "hooks": [entry]}


_CLAUDE_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit"

CLAUDE_CODE = HostSettings(
    host="claude-code",
    label="Claude Code",
    folder=".claude",
    variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file="settings.local.json",
    comments=False,
    unit=1,
    wirings={
        "session-start": Wiring("SessionStart", 5),
        "prompt": Wiring("UserPromptSubmit", 3),
        "pre-tool": Wiring("PreToolUse", 3, _CLAUDE_TOOLS),
        "post-tool": Wiring("PostToolUse", 30, _CLAUDE_TOOLS, {"async": True}),
        "session-end": Wiring("SessionEnd", 5),
    },
    notes=("Interactive sessions run hooks in a folder only after you trusted it.",),
)

CODEX = HostSettings(
    host="codex",
    label="Codex",
    folder=".codex",
    variable="CODEX_HOME",
    user_file="hooks.json",
    project_file="hooks.json",
    comments=False,
    unit=1,
    wirings={
        "session-start": Wiring("SessionStart", 5),
        "prompt": Wiring("UserPromptSubmit", 3),
        "pre-tool": Wiring("PreToolUse", 3),
        "post-tool": Wiring("PostToolUse", 5),
    },
    notes=(
        "Codex runs the hooks only after you reviewed and trusted them: start `codex`, open `/hooks`.",
        "Codex has no hook for the end of a session.",
    ),
)

GEMINI_CLI = HostSettings(
    host="gemini-cli",
    label="Gemini CLI",
    folder=".gemini",
    variable="GEMINI_CLI_HOME",
    user_file="settings.json",
    project_file="settings.json",
    comments=True,
    unit=1000,
    wirings={
        "session-start": Wiring("SessionStart", 5),
        "prompt": Wiring("BeforeAgent", 3),
        "pre-tool": Wiring("BeforeTool", 3),
        "post-tool": Wiring("AfterTool", 5),
        "session-end": Wiring("SessionEnd", 5),
    },
    named=True,
    moves_home=True,
    notes=("Gemini CLI runs hooks in a folder only after you trusted it.",),
)

HOST_SETTINGS = {one.host: one for one in (CLAUDE_CODE, CODEX, GEMINI_CLI)}
