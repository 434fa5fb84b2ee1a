"""What the catalogue keeps of a transcript: kinds, flags and facets of one row."""

from __future__ import annotations

from enum import IntFlag, StrEnum
from functools import lru_cache

from memtui.hosts.model import Kind


class Flag(IntFlag):
    """What a row is, as stored in the column `flags`."""

    PROMPT = 1
    ANSWER = 2
    CALL = 4
    ERROR = 8
    DIFF = 16
    COMPACTION = 32
    SUBAGENT = 64
    INJECTION = 128
    NOTICE = 256
    THINKING = 512
    FOLDED_OK = 1024
    """A tool call that succeeded: it is part of the answer above it."""
    PENDING = 2048
    """A tool call whose result is not there (yet)."""
    RECOVERED = 4096
    """The first success of a command after its failure: shown although it succeeded."""


class Facet(StrEnum):
    """Which rows a timeline shows."""

    TURNS = "turns"
    ALL = "all"
    PROMPTS = "prompts"
    CALLS = "calls"
    ERRORS = "errors"
    DIFFS = "diffs"

    @property
    def bit(self) -> int:
        """The bit of this facet in the column `facets`."""
        return _BITS[self]

    @property
    def number(self) -> int:
        """The place of this facet in lists of counts."""
        return FACETS.index(self)


_BITS = {facet: 1 << number for number, facet in enumerate(Facet)}

FACETS: tuple[Facet, ...] = tuple(Facet)

KINDS: tuple[Kind, ...] = tuple(Kind)
"""Kinds by the number that the catalogue stores."""

KIND_NUMBER: dict[Kind, int] = {kind: number for number, kind in enumerate(KINDS)}

KIND_FLAG: dict[Kind, Flag] = {
    Kind.PROMPT: Flag.PROMPT,
    Kind.ANSWER: Flag.ANSWER,
    Kind.THINKING: Flag.THINKING,
    Kind.CALL: Flag.CALL,
    Kind.RESULT: Flag.CALL,
    Kind.COMPACTION: Flag.COMPACTION,
    Kind.SUBAGENT: Flag.SUBAGENT,
    Kind.INJECTION: Flag.INJECTION,
    Kind.NOTICE: Flag.NOTICE,
}

_QUIET = int(Flag.FOLDED_OK | Flag.THINKING | Flag.NOTICE)

_LOUD = int(Flag.ERROR | Flag.RECOVERED)

_SELECTS = (
    (int(Flag.PROMPT), _BITS[Facet.PROMPTS]),
    (int(Flag.CALL), _BITS[Facet.CALLS]),
    (int(Flag.ERROR), _BITS[Facet.ERRORS]),
    (int(Flag.DIFF), _BITS[Facet.DIFFS]),
)


@lru_cache(maxsize=4096)
def facets_of(flags: int) -> int:
    """The facets that show a row with these flags, as a bit mask."""
    mask = _BITS[Facet.ALL]
    if not flags & _QUIET or flags & _LOUD:
        mask |= _BITS[Facet.TURNS]
    for flag, bit in _SELECTS:
        if flags & flag:
            mask |= bit
    return mask


SEQ_BITS = 24
"""A row's id is `session << SEQ_BITS | seq`, so that the rows of a session lie together."""

TITLE = -1
"""In place of a sequence number: the heading of a session."""

MAX_SEQ = (1 << SEQ_BITS) - 1

BLOCK_BITS = 8
"""Rows are counted per facet in blocks of 256 sequence numbers."""


def turn_id(session: int, seq: int) -> int:
    """The row id of a session's row."""
    return session << SEQ_BITS | seq


def split_id(turn: int) -> tuple[int, int]:
    """Session row id and sequence number of a row id."""
    return turn >> SEQ_BITS, turn & MAX_SEQ


def split_block(block: int) -> tuple[int, int]:
    """Session row id and number of a block, of a row id without its last `BLOCK_BITS` bits."""
    return block >> SEQ_BITS - BLOCK_BITS, block & MAX_SEQ >> BLOCK_BITS
