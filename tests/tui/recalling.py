"""What the tests of the Recall view share: it is opened, a query typed, and looked at."""

from __future__ import annotations

from typing import cast

from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.recall import RecallScreen
from tests.tui.conftest import settle

QUERY = "order pool size test"
"""The third of its results comes second under reciprocal ranks."""
TO_FUSION = ("right_square_bracket",) * 5


async def open_recall(pilot: Pilot[None], query: str = "", *after: str) -> RecallScreen:
    """Go to the Recall view, type, and press the keys after it one by one."""
    await settle(pilot)
    await pilot.press("f5")
    await settle(pilot)
    if query:
        await pilot.press(*["space" if char == " " else char for char in query])
        await settle(pilot)
    for key in after:
        await pilot.press(key)
        await settle(pilot)
    return recall_of(pilot)


async def begin(pilot: Pilot[None]) -> RecallScreen:
    """Go to the Recall view while something still works there: to settle would wait for it."""
    app = cast(MemtuiApp, pilot.app)
    while not app.screen_stack or not app.browse.scanned or app.browse.view is None:
        await pilot.pause(0.02)
    await pilot.press("f5")
    while not isinstance(app.screen, RecallScreen) or app.screen.focused is None:
        await pilot.pause(0.02)
    return recall_of(pilot)


async def enter(pilot: Pilot[None], text: str) -> None:
    """Type a text at once, then Enter."""
    await pilot.press(*["space" if char == " " else char for char in text], "enter")
    await settle(pilot)


def recall_of(pilot: Pilot[None]) -> RecallScreen:
    """The Recall view, wherever it is."""
    return cast(RecallScreen, cast(MemtuiApp, pilot.app)._kept["recall"])


def titles(screen: RecallScreen) -> list[str]:
    """Names of the items that are shown, best first."""
    assert screen.found is not None
    return [hit.document.name for hit in screen.found.hits]
