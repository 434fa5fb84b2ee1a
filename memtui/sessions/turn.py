"""One row of the timeline in full, read from the host's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.hosts.model import Kind, Span, Tokens
from memtui.sessions.catalogue import Catalogue

SHOWN = 256 * 1024
"""Characters of a text that are shown unless asked for more."""


@dataclass(frozen=True, slots=True)
class LongText:
    """A text as stored, neither redacted nor sanitized, cut to what is shown.

    `total` is its full length in characters; `cut` is how many are missing at the end.
    """

    text: str
    total: int

    @property
    def cut(self) -> int:
        """Characters that are not shown."""
        return self.total - len(self.text)


@dataclass(frozen=True, slots=True)
class TurnDetail:
    """Everything there is to read about one row.

    `text` is the prompt, answer, reasoning, notice or the rendered command of a call; `result` what
    the call gave back (None: no result). `spans` are the raw records that it was read from, in
    order. `problem` says why something is missing ("file is gone").
    """

    session: int
    seq: int
    kind: Kind
    flags: int
    ref: str
    at: int | None
    text: LongText
    tool: str | None = None
    input: Mapping[str, Any] | None = None
    result: LongText | None = None
    exit_code: int | None = None
    is_error: bool = False
    diff: LongText | None = None
    paths: tuple[str, ...] = ()
    tokens: Tokens | None = None
    model: str | None = None
    agent: str | None = None
    spans: tuple[Span, ...] = ()
    problem: str = ""


def read_turn(catalogue: Catalogue, session: int, seq: int, shown: int = SHOWN) -> TurnDetail:
    """The row `seq` of the session with row id `session`. Raises KeyError if there is none."""
    ...


def read_raw(catalogue: Catalogue, detail: TurnDetail) -> list[bytes]:
    """The raw records behind a row, one per span. Raises OSError or EOFError if they are gone."""
    ...
