"""Another project in place of the one that is open: its screens and jobs end, the new ones begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.tui.screens.browse import BrowseScreen

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp
    from memtui.tui.ports import Core

Then = Callable[[BrowseScreen], None]


def in_the_way(app: MemtuiApp) -> str:
    """What must be over before another project is opened, "" for nothing."""
    browse = app.find_browse()
    if app.upkeep.sleeping:
        return "sleep is at work in this project: wait for it, or stop it in Browse with esc"
    if browse is not None and browse.acts.busy:
        return "an act is being done in this project: wait for it"
    if browse is not None and browse.jobs.running("export"):
        return "a session is being exported: wait for it, or stop it in Browse with esc"
    return ""


async def switch(app: MemtuiApp, core: Core, then: Then | None) -> None:
    """Leave every screen of the old workspace, close it, and browse the new one.

    Removing a screen cancels its workers: the scan stops at the next file, the watch at once.
    """
    old, browse = app.core, app.find_browse()
    rows = browse.timeline_rows if browse is not None else None
    app.core = core
    app.upkeep.reset()
    with app.batch_update():
        while len(app.screen_stack) > 1:
            await app.pop_screen()
        for screen in app.forget_kept():
            await screen.remove()
        if rows is not None:
            rows.timeline.close()
        shown = BrowseScreen(core)
        await app.push_screen(shown)
    app.run_worker(old.close, thread=True, group="closing", exit_on_error=False)
    if then is not None:
        shown.call_after_refresh(then, shown)
