"""A tool call as text to read: what a person would call the command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtui.hosts.diffs import edit_diff, new_file_diff, patch_diff, patch_text
from memtui.hosts.shape import list_of, map_of, text_of

Input = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a call, and the diff and the paths where its input holds them."""

    text: str
    diff: str | None = None
    paths: tuple[str, ...] = ()


def render_call(tool: str, values: Input) -> Rendered:
    """How a call of `tool` with input `values` reads. Unknown tools show their input as JSON."""
    known = _TOOLS.get(tool)
    rendered = known(values) if known else None
    if rendered is not None and (rendered.text or rendered.paths):
        return rendered
    return Rendered(compact(values) if values else "")


def compact(value: Any) -> str:
    """`value` as JSON on one line, non-ASCII characters kept."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)


def command_line(command: Any) -> str:
    """A shell command given as text or as an argument list (`bash -lc SCRIPT` shows SCRIPT)."""
    if isinstance(command, str):
        return command
    words = [word for word in list_of(command) if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]
    if len(words) == 2 and words[0] in ("apply_patch", "applypatch"):
        return words[1]
    return shlex.join(words)


_PATHS = (
    "file_path", "path", "notebook_path", "filePath", "absolute_path", "dir_path", "target_file",
)  # fmt: skip
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_CONTENTS = ("content", "contents", "file_text", "file_content")


def _first(values: Input, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := text_of(values.get(key)))), "")


def _path(values: Input) -> str:
    return _first(values, _PATHS)


def _paths(path: str) -> tuple[str, ...]:
    return (path,) if path else ()


def _shell(values: Input) -> Rendered:
    command = command_line(values.get("command") or values.get("cmd"))
    patch = patch_text(command)
    if patch is None:
        return Rendered(command)
    diff, paths = patch_diff(patch)
    return Rendered(", ".join(paths) or command, diff, paths)


def _edit(values: Input) -> Rendered:
    path = _path(values)
    diff = edit_diff(path, _first(values, _OLD), _first(values, _NEW))
    return Rendered(path, diff, _paths(path))


def _multi_edit(values: Input) -> Rendered:
    path = _path(values)
    edits = [map_of(edit) for edit in list_of(values.get("edits"))]
    diffs = [
        edit_diff(path, text_of(edit.get("old_string")), text_of(edit.get("new_string")))
        for edit in edits
    ]
    return Rendered(path, "\n".join(diffs) or None, _paths(path))


def _write(values: Input) -> Rendered:
    path = _path(values)
    return Rendered(path, new_file_diff(path, _first(values, _CONTENTS)), _paths(path))


def _editor(values: Input) -> Rendered:
    """One tool that views, creates and edits, as its `command` says."""
    if any(key in values for key in _CONTENTS):
        return _write(values)
    if any(key in values for key in _NEW):
        return _edit(values)
    return _read(values)


def _notebook(values: Input) -> Rendered:
    path = _path(values)
    return Rendered(path, new_file_diff(path, text_of(values.get("new_source"))), _paths(path))


def _read(values: Input) -> Rendered:
    path = _path(values)
    first, count = values.get("offset"), values.get("limit")
    if isinstance(first, int) and isinstance(count, int):
        return Rendered(f"{path}:{first}-{first + count - 1}", None, _paths(path))
    return Rendered(f"{path}:{first}-" if isinstance(first, int) else path, None, _paths(path))


def _search(values: Input) -> Rendered:
    pattern = _first(values, ("pattern", "regex", "query"))
    places = [p for k in ("path", "dir_path", "glob", "include") if (p := text_of(values.get(k)))]
    return Rendered(f"{pattern} in {' '.join(places)}" if places else pattern)


def _agent(values: Input) -> Rendered:
    kind = text_of(values.get("subagent_type")) or text_of(values.get("agent_type"))
    task = next(
        (
            t
            for k in ("description", "task_name", "message", "prompt")
            if (t := text_of(values.get(k)))
        ),
        "",
    )
    return Rendered(f"{kind}: {task}" if kind else task)


def _todos(values: Input) -> Rendered:
    marks = {"completed": "x", "in_progress": "~"}
    items = [map_of(item) for item in list_of(values.get("todos") or values.get("plan"))]
    lines = [
        f"[{marks.get(text_of(item.get('status')), ' ')}] "
        f"{text_of(item.get('content')) or text_of(item.get('step'))}"
        for item in items
    ]
    return Rendered("\n".join(lines))


def _questions(values: Input) -> Rendered:
    asked = [text_of(map_of(q).get("question")) for q in list_of(values.get("questions"))]
    return Rendered("\n".join(filter(None, asked)))


def _patch(values: Input) -> Rendered:
    raw = next((t for k in ("input", "patch", "command") if (t := command_line(values.get(k)))), "")
    diff, paths = patch_diff(patch_text(raw) or raw)
    return Rendered(", ".join(paths) or raw, diff or None, paths)


def _field(*keys: str) -> Callable[[Input], Rendered]:
    """The first of `keys` that holds text."""

    def render(values: Input) -> Rendered:
        return Rendered(next((t for key in keys if (t := text_of(values.get(key)))), ""))

    return render


_TOOLS: dict[str, Callable[[Input], Rendered]] = {
    # Claude Code
    "Bash": _shell,
    "PowerShell": _shell,
    "BashOutput": _field("bash_id"),
    "KillShell": _field("shell_id"),
    "TaskOutput": _field("task_id"),
    "TaskStop": _field("task_id"),
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "Write": _write,
    "NotebookEdit": _notebook,
    "Read": _read,
    "NotebookRead": _read,
    "LS": _read,
    "Grep": _search,
    "Glob": _search,
    "Task": _agent,
    "Agent": _agent,
    "WebFetch": _field("url"),
    "WebSearch": _field("query"),
    "TodoWrite": _todos,
    "TaskCreate": _field("subject", "description"),
    "Skill": _field("skill", "command"),
    "SlashCommand": _field("command"),
    "ToolSearch": _field("query"),
    "ExitPlanMode": _field("plan"),
    "AskUserQuestion": _questions,
    # Codex
    "shell": _shell,
    "shell_command": _shell,
    "local_shell": _shell,
    "exec_command": _shell,
    "container.exec": _shell,
    "exec": _field("input"),
    "write_stdin": _field("chars"),
    "apply_patch": _patch,
    "update_plan": _todos,
    "view_image": _field("path"),
    "spawn_agent": _agent,
    "send_input": _field("message"),
    "web_search": _field("query", "url", "pattern"),
    # Gemini CLI and Qwen Code
    "run_shell_command": _shell,
    "read_file": _read,
    "read_many_files": _field("paths", "include"),
    "write_file": _write,
    "replace": _edit,
    "list_directory": _read,
    "glob": _search,
    "search_file_content": _search,
    "grep_search": _search,
    "web_fetch": _field("url", "prompt"),
    "google_web_search": _field("query"),
    "save_memory": _field("fact"),
    "write_todos": _todos,
    # OpenCode, Pi, GitHub Copilot CLI, Cursor
    "bash": _shell,
    "edit": _edit,
    "write": _write,
    "read": _read,
    "view": _read,
    "create": _write,
    "list": _read,
    "ls": _read,
    "grep": _search,
    "find": _search,
    "webfetch": _field("url"),
    "websearch": _field("query"),
    "task": _agent,
    "todowrite": _todos,
    "str_replace_editor": _editor,
    "Shell": _shell,
    "StrReplace": _edit,
    # Cline, Roo and Goose
    "execute_command": _shell,
    "write_to_file": _write,
    "search_files": _search,
    "list_files": _read,
    "new_task": _agent,
    "developer__shell": _shell,
    "developer__text_editor": _editor,
    "text_editor": _editor,
}
