"""A model in a process of its own: importing torch holds Python's lock for up to 0.3 s at a time, which
would be felt at the keys, and whatever its libraries print never reaches the terminal.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from memtui.recall.embed import INSTALL_HINT, PACKAGED_MODEL, EmbedderError, installed
from memtui.recall.embed_wire import receive, receive_json, send_json

MODULE = "memtui.recall.embed_worker"


class ModelProcess:
    """Loads a model in a child process and is its `Embedder`. Safe from any thread.

    A child that ended is started again by the next call of `load`.
    """

    def __init__(self, model: str = PACKAGED_MODEL, revision: str = "") -> None:
        self._asked = (model, revision)
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False
        self.model = model
        self.revision = revision
        self.dim = 0

    def load(self) -> ModelProcess:
        """Start the child and wait until the model is loaded: seconds. Raises EmbedderError."""
        if not installed():
            raise EmbedderError("the semantic extra is not installed", INSTALL_HINT)
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._start()
        return self

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text; see `Embedder`. Raises EmbedderError."""
        if not texts:
            return []
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._start()
            said = self._exchange({"texts": list(texts)})
            if "error" in said:
                raise EmbedderError(str(said["error"]))
            data = self._read() or b""
        size = 4 * self.dim
        if len(data) != size * len(texts):
            raise EmbedderError(f"{self.model} gave {len(data)} bytes for {len(texts)} texts")
        return [data[at : at + size] for at in range(0, len(data), size)]

    def close(self) -> None:
        """End the child, whatever it is doing. It is not started again."""
        # First without the lock: whoever holds it may be waiting for the child.
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            self._reap()

    def _start(self) -> None:
        self._reap()
        if self._closed:
            raise EmbedderError("the model was closed")
        try:
            # A session of its own, so that Ctrl+C at the terminal is not for it.
            self._child = subprocess.Popen(
                [sys.executable, "-m", MODULE, *self._asked],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise EmbedderError(f"the model's process does not start: {error}") from error
        if self._closed:
            self._child.kill()
        said = self._head()
        if "error" in said:
            raise EmbedderError(str(said["error"]), str(said.get("fix", "")))
        self.model, self.revision = str(said["model"]), str(said["revision"])
        self.dim = int(said["dim"])

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            send_json(self._pipe("stdin"), request)
        except (OSError, ValueError) as error:
            raise self._ended() from error
        return self._head()

    def _head(self) -> dict[str, Any]:
        try:
            said = receive_json(self._pipe("stdout"))
        except (OSError, ValueError) as error:
            raise self._ended() from error
        if said is None:
            raise self._ended()
        return said

    def _read(self) -> bytes | None:
        try:
            return receive(self._pipe("stdout"))
        except (OSError, ValueError) as error:
            raise self._ended() from error

    def _pipe(self, name: str) -> BinaryIO:
        pipe: BinaryIO | None = getattr(self._child, name, None)
        if pipe is None:
            raise self._ended()
        return pipe

    def _ended(self) -> EmbedderError:
        code = self._reap()
        ended = "was closed" if self._closed else f"ended (exit code {code})"
        return EmbedderError(f"the process of {self._asked[0]} {ended}", "search again")

    def _reap(self) -> int | None:
        """End what is left of the child and close its pipes."""
        child, self._child = self._child, None
        if child is None:
            return None
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                # A request that was never taken is still in the pipe's buffer.
                with suppress(OSError):
                    pipe.close()
        return child.wait()
