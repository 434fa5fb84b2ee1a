"""A child process that answers messages: one piece for the model and for Chroma.

Whatever its libraries print never reaches the terminal, Ctrl+C there is not for it, its crash is an
error of the next question, and it ends when its owner does (`worker` is its side).
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, cast

from memtui.recall.wire import Message, receive, send
from memtui.safety.interpreter import running


class ChildError(Exception):
    """The child answered that it failed, or did not start. `fix` says what the user can do about it."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class ChildEndedError(ChildError):
    """The child is gone: the text says how, to be put behind its name."""


class Child:
    """A process that runs `main` of a module. One thread at a time may talk to it; any may `kill` it."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        environ: Mapping[str, str] | None = None,
        lend: Sequence[int] = (),
    ) -> None:
        """Start it, with `environ` beside this process's own. It holds the files `lend` open as long as it
        lives. Raises ChildError.
        """
        try:
            self._process = subprocess.Popen(
                [*running(module), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, **(environ or {})},
                pass_fds=tuple(lend),
            )
        except (OSError, ValueError) as error:
            raise ChildError(f"does not start: {error}") from error
        self._questions = cast(BinaryIO, self._process.stdin)
        self._answers = cast(BinaryIO, self._process.stdout)

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def ask(self, message: Message, patience: float | None = None) -> Message:
        """Its answer. One that takes longer than `patience` seconds is the end of it. Raises ChildError,
        ChildEndedError.
        """
        try:
            send(self._questions, message)
        except (OSError, ValueError) as error:
            raise self._ended() from error
        return self.hear(patience)

    def hear(self, patience: float | None = None) -> Message:
        """What it says unasked: its greeting once it is ready. Raises as `ask` does."""
        if patience is not None and not _ready(self._answers, patience):
            self.end()
            raise ChildEndedError(f"did not answer within {patience:g} seconds")
        try:
            said = receive(self._answers)
        except (OSError, ValueError) as error:
            raise self._ended() from error
        if said is None:
            raise self._ended()
        if "error" in said.head:
            raise ChildError(str(said.head["error"]), str(said.head.get("fix", "")))
        return said

    def kill(self) -> None:
        """End it, whatever it is doing; who waits for its answer is told."""
        self._process.kill()

    def end(self) -> int:
        """End it, close its pipes, wait until it is gone, and give its exit code."""
        self.kill()
        for pipe in (self._questions, self._answers):
            # A question that was never taken is still in the pipe's buffer.
            with suppress(OSError):
                pipe.close()
        return self._process.wait()

    def _ended(self) -> ChildEndedError:
        return ChildEndedError(f"ended (exit code {self.end()})")


def _ready(pipe: BinaryIO, seconds: float) -> bool:
    # Between two messages nothing is in the reader's own buffer, so that the pipe alone tells.
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
