"""What the Claude Code parser carries from one row to the next."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

_REMEMBERED = 200
"""How many of each remembered thing are kept, so that the state stays small."""


@dataclass(slots=True)
class ClaudeState:
    """JSON values only. Lists hold the newest values last.

    `agents`: sub-agents already announced; `injected`: digests of texts that hooks injected;
    `queue`: prompts typed but not yet sent; `recent`: uuids of the last rows; `leaves`: summaries
    by the uuid of the row that they describe, until that row comes.
    """

    session: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    model: str = ""
    parent: str = ""
    prompted: bool = False
    compacting: bool = False
    agents: list[str] = field(default_factory=list)
    injected: list[str] = field(default_factory=list)
    queue: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)
    leaves: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, values: Mapping[str, Any] | None) -> ClaudeState:
        """The state saved by `dump`; fields of a wrong type are left at their default."""
        state = cls()
        for name in _NAMES:
            value = (values or {}).get(name)
            if type(value) is type(getattr(state, name)):
                setattr(state, name, _copy(value))
        return state

    def dump(self) -> dict[str, Any]:
        """A copy as JSON values."""
        return {name: _held(getattr(self, name)) for name in _NAMES}

    def is_new_agent(self, agent: str) -> bool:
        """Remember `agent`; whether it was not known yet."""
        return _remember(self.agents, agent)

    def remember_injected(self, text: str) -> None:
        _remember(self.injected, _digest(text))

    def was_injected(self, text: str) -> bool:
        return bool(self.injected) and _digest(text) in self.injected

    def remember_row(self, uuid: str) -> str | None:
        """Remember that a row came; the summary that was waiting for it, if any."""
        self.recent.append(uuid)
        if len(self.recent) > _REMEMBERED:
            del self.recent[: _REMEMBERED // 2]
        return self.leaves.pop(uuid, None) if self.leaves else None

    def remember_leaf(self, uuid: str, summary: str) -> None:
        self.leaves[uuid] = summary
        while len(self.leaves) > _REMEMBERED:
            del self.leaves[next(iter(self.leaves))]

    def enqueue(self, text: str) -> None:
        self.queue.append(text)
        del self.queue[:-_REMEMBERED]


_NAMES = tuple(spec.name for spec in fields(ClaudeState))


def _held(value: Any) -> Any:
    return value.copy() if isinstance(value, list | dict) else value


def _remember(known: list[str], value: str) -> bool:
    if value in known:
        return False
    known.append(value)
    del known[:-_REMEMBERED]
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:16]


def _copy(value: Any) -> Any:
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in value.items()}
    return value
