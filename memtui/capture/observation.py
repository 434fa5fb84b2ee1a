"""The observation: one thing that a session showed, in one shape for every host.

`schema/observation.schema.json` says the same as JSON Schema; `from_json` checks against it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from memtui.capture.shape import faults_of
from memtui.clock import format_time, parse_time

FORMAT = 1
SUMMARY = 300
"""Characters of a summary, at most."""
DETAIL = 2000
"""Characters of a detail, at most: a result of 10,000 lines keeps what tells something."""


class What(StrEnum):
    """What kind of thing was observed."""

    RESULT = "result"
    REPORT = "report"
    CHANGE = "change"
    PAIR = "pair"
    CORRECTION = "correction"
    CAUSE = "cause"
    DECISION = "decision"
    ENVIRONMENT = "environment"
    SEQUENCE = "sequence"
    DEAD_END = "dead-end"


ROUTINE = frozenset({What.RESULT, What.REPORT, What.CHANGE})
"""What tells how a session went, and is no candidate for a card of its own."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that a session showed. Texts are free of our own fenced text and of secrets.

    `refs` cite the raw records, `host:session#record`, the one that says it first; `key` is the same
    for what is the same in other sessions; `ok` says of a result or report whether it was good.
    """

    kind: What
    host: str
    session: str
    summary: str
    refs: tuple[str, ...]
    key: str
    project: str = ""
    branch: str = ""
    at: datetime | None = None
    detail: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    ok: bool | None = None

    @property
    def name(self) -> str:
        """The session as `host:session`."""
        return f"{self.host}:{self.session}"


class ObservationError(ValueError):
    """A JSON value that is no observation; the text says where it is wrong."""


def to_json(seen: Observation) -> dict[str, Any]:
    """The observation as a JSON object that fits the schema."""
    found: dict[str, Any] = {
        "format": FORMAT,
        "kind": seen.kind.value,
        "host": seen.host,
        "session": seen.session,
        "scope": {"project": seen.project, "branch": seen.branch, "paths": list(seen.paths)},
        "summary": seen.summary,
        "refs": list(seen.refs),
        "key": seen.key,
        "tags": list(seen.tags),
    }
    if seen.at is not None:
        found["at"] = format_time(seen.at)
    if seen.detail:
        found["detail"] = seen.detail
    if seen.ok is not None:
        found["ok"] = seen.ok
    return found


def from_json(value: Mapping[str, Any]) -> Observation:
    """The inverse of `to_json`. Raises ObservationError."""
    wrong = faults_of(value, schema(), "observation")
    if wrong:
        raise ObservationError(wrong[0])
    scope = value["scope"]
    return Observation(
        kind=What(value["kind"]),
        host=value["host"],
        session=value["session"],
        summary=value["summary"],
        refs=tuple(value["refs"]),
        key=value["key"],
        project=scope["project"],
        branch=scope["branch"],
        at=parse_time(value["at"]) if "at" in value else None,
        detail=value.get("detail", ""),
        tags=tuple(value["tags"]),
        paths=tuple(scope["paths"]),
        ok=value.get("ok"),
    )


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """The JSON Schema of an observation."""
    file = Path(__file__).with_name("schema") / "observation.schema.json"
    loaded: Mapping[str, Any] = json.loads(file.read_bytes())
    return loaded
