"""Locks between processes: one holder at a time, named to who waits, gone with its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memtui.safety import locks
from memtui.safety.locks import FileLock, LockedError, bank_lock

HOLD = """
import sys, time
from pathlib import Path
from memtui.safety.locks import FileLock
with FileLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "write.lock"


def test_one_holder_at_a_time(path: Path) -> None:
    with FileLock(path) as lock:
        assert lock.held
        with pytest.raises(LockedError, match=f"held by process {os.getpid()} .* since 20"):
            FileLock(path, timeout=0.05).acquire()
    assert not lock.held
    with FileLock(path, timeout=0):
        pass


def test_who_waits_gets_it_when_it_is_free(path: Path) -> None:
    first, order = FileLock(path), []
    first.acquire()

    def wait() -> None:
        with FileLock(path, timeout=10):
            order.append("second")

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    order.append("first")
    first.release()
    thread.join()
    assert order == ["first", "second"]


def test_a_killed_holder_holds_nothing(path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(LockedError, match=f"process {holder.pid} "):
        FileLock(path, timeout=0.1).acquire()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    with FileLock(path, timeout=5):
        pass


def test_a_lock_is_released_when_the_body_fails(path: Path) -> None:
    with pytest.raises(ValueError, match="body"), FileLock(path):
        raise ValueError("body")
    with FileLock(path, timeout=0):
        pass


def test_an_unsigned_lock_file_still_says_something(path: Path) -> None:
    with FileLock(path):
        path.write_bytes(b"damaged")
        with pytest.raises(LockedError, match="another process"):
            FileLock(path, timeout=0).acquire()


def test_the_two_locks_of_a_bank_are_apart(tmp_path: Path) -> None:
    with bank_lock(tmp_path, "write"), bank_lock(tmp_path, "index", timeout=0):
        assert sorted(os.listdir(tmp_path)) == ["index.lock", "write.lock"]


def test_without_posix_locks_it_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    with pytest.raises(OSError, match="needs POSIX file locks"):
        FileLock(path).acquire()
