"""What `memtui.inject.snapshot` reads from, as types: `memtui.index.reader` and `.recheck` fit them.

Imported for checking alone: a hook has no time for protocols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol


class Rows(Protocol):
    """A bank as `memtui.index.reader.Ingredients` has it."""

    @property
    def bank(self) -> str:
        """The bank's id."""

    @property
    def project(self) -> str:
        """The bank's own project."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the project."""

    @property
    def policy(self) -> tuple[Any, ...]:
        """The fields of `PlanPolicy` in their order."""

    @property
    def items(self) -> tuple[tuple[Any, ...], ...]:
        """Candidates: the fields of `Candidate` in their order."""

    @property
    def total(self) -> int | None:
        """See `Snapshot.total`."""


class Source(Protocol):
    """A bank that is read piece by piece. A scope is (owner, branch, today)."""

    def head(self) -> Rows:
        """Everything but items."""

    def best(
        self,
        scope: tuple[str, str, int],
        weights: tuple[float, float, float, float],
        wanted: tuple[int, int, float, int, int],
    ) -> Sequence[tuple[int, float]]:
        """Row ids with their rank, best first, of items that only room can hold back.

        `weights` are those of importance, trust and recency, and what is left of recency after a day.
        `wanted` is (pinned, checked, highest rank, most bytes of a line, how many).
        """

    def total(self, scope: tuple[str, str, int]) -> int:
        """How many items hold in the scope, extras aside."""

    def items(self, seqs: Iterable[int]) -> Mapping[int, tuple[Any, ...]]:
        """Candidates as tuples, by row id."""

    def extras(self) -> Sequence[tuple[Any, ...]]:
        """Candidates that no row stands for."""


class Checked(Source, Protocol):
    """A source that compares itself with the files: `memtui.index.recheck.Rechecked`."""

    only_verified: bool

    def size(self) -> int:
        """How many items there are."""

    def everything(self) -> Rows:
        """The whole bank, every file checked."""

    def recheck(self, seqs: Iterable[int]) -> bool:
        """Look at the files of these rows; whether any of them is not as indexed."""
