"""Writing a file so that a crash leaves the old bytes or the new ones, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from hashlib import sha256
from pathlib import Path

from memtui.safety.private import make_folder, mode_within


class ChangedError(OSError):
    """A file no longer holds the bytes that an edit began from. `path` names it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: changed by someone else since it was read")
        self.path = path


def digest_of(data: bytes) -> str:
    """The sha256 of a file's bytes, as items carry it."""
    return sha256(data).hexdigest()


def atomic_write(path: Path, data: bytes) -> None:
    """Replace the bytes of `path`, durably; its folder is made, its permissions stay. Raises OSError.

    A new file is as open as its folder: in one for this user alone nobody else may read it.

    A symbolic link stays one: the file that it points to is replaced.
    """
    target = path.resolve() if path.is_symlink() else path
    make_folder(target.parent)
    handle, name = tempfile.mkstemp(prefix=".memtui-", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), _mode(target))
            os.fsync(stream.fileno())
        os.replace(name, target)  # noqa: PTH105 - the temporary file has no Path
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
    sync_folder(target.parent)


def replace_if(path: Path, expected: str | None, data: bytes) -> None:
    """`atomic_write` when the file's sha256 is `expected` (None: when there is no file).

    Raises ChangedError otherwise. Only as safe as the write lock that the caller holds.
    """
    if current_digest(path) != expected:
        raise ChangedError(path)
    atomic_write(path, data)


def remove_if(path: Path, expected: str) -> None:
    """Delete the file when its sha256 is `expected`, durably. Raises ChangedError otherwise."""
    if current_digest(path) != expected:
        raise ChangedError(path)
    path.unlink()
    sync_folder(path.parent)


def current_digest(path: Path) -> str | None:
    """The sha256 of the file as it is now, None when there is none. Raises OSError."""
    try:
        return digest_of(path.read_bytes())
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Make renames and deletions in `folder` durable, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mode(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o7777
    except OSError:
        umask = os.umask(0)
        os.umask(umask)
        return mode_within(target.parent, 0o666 & ~umask)
