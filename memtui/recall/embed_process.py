"""A model in a process of its own: importing torch holds Python's lock for up to 0.3 s at a time, which
would be felt at the keys.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memtui.recall.child import Child, ChildEndedError, ChildError
from memtui.recall.embed import INSTALL_HINT, PACKAGED_MODEL, EmbedderError, installed
from memtui.recall.wire import Message

MODULE = "memtui.recall.embed_worker"


class ModelProcess:
    """Loads a model in a child process and is its `Embedder`. Safe from any thread.

    A child that ended is started again by the next call of `load`.
    """

    def __init__(self, model: str = PACKAGED_MODEL, revision: str = "") -> None:
        self._asked = (model, revision)
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._closed = False
        self.model = model
        self.revision = revision
        self.dim = 0

    def load(self) -> ModelProcess:
        """Start the child and wait until the model is loaded: seconds. Raises EmbedderError."""
        if not installed():
            raise EmbedderError("the semantic extra is not installed", INSTALL_HINT)
        with self._lock, self._faults():
            self._running()
        return self

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text; see `Embedder`. Raises EmbedderError."""
        if not texts:
            return []
        with self._lock, self._faults():
            data = self._running().ask(Message({"texts": list(texts)})).body
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
            self._drop()

    def _running(self) -> Child:
        if self._closed:
            raise EmbedderError("the model was closed")
        if self._child is not None and self._child.alive:
            return self._child
        return self._started()

    def _started(self) -> Child:
        self._drop()
        child = self._child = Child(MODULE, *self._asked)
        if self._closed:
            child.kill()
        try:
            said = child.hear().head
        except ChildError:
            self._drop()
            raise
        self.model, self.revision = str(said["model"]), str(said["revision"])
        self.dim = int(said["dim"])
        return child

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except ChildEndedError as error:
            ended = "was closed" if self._closed else str(error)
            raise EmbedderError(
                f"the process of {self._asked[0]} {ended}", "search again"
            ) from error
        except ChildError as error:
            raise EmbedderError(str(error), error.fix) from error
