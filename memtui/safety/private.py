"""Folders and files for this user alone: what memtui keeps for itself holds words of every session."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = 0o700
FILE = 0o600
_OTHERS = 0o077


def private_folder(path: Path) -> None:
    """Make a folder that only this user may enter, and its missing parents. Raises OSError.

    One that is there stays as it is: it may be a folder that the user named and shares.
    """
    for folder in reversed((path, *path.parents)):
        if not folder.exists():
            folder.mkdir(mode=FOLDER, exist_ok=True)


def private_file(path: Path) -> None:
    """Let only this user read a file; one that is missing is made, empty. Raises OSError.

    For a database before it is opened: SQLite gives the files beside it the same permissions.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, FILE))
        return
    if os.name == "posix" and mode & _OTHERS:
        path.chmod(FILE)


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents, each as open as the one that it lies in. Raises OSError."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(mode=path.parent.stat().st_mode & 0o777, exist_ok=True)


def mode_within(folder: Path, mode: int) -> int:
    """`mode` for a new file, without what the folder itself does not grant to others. Raises OSError."""
    return mode & (folder.stat().st_mode | FOLDER)
