"""Blocks that go with the next prompt: of contexts that a host begins without listening to its hooks.

Claude Code runs the session-start hook of a fork (a rewind) and drops what it prints
(anthropics/claude-code#93458). It listens again at the prompt, before which the agent does nothing: so
the block goes there, once, whether or not a version has that fault.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH103, PTH108, PTH118
from __future__ import annotations

import os

from memtui.agents.payload import FORK
from memtui.capture.spool import short

_DEAF = (("claude-code", FORK),)
FOLDER = "pending"


def waits(host: str, source: str) -> bool:
    """Whether the block of a context that begins by `source` waits for the prompt."""
    return (host, source) in _DEAF


def leave(state: str, host: str, session: str) -> None:
    """Note in the bank's state folder that the session's block waits. Raises OSError."""
    folder = os.path.join(state, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.close(os.open(_path(state, host, session), os.O_CREAT | os.O_WRONLY, 0o600))


def take(state: str, host: str, session: str) -> bool:
    """Whether a block waited; it does not any more. Raises OSError."""
    try:
        os.unlink(_path(state, host, session))
    except FileNotFoundError:
        return False
    return True


def _path(state: str, host: str, session: str) -> str:
    return os.path.join(state, FOLDER, short(f"{host}:{session}"))
