"""Asking a drafter: bounded in time and size, and stopped with everything that it started."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from memtui.curate.drafter.model import LOOPBACK, Drafter, DrafterError, check_url
from memtui.safety.private import private_folder
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line
from memtui.settings import SettingsError

MOST_BYTES = 256 * 1024
"""Of an answer; a longer one is refused."""
LOOK = 0.05
"""Seconds between two looks at whether it ended, was cancelled, or took too long."""
SAID = 160
"""Characters of what a failing program said."""
_HIDDEN = ("MEMTUI_BANK",)
"""Variables that a drafter does not get: it is no session of the bank."""

Cancelled = Callable[[], bool]


def ask(drafter: Drafter, prompt: str, folder: Path, cancelled: Cancelled = lambda: False) -> str:
    """The drafter's answer to a prompt. `folder` is where a program runs: outside of every project,
    so that an agent's own record of this is no session of the project. Raises DrafterError.
    """
    if drafter.command:
        return _run(drafter, prompt, folder, cancelled)
    return _post(drafter, prompt)


def _run(drafter: Drafter, prompt: str, folder: Path, cancelled: Cancelled) -> str:
    environ = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    try:
        private_folder(folder)
        child = subprocess.Popen(
            drafter.command,
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise DrafterError(f"{drafter.name} cannot be started: {error}") from error
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    out, err = _Kept(child.stdout), _Kept(child.stderr)
    feeding = child.stdin
    try:
        pipes = [_started(work) for work in (lambda: _feed(feeding, prompt), out, err)]
        problem = _wait(child, drafter, out, cancelled)
    finally:
        _end(child)
    for pipe in pipes:
        pipe.join(5)
    if problem:
        raise DrafterError(problem)
    if child.returncode:
        said = one_line(redact(err.text()).text, SAID) or one_line(redact(out.text()).text, SAID)
        raise DrafterError(
            f"{drafter.name} ended with exit code {child.returncode}"
            + (f": {said}" if said else "")
        )
    return out.text()


class _Kept:
    """What a pipe gives, up to a bound."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._data = bytearray()
        self.over = False

    def __call__(self) -> None:
        """Read to the end, or until it is too much."""
        with self._pipe:
            while part := os.read(self._pipe.fileno(), 65536):
                if len(self._data) + len(part) > MOST_BYTES:
                    self.over = True
                    return
                self._data += part

    def text(self) -> str:
        """What was read."""
        return self._data.decode("utf-8", "replace")


def _started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _feed(pipe: IO[bytes], prompt: str) -> None:
    try:
        with pipe:
            pipe.write(prompt.encode("utf-8", "replace"))
    except OSError:
        return  # it ended without reading: its exit code or its answer tells


def _wait(
    child: subprocess.Popen[bytes], drafter: Drafter, out: _Kept, cancelled: Cancelled
) -> str:
    """Wait for its end. Returns why it has to be stopped, "" when it ended."""
    deadline = time.monotonic() + drafter.timeout
    while True:
        try:
            child.wait(LOOK)
        except subprocess.TimeoutExpired:
            pass
        else:
            return f"{drafter.name} wrote more than {MOST_BYTES} bytes" if out.over else ""
        if out.over:
            return f"{drafter.name} wrote more than {MOST_BYTES} bytes"
        if cancelled():
            return f"{drafter.name} was stopped"
        if time.monotonic() > deadline:
            return f"{drafter.name} took longer than {drafter.timeout:g} s"


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stop what is left of it and of what it started: a group of its own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    child.wait()


def _post(drafter: Drafter, prompt: str) -> str:
    """Ask an OpenAI-compatible endpoint: no proxy, no redirect, no name but localhost."""
    try:
        parts = check_url(drafter.url)
    except SettingsError as error:
        raise DrafterError(str(error)) from error
    host = "127.0.0.1" if parts.hostname == LOOPBACK else str(parts.hostname)
    deadline = time.monotonic() + drafter.timeout
    body = {
        "model": drafter.model or "default",
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "stream": False,
    }
    connection = http.client.HTTPConnection(host, parts.port or 80, timeout=drafter.timeout)
    try:
        connection.request(
            "POST",
            f"{parts.path.rstrip('/')}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        response = connection.getresponse()
        data = _body(response, connection, drafter, deadline)
        if response.status != http.client.OK:
            said = one_line(redact(data.decode("utf-8", "replace")).text, SAID)
            raise DrafterError(f"{drafter.name} answered {response.status}: {said}")
    except TimeoutError as error:
        raise DrafterError(f"{drafter.name} took longer than {drafter.timeout:g} s") from error
    except (OSError, http.client.HTTPException) as error:
        raise DrafterError(f"{drafter.name} cannot be asked: {error}") from error
    finally:
        connection.close()
    return _content(data, drafter)


def _body(
    response: http.client.HTTPResponse,
    connection: http.client.HTTPConnection,
    drafter: Drafter,
    deadline: float,
) -> bytes:
    """The answer's bytes, within the time for the whole of it. Raises DrafterError, TimeoutError."""
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:
            connection.sock.settimeout(left)
        part = response.read1(65536)
        if not part:
            return bytes(data)
        data += part
        if len(data) > MOST_BYTES:
            raise DrafterError(f"{drafter.name} wrote more than {MOST_BYTES} bytes")


def _content(data: bytes, drafter: Drafter) -> str:
    try:
        content = json.loads(data)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise DrafterError(f"{drafter.name} answered without choices[0].message.content") from error
    if not isinstance(content, str):
        raise DrafterError(f"{drafter.name} answered without a text")
    return content
