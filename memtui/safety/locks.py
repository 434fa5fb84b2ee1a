"""Locks between processes, by `flock`: released by the system however a process ends."""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal

from memtui.safety.private import make_folder

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None  # type: ignore[assignment]

POLL = 0.02
"""Seconds between two tries while waiting."""


class LockedError(OSError):
    """Another process holds the lock. The text says which, since when, and what to do."""


class FileLock:
    """An exclusive lock on `path`, which is made. Use it in a `with` statement; not reentrant."""

    def __init__(self, path: Path, timeout: float = 10.0) -> None:
        self.path = path
        self.timeout = timeout
        self._handle: int | None = None

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Wait for the lock up to `timeout` seconds. Raises LockedError, OSError."""
        if fcntl is None:
            raise OSError(f"memtui needs POSIX file locks to write; {sys.platform} has none")
        make_folder(self.path.parent)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(handle)
                    raise LockedError(self._held_by()) from None
                time.sleep(POLL)
            except BaseException:
                os.close(handle)
                raise
        self._handle = handle
        self._sign(handle)

    def release(self) -> None:
        """Give the lock back; without it, nothing happens."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def fileno(self) -> int:
        """The descriptor of the held file. A process that has it open too holds the lock as well, also after
        `release` here. Raises ValueError when it is not held.
        """
        if self._handle is None:
            raise ValueError(f"{self.path} is not held")
        return self._handle

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def _sign(self, handle: int) -> None:
        holder = {
            "pid": os.getpid(),
            "command": Path(sys.argv[0] or "python").name,
            "since": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(holder).encode(), 0)

    def _held_by(self) -> str:
        try:
            holder = json.loads(self.path.read_bytes())
            who = f"process {holder['pid']} ({holder['command']}) since {holder['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            who = "another process"
        return f"{self.path}: held by {who}; wait for it to finish, or end it, then try again"


def bank_lock(state: Path, name: Literal["write", "index"], timeout: float = 10.0) -> FileLock:
    """One of the two locks of a bank, in its state folder."""
    return FileLock(state / f"{name}.lock", timeout)
