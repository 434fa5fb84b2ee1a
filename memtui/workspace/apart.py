"""Sleep in a process of its own, so that a screen stays quick while it reads and compares."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memtui.curate.act import CurateError, NoBankError
from memtui.curate.sleep.model import Cancelled, Progress, Report, Tell, from_json
from memtui.safety.interpreter import running

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

LOOK = 0.1
"""Seconds between two looks at whether it was cancelled."""
GRACE = 5.0
"""Seconds that a cancelled sleep has to end; a kill leaves every step whole."""


def sleep_apart(
    workspace: Workspace, tell: Tell, cancelled: Cancelled, *, apply: bool = True
) -> Report:
    """`memtui sleep` as a child, a plan without `apply`. Raises CurateError with what it said, OSError."""
    root = workspace.bank_root
    if root is None:
        raise NoBankError
    command = (*running("memtui.cli.main"), "--bank", str(root), "--json")
    setting = workspace.setting
    with tempfile.TemporaryFile() as answer:
        child = subprocess.Popen(
            (*command, "sleep", "--progress", *(["--apply"] if apply else [])),
            cwd=_folder(setting.cwd),
            env={**os.environ, **setting.environ},
            stdin=subprocess.DEVNULL,
            stdout=answer,
            stderr=subprocess.PIPE,
        )
        assert child.stderr is not None
        problem, last, stopped = "", Progress(0, 0, ""), False
        with child.stderr as told:
            for line in _lines(told):
                if cancelled() and not stopped:
                    stopped = True
                    child.send_signal(signal.SIGINT)
                said = _said(line)
                if "total" in said:
                    last = Progress(int(said["done"]), int(said["total"]), str(said["what"]))
                    tell(last)
                elif line.strip():
                    problem = _problem(said, line)
        try:
            code = child.wait(GRACE if stopped else None)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
        if stopped:
            return Report((), apply, last.done, 0, 0.0, 0, cancelled=True)
        if code:
            raise CurateError(problem or f"it ended with exit code {code}", "z tries again")
        answer.seek(0)
        return from_json(json.loads(answer.read()))


def _lines(told: IO[bytes]) -> Iterator[bytes]:
    """What the child says, line by line, and an empty line whenever it says nothing for a moment."""
    held = b""
    with selectors.DefaultSelector() as waiting:
        waiting.register(told, selectors.EVENT_READ)
        while True:
            if not waiting.select(LOOK):
                yield b""
                continue
            data = os.read(told.fileno(), 65536)
            if not data:
                yield held
                return
            *whole, held = (held + data).split(b"\n")
            yield from whole


def _said(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line) if line.startswith(b"{") else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _problem(said: dict[str, Any], line: bytes) -> str:
    if "error" in said:
        return "; ".join(filter(None, (str(said["error"]), str(said.get("do", "")))))
    return line.decode("utf-8", "replace").strip()


def _folder(cwd: Path) -> str | None:
    return str(cwd) if cwd.is_dir() else None
