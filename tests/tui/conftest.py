"""Screens as they are everywhere: one theme, one clock, no blinking, no watcher."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import textual
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.draft import DraftScreen
from memtui.tui.screens.projects import ProjectsScreen
from memtui.workspace.open import open_workspace
from memtui.workspace.sample import Sample

BASELINE = "8.2.8"
"""The Textual with which the snapshots were made."""

_ENDLESS = ("watch", "themes")
"""Workers that run as long as the app."""

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
    from textual.notifications import Notification
    from textual.widgets import Input

    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    # A toast stays until the test has read it, however slow the machine.
    monkeypatch.setattr(Notification, "time_left", property(lambda self: 3600.0))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    # However slowly keys come, a query is only meant when Enter says so.
    monkeypatch.setattr("memtui.tui.screens.recall_search.REST", 3600.0)
    # A loaded machine must not leave citations for later.
    monkeypatch.setattr("memtui.workspace.loading.CHECK_SECONDS", 60.0)
    # The same screens with and without the semantic extra, and no times of the machine on them.
    monkeypatch.setattr("memtui.workspace.semantic.installed", lambda: False)
    for module in ("engine", "scored", "session_search", "gather"):
        monkeypatch.setattr(f"memtui.recall.{module}.perf_counter", lambda: 0.0)


@pytest.fixture
def open_app(sample: Sample) -> Open:
    """Opens the app on the sample bank, or on another bank with the sample's sessions."""

    def make(bank: Path | None = None, **options: object) -> MemtuiApp:
        environ = sample.environ() | {"MEMTUI_WRITER": "ada-desk"}
        extra = options.pop("environ", {})
        assert isinstance(extra, dict)
        cwd = options.pop("cwd", sample.project)
        assert isinstance(cwd, Path)
        environ |= extra
        core = open_workspace(bank=bank, cwd=cwd, environ=environ)
        options.setdefault("watches", False)
        app = MemtuiApp(core, **options)  # type: ignore[arg-type]
        app.animation_level = "none"
        return app

    return make


CALM = 0.16
"""Seconds without work after which nothing more is to come: longer than every delay of the screen."""
PATIENCE = 45.0
"""Seconds that a loaded machine may take."""


async def settle(pilot: Pilot[None]) -> None:
    """Wait until sessions and bank are read, no worker runs, and what they found is painted."""
    loop = asyncio.get_running_loop()
    start = calm_since = loop.time()
    while loop.time() - start < PATIENCE:
        await asyncio.sleep(0.02)
        if _is_busy(pilot):
            calm_since = loop.time()
        elif loop.time() - calm_since > CALM:
            await pilot.pause()
            if not _is_busy(pilot):
                return
    raise AssertionError(f"the screen did not come to rest:\n{text_of(cast(MemtuiApp, pilot.app))}")


def _is_busy(pilot: Pilot[None]) -> bool:
    """Whether something is still being read, or a worker or message is on its way."""
    stack = pilot.app.screen_stack
    screens = [s for s in stack if isinstance(s, BrowseScreen)]
    if not screens and not any(isinstance(s, ProjectsScreen) and s.scanned for s in stack):
        return True
    if any(not s.scanned or (s.view is None and s.core.bank_root is not None) for s in screens):
        return True
    if any(isinstance(s, DraftScreen) and s.looking for s in stack):
        return True
    workers = pilot.app.workers
    return any(not worker.is_finished and worker.group not in _ENDLESS for worker in workers)


def text_of(app: MemtuiApp) -> str:
    """What the screen shows, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips[:height]]
    return "\n".join(line[:width].rstrip() for line in lines)
