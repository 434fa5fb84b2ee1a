"""Filter, facets and order of the lists of cards and pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memtui.reasons import ABSENT
from memtui.workspace.model import ItemView

SORTS: dict[str, tuple[str, Callable[[ItemView], tuple[object, ...]]]] = {
    "trust": ("most trusted first", lambda v: (-v.trust.score, _title(v))),
    "newest": ("newest first", lambda v: (v.age_days, _title(v))),
    "oldest": ("oldest first", lambda v: (-v.age_days, _title(v))),
    "title": ("by title", lambda v: (_title(v),)),
    "type": ("by type", lambda v: (v.item.type, _title(v))),
    "state": ("what needs attention first", lambda v: (not v.states, not v.behind, _title(v))),
}

_FRESH = "fresh"


def _title(view: ItemView) -> str:
    return (view.item.title or view.item.name).casefold()


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list shows and in which order. Facets are `(group, value)`; groups are and-ed."""

    words: str = ""
    sort: str = "trust"
    facets: frozenset[tuple[str, str]] = frozenset()

    @property
    def terms(self) -> tuple[str, ...]:
        """The words of the filter, in lower case."""
        return tuple(self.words.casefold().split())

    @property
    def narrows(self) -> bool:
        """Whether rows may be hidden."""
        return bool(self.terms or self.facets)

    @property
    def said(self) -> str:
        """The query in words, for title and status bar."""
        parts = [f"/{self.words}"] if self.words else []
        return " ".join([*parts, *sorted(value for _, value in self.facets)])


def states_of(view: ItemView) -> tuple[str, ...]:
    """An item's states in words; `fresh` for one that has none."""
    words = tuple(state.reason for state in view.states)
    if view.behind:
        words = ("behind", *(word for word in words if word != "behind"))
    return words or (_FRESH,)


def select(views: Iterable[ItemView], query: ListQuery) -> list[ItemView]:
    """The views that a query shows, in its order."""
    wanted = [view for view in views if matches(view, query)] if query.narrows else list(views)
    wanted.sort(key=SORTS[query.sort][1])
    return wanted


def matches(view: ItemView, query: ListQuery) -> bool:
    """Whether a query shows an item."""
    groups: dict[str, set[str]] = {}
    for group, value in query.facets:
        groups.setdefault(group, set()).add(value)
    if any(not values.intersection(_values(view, group)) for group, values in groups.items()):
        return False
    if not query.terms:
        return True
    item = view.item
    text = " ".join((item.id, item.title, item.name, item.type, *item.tags, *states_of(view)))
    folded = text.casefold()
    return all(term in folded for term in query.terms)


def _values(view: ItemView, group: str) -> tuple[str, ...]:
    if group == "trust":
        return (view.trust.tier.value,)
    if group == "state":
        return states_of(view)
    return (view.item.type,)


def facet_counts(views: Sequence[ItemView]) -> list[tuple[str, str, int]]:
    """Every facet that occurs, with how many items have it: trust, then state, then type."""
    found: list[tuple[str, str, int]] = []
    for group in ("trust", "state", "type"):
        counts = Counter(value for view in views for value in _values(view, group))
        found += [(group, value, count) for value, count in counts.most_common()]
    return found


def summary(cards: Sequence[ItemView]) -> list[tuple[str, int]]:
    """How many cards are kept from the agent, by their strongest state; most first."""
    counts = Counter(
        view.states[0].reason for view in cards if view.states and view.states[0].reason in ABSENT
    )
    return counts.most_common()
