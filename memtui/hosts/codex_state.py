"""What the Codex parser carries from one line to the next."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memtui.hosts.shape import list_of, map_of, text_of

_REMEMBERED = 400
"""How many of each remembered thing are kept, so that the state stays small."""


@dataclass(slots=True)
class CodexState:
    """JSON values only.

    `seen` counts each text by family of rows ("response", "event", "item"), since the host writes a
    text more than once; `open` are calls without a result; `told` is what events told of them
    before the result came; `totals` the last token totals; `copying` while a copied history lasts.
    """

    session: str = ""
    started: int = 0
    parent: str = ""
    cwd: str = ""
    branch: str = ""
    model: str = ""
    version: str = ""
    turn: str = ""
    prompted: bool = False
    copying: bool = False
    copied_at: int = 0
    totals: str = ""
    seen: dict[str, dict[str, int]] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    agents: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, values: Mapping[str, Any] | None) -> CodexState:
        """The state saved by `dump`; fields of a wrong type are left at their default."""
        state, saved = cls(), dict(values or {})
        for name in ("session", "parent", "cwd", "branch", "model", "version", "turn", "totals"):
            setattr(state, name, text_of(saved.get(name)))
        for name in ("started", "copied_at"):
            value = saved.get(name)
            setattr(state, name, value if type(value) is int else 0)
        for name in ("prompted", "copying"):
            setattr(state, name, saved.get(name) is True)
        state.seen = {
            key: {family: n for family, n in map_of(counts).items() if type(n) is int}
            for key, counts in map_of(saved.get("seen")).items()
        }
        state.open = {key: text_of(tool) for key, tool in map_of(saved.get("open")).items()}
        state.told = {key: dict(map_of(facts)) for key, facts in map_of(saved.get("told")).items()}
        state.agents = [text for text in list_of(saved.get("agents")) if isinstance(text, str)]
        return state

    def dump(self) -> dict[str, Any]:
        """A copy as JSON values."""
        values = {name: getattr(self, name) for name in _NAMES}
        values["seen"] = {key: dict(counts) for key, counts in self.seen.items()}
        values["told"] = {key: dict(facts) for key, facts in self.told.items()}
        return {**values, "open": dict(self.open), "agents": list(self.agents)}

    def is_first(self, family: str, kind: str, text: str) -> bool:
        """Whether no other family of rows has already told this text.

        Each text counts as often as the family that tells it most: two equal prompts stay two.
        """
        key = _digest(kind, text)
        counts = self.seen.pop(key, {})
        shown = max(counts.values(), default=0)
        counts[family] = counts.get(family, 0) + 1
        self.seen[key] = counts
        while len(self.seen) > _REMEMBERED:
            del self.seen[next(iter(self.seen))]
        return counts[family] > shown

    def open_call(self, call: str, tool: str) -> None:
        if call:
            self.open[call] = tool
            _trim(self.open)

    def close_call(self, call: str) -> dict[str, Any]:
        """The call has its result; what events told of it."""
        self.open.pop(call, None)
        return self.told.pop(call, {})

    def tell(self, call: str, **facts: Any) -> None:
        """Keep what an event says of a call until its result comes."""
        if call:
            known = self.told.setdefault(call, {})
            known.update({key: value for key, value in facts.items() if value is not None})
            _trim(self.told)

    def is_new_agent(self, agent: str) -> bool:
        """Remember `agent`; whether it was not known yet."""
        if not agent or agent in self.agents:
            return False
        self.agents.append(agent)
        del self.agents[:-_REMEMBERED]
        return True


_NAMES = tuple(spec.name for spec in fields(CodexState))


def _trim(values: dict[str, Any]) -> None:
    while len(values) > _REMEMBERED:
        del values[next(iter(values))]


def _digest(kind: str, text: str) -> str:
    # Rows of different families break lines differently, so spaces do not count.
    squeezed = "".join(text.split())
    return hashlib.sha256(f"{kind}\n{squeezed}".encode("utf-8", "replace")).hexdigest()[:16]
