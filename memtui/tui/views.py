"""The views behind F2 to F9. A new view is one more entry here; nothing is shown for those to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.screen import Screen

from memtui.tui.ports import Core


@dataclass(frozen=True, slots=True)
class View:
    """A screen that takes the whole terminal. `make` imports it only when it is opened.

    One that is to `keep` comes back as it was left. What is no `tab` stands in the header only while it
    is shown: it is not about the bank that is open.
    """

    name: str
    title: str
    key: str
    help: str
    make: Callable[[Core], Screen[None]]
    keep: bool = False
    tab: bool = True


def _browse(core: Core) -> Screen[None]:
    from memtui.tui.screens.browse import BrowseScreen

    return BrowseScreen(core)


def _inbox(core: Core) -> Screen[None]:
    from memtui.tui.screens.inbox import InboxScreen

    return InboxScreen(core)


def _health(core: Core) -> Screen[None]:
    from memtui.tui.screens.health import HealthScreen

    return HealthScreen(core)


def _recall(core: Core) -> Screen[None]:
    from memtui.tui.screens.recall import RecallScreen

    return RecallScreen(core)


def _history(core: Core) -> Screen[None]:
    from memtui.tui.screens.history import HistoryScreen

    return HistoryScreen(core)


def _projects(core: Core) -> Screen[None]:
    from memtui.tui.screens.projects import ProjectsScreen

    return ProjectsScreen(core)


VIEWS: tuple[View, ...] = (
    View("browse", "Browse", "f2", "Sessions, cards, pages and the next session", _browse),
    View(
        "inbox",
        "Inbox",
        "f3",
        "What was proposed, to accept, change or reject",
        _inbox,
        keep=True,
    ),
    View("health", "Health", "f4", "What is wrong with the bank, and what helps", _health),
    View("recall", "Recall", "f5", "Search by words and meaning, and see why", _recall, keep=True),
    View(
        "history",
        "History",
        "f8",
        "Every act, newest first: take one back, look at a date",
        _history,
    ),
    View(
        "projects",
        "Projects",
        "f9",
        "Every project over all hosts: open one, search all",
        _projects,
        tab=False,
    ),
)


def header_views(shown: str) -> list[tuple[str, bool]]:
    """The titles of the header, and which is shown."""
    return [(view.title, view.name == shown) for view in VIEWS if view.tab or view.name == shown]
