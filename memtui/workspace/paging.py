"""The user's pager and editor. A text goes to the pager by a pipe, so that no file is made of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress


def pager_command(environ: Mapping[str, str]) -> str:
    """`$PAGER`, else less or more; "" where there is none."""
    return environ.get("PAGER") or shutil.which("less") or shutil.which("more") or ""


def editor_command(chosen: str, environ: Mapping[str, str]) -> str:
    """The editor `chosen` in the settings, else `$VISUAL`, `$EDITOR` or vi; "" where there is none."""
    return chosen or environ.get("VISUAL") or environ.get("EDITOR") or shutil.which("vi") or ""


def feed(command: Sequence[str], lines: Iterable[str]) -> int:
    """Pipe the lines into a program and wait; its exit code. What it does not ask for is not read.

    Raises OSError when it cannot be run.
    """
    with subprocess.Popen(command, stdin=subprocess.PIPE) as pager:
        assert pager.stdin is not None
        try:
            for line in lines:
                pager.stdin.write(line.encode("utf-8", "replace") + b"\n")
            pager.stdin.close()
        except BrokenPipeError:  # it was left before the end
            with suppress(BrokenPipeError):
                pager.stdin.close()
        return pager.wait()
