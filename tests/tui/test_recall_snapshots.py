"""Every state of the Recall view, at the sizes that people use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from memtui.tui.screens import recall_search
from tests.tui.conftest import Open
from tests.tui.recalling import QUERY, TO_FUSION, open_recall
from tests.tui.test_snapshots import SIZES, SnapCompare

STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "explain": (QUERY, ("enter", "j", "j")),
    "laboratory": (QUERY, ("enter", "j", *TO_FUSION, "equals_sign")),
    "compare": (QUERY, ("enter", *TO_FUSION, "equals_sign", "x")),
    "log": ("zzqq", ("enter", "slash", *["backspace"] * 4, *"csv", "enter", "L", "j")),
    "nothing": ("zzqq", ("enter",)),
    "sessions": ("pool exhausted", ("enter", "v")),
}


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed slowly is not logged before Enter: on a busy machine a key takes its time."""
    monkeypatch.setattr(recall_search, "REST", 3600.0)


def run(query: str, keys: tuple[str, ...]) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def press(pilot: Pilot[None]) -> None:
        await open_recall(pilot, query, *keys)

    return press


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES)
def test_state(snap_compare: SnapCompare, open_app: Open, size: str, state: str) -> None:
    """A state of the Recall view, with no model."""
    app = open_app()
    assert snap_compare(app, terminal_size=SIZES[size], run_before=run(*STATES[state]))


@pytest.mark.parametrize("keys", [("w",), ("exclamation_mark",), ("question_mark",)])
def test_overlay(snap_compare: SnapCompare, open_app: Open, keys: tuple[str, ...]) -> None:
    """Why, what took no part, and help."""
    app = open_app()
    press = run(QUERY, ("enter", *keys))
    assert snap_compare(app, terminal_size=(80, 24), run_before=press)


def test_empty_query(snap_compare: SnapCompare, open_app: Open) -> None:
    """Before anything is typed: what a session would start with."""
    assert snap_compare(open_app(), terminal_size=(120, 40), run_before=run("", ()))


def test_ascii(snap_compare: SnapCompare, open_app: Open) -> None:
    """ASCII characters only."""
    press = run(*STATES["laboratory"])
    assert snap_compare(open_app(ascii_only=True), terminal_size=(80, 24), run_before=press)
