"""Screens as they are everywhere: one theme, one clock, no blinking, no watcher."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import textual
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample

BASELINE = "8.2.8"
"""The Textual with which the snapshots were made."""

Open = Callable[..., MemtuiApp]


def pytest_configure(config: pytest.Config) -> None:
    """Snapshots are only made anew with the Textual that all of them were made with."""
    if config.getoption("--snapshot-update", default=False) and textual.__version__ != BASELINE:
        raise pytest.UsageError(
            f"snapshots are made with Textual {BASELINE}, this is {textual.__version__}"
        )


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing blinks, and times are those of the sample."""
    from textual.widgets import Input

    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def open_app(sample: Sample) -> Open:
    """Opens the app on the sample bank, or on another bank with the sample's sessions."""

    def make(bank: Path | None = None, **options: object) -> MemtuiApp:
        environ = sample.environ()
        extra = options.pop("environ", {})
        assert isinstance(extra, dict)
        cwd = options.pop("cwd", sample.project)
        assert isinstance(cwd, Path)
        environ |= extra
        core = open_workspace(bank=bank, cwd=cwd, environ=environ)
        app = MemtuiApp(core, watches=False, **options)  # type: ignore[arg-type]
        app.animation_level = "none"
        return app

    return make


async def settle(pilot: Pilot[None]) -> None:
    """Wait until sessions and bank are read, no worker runs, and what they found is painted."""
    calm = 0
    for _ in range(500):
        await pilot.pause(0.02)
        screens = [s for s in pilot.app.screen_stack if isinstance(s, BrowseScreen)]
        read = all(s.scanned and (s.view is not None or s.core.bank_root is None) for s in screens)
        busy = any(not worker.is_finished for worker in pilot.app.workers)
        calm = calm + 1 if screens and read and not busy else 0
        if calm >= 8:
            for browse in screens:
                browse.refresh_bars()
            await pilot.pause(0.05)
            return
    raise AssertionError("the screen did not come to rest within ten seconds")


def text_of(app: MemtuiApp) -> str:
    """What the screen shows, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips[:height]]
    return "\n".join(line[:width].rstrip() for line in lines)
