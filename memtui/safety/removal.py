"""Deleting folders that others may be using."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path

_TRIES = 100
_PAUSE = 0.02
_RACES = (errno.ENOTEMPTY, errno.ENOENT)


def remove_folder(folder: Path) -> None:
    """Delete a folder into which another process may write meanwhile; one that is not there is fine.

    Raises OSError.
    """
    for left in reversed(range(_TRIES)):
        if not folder.exists():
            return
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno not in _RACES or not left:
                raise
        time.sleep(_PAUSE)
