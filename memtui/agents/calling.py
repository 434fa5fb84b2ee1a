"""Which session calls a memory tool: by what its host sends along, by its environment, or by its hooks.

Seen on the wire: Codex 0.171.0 names the session in each call, Claude Code 2.1.197 in the environment of
the server that it starts, Gemini CLI 0.61.0 nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from memtui.agents.context import session_key
from memtui.capture import spool
from memtui.safety.sanitize import one_line

IN_META = "sessionId"
IN_ENVIRONMENT = {"claude-code": "CLAUDE_CODE_SESSION_ID"}
SESSION_CHARS = 200


class Store(Protocol):
    """The part of the ledger that is read here."""

    def last_session(self, host: str) -> str:
        """The session that a host's hook planned for last."""
        ...


class Sessions:
    """Tells the session of each call of one server. `given` is the one named at its start, if any."""

    def __init__(self, host: str, given: str, environ: Mapping[str, str], hooks: Hooks) -> None:
        self._host = host
        variable = IN_ENVIRONMENT.get(host, "")
        told = _clean(environ.get(variable, "")) if variable else ""
        self._fixed = given or (session_key(host, told) if told else "")
        self._hooks = hooks

    def of(self, meta: Mapping[str, Any]) -> str:
        """The session as the ledger names it (`host:session`), "" where nothing tells. Raises OSError."""
        said = meta.get(IN_META)
        if isinstance(said, str) and _clean(said):
            return session_key(self._host, _clean(said))
        return self._fixed or self._hooks.newest(self._host)


class Hooks:
    """What a bank's hooks tell of sessions: the spool, then the ledger that it is moved to."""

    def __init__(self, folder: Path, bank: str, store: Store) -> None:
        self._folder = str(folder)
        self._bank = bank
        self._store = store

    def newest(self, host: str) -> str:
        """The session that last began in a host, as the ledger names it, "" when none is known.

        Of two that run side by side it is the one that began later.
        """
        waiting = spool.newest_session(self._folder, self._bank, host)
        return session_key(host, waiting) if waiting else self._store.last_session(host)


def _clean(session: str) -> str:
    return one_line(session, SESSION_CHARS).strip()
