"""The outside world: the clipboard and the editor, replaceable in tests."""

from __future__ import annotations

import base64
import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from textual.app import App, SuspendNotSupported

from memtui.workspace.paging import editor_command, feed, pager_command


class ServiceError(Exception):
    """Something outside did not work; the text says what and what to do."""


class Clipboard(Protocol):
    """Copies text. Blocks: call it in a worker."""

    def copy(self, text: str) -> str:
        """Copy and say how it went out; raises `ServiceError`."""
        ...


class Editor(Protocol):
    """Opens a file for editing."""

    def edit(self, app: App[None], path: Path) -> None:
        """Return when the editor has been left; raises `ServiceError`."""
        ...


class Pager(Protocol):
    """Shows a long text."""

    def page(self, app: App[None], lines: Iterable[str]) -> None:
        """Return when the pager has been left; raises `ServiceError`."""
        ...


class SystemClipboard:
    """The system's own clipboard tools; "" means there are none and the terminal must be asked."""

    def copy(self, text: str) -> str:
        """Copy through pyperclip."""
        import pyperclip

        try:
            pyperclip.copy(text)
        except pyperclip.PyperclipException:
            return ""
        return "clipboard"


def osc52(text: str, environ: Mapping[str, str]) -> str:
    """The sequence that asks the terminal to copy, wrapped for tmux to pass it on."""
    encoded = base64.b64encode(text.encode()).decode()
    sequence = f"\x1b]52;c;{encoded}\a"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return sequence


class SystemEditor:
    """The editor of the settings, else `$VISUAL`, `$EDITOR` or vi, with the app suspended."""

    def __init__(self, command: str = "", environ: Mapping[str, str] = os.environ) -> None:
        self._command = editor_command(command, environ)

    def edit(self, app: App[None], path: Path) -> None:
        """Open `path` and wait."""
        command = self._command
        if not command:
            raise ServiceError("no editor is set: export EDITOR, for example EDITOR=vim")
        try:
            with app.suspend():
                code = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
        except SuspendNotSupported as error:
            raise ServiceError("this terminal cannot be handed to an editor") from error
        except (OSError, ValueError) as error:
            raise ServiceError(f"cannot run the editor {command!r}: {error}") from error
        if code:
            raise ServiceError(f"the editor ended with exit code {code}")


class SystemPager:
    """`$PAGER`, or less, or more, with the app suspended. The text goes through a pipe: no file is made."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._command = pager_command(environ)

    def page(self, app: App[None], lines: Iterable[str]) -> None:
        """Show the lines and wait; what the pager does not ask for is not read."""
        command = self._command
        if not command:
            raise ServiceError("no pager is set: export PAGER, for example PAGER=less")
        try:
            with app.suspend():
                code = feed(shlex.split(command), lines)
        except SuspendNotSupported as error:
            raise ServiceError("this terminal cannot be handed to a pager") from error
        except (OSError, ValueError) as error:
            raise ServiceError(f"cannot run the pager {command!r}: {error}") from error
        if code:
            raise ServiceError(f"the pager ended with exit code {code}")
