"""History, Health and the dialogs of the larger verbs at the sizes that people use."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Open
from tests.tui.test_snapshots import SIZES, SnapCompare, keys

STATES: dict[str, tuple[str, ...]] = {
    "history": ("f8", "j", "j", "j"),
    "health": ("f4",),
    "drift-day": ("f4", "at", "enter"),
    "merge": ("2", "space", "space", "m", "j", "j", "j"),
    "merge-pages": ("3", "space", "space", "m"),
    "compile": ("2", "C", "enter"),
    "rebuild": ("3", "C"),
    "purge": ("2", "D"),
    "supersede": ("2", "x"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES)
def test_curating(snap_compare: SnapCompare, open_app: Open, size: str, state: str) -> None:
    """A view or dialog of curating."""
    assert snap_compare(open_app(), terminal_size=SIZES[size], run_before=keys(*STATES[state]))


@pytest.mark.parametrize("state", ["suggestions", "text", "why-page"])
def test_small_boxes(snap_compare: SnapCompare, open_app: Open, state: str) -> None:
    """What opens over a dialog or the panes."""
    pressed = {
        "suggestions": ("2", "C"),
        "text": ("2", "C", "enter", "e"),
        "why-page": ("3", "w"),
    }[state]
    assert snap_compare(open_app(), terminal_size=(80, 24), run_before=keys(*pressed))


def test_no_colour_is_needed(snap_compare: SnapCompare, open_app: Open) -> None:
    """Health in ASCII, in the theme of sixteen colours."""
    app = open_app(ascii_only=True, theme_name="memtui-16")
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("f4"))
