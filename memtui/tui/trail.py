"""The provenance walk: where the user stood at every step, to come back to exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.tui.rows import ListPlace

DEPTH = 64


@dataclass(frozen=True, slots=True)
class ItemSubject:
    """The detail pane shows a card or page."""

    id: str


@dataclass(frozen=True, slots=True)
class TurnSubject:
    """The detail pane shows a turn; `note` says why (the evidence of a walk)."""

    session: int
    seq: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class SessionSubject:
    """The detail pane shows a session."""

    session: int


@dataclass(frozen=True, slots=True)
class ExcerptSubject:
    """The detail pane shows the excerpt that was kept of a record which is gone."""

    id: str
    index: int


Subject = ItemSubject | TurnSubject | SessionSubject | ExcerptSubject


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of the walk as it was left: focus, lists, facet and what was shown.

    `view` is another view from which Browse was entered; the step back leads there.
    """

    label: str
    focus: str
    places: Mapping[str, ListPlace]
    subject: Subject | None
    facet: str
    view: str = ""


class Trail:
    """The stops behind the user, oldest first."""

    def __init__(self) -> None:
        self._stops: list[Stop] = []

    def __bool__(self) -> bool:
        return bool(self._stops)

    def push(self, stop: Stop) -> None:
        """Go on from here."""
        self._stops.append(stop)
        del self._stops[:-DEPTH]

    def pop(self) -> Stop:
        """The last stop. Raises IndexError."""
        return self._stops.pop()

    def forget(self, view: str) -> None:
        """Whoever stands in a view needs no step back to it."""
        while self._stops and self._stops[-1].view == view:
            self._stops.pop()

    def clear(self) -> None:
        """Forget the way back."""
        self._stops.clear()

    @property
    def labels(self) -> list[str]:
        """What the breadcrumb says."""
        return [stop.label for stop in self._stops]
