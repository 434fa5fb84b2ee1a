"""Asking for changes where the system does not tell them.

Not watchfiles' own polling: it compares times in whole seconds, so the second of two records written in
one second would stay unseen.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

POLL_SECONDS = 0.5
_SHARE = 10
"""Looking may take one part in so many of the time: large trees are asked less often."""

Mark = tuple[int, int, int]
"""Inode, size, and time of the last change in nanoseconds."""


class Poller:
    """Knows the files below some folders as they were when it last looked."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(map(str, folders))
        self._known = dict(self._files())

    def look(self) -> set[Path]:
        """The files that came, changed or went since. Blocks."""
        found = dict(self._files())
        changed = {path for path, mark in found.items() if self._known.get(path) != mark}
        changed |= self._known.keys() - found.keys()
        self._known = found
        return set(map(Path, changed))

    def changes(self, stop: threading.Event) -> Iterator[set[Path]]:
        """What changed, look by look, until told to stop."""
        rest = POLL_SECONDS
        while not stop.wait(rest):
            begun = time.monotonic()
            changed = self.look()
            rest = max(POLL_SECONDS, _SHARE * (time.monotonic() - begun))
            if changed:
                yield changed

    def _files(self) -> Iterator[tuple[str, Mark]]:
        for folder in self._folders:
            if Path(folder).is_dir():
                yield from _below(folder)
            elif (mark := _mark(folder)) is not None:
                yield folder, mark


def _below(folder: str) -> Iterator[tuple[str, Mark]]:
    waiting, linked = [folder], {os.path.realpath(folder)}
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir():
                        if entry.is_symlink():  # only these can lead in a circle
                            real = os.path.realpath(entry.path)
                            if real in linked:
                                continue
                            linked.add(real)
                        waiting.append(entry.path)
                    elif (mark := _mark(entry.path)) is not None:
                        yield entry.path, mark
        except OSError:
            continue  # it went away, or may not be read: nothing below it is known


def _mark(path: str) -> Mark | None:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
