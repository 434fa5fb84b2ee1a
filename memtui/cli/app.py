"""Starts the app; the screen's imports begin here and nowhere above."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.command import ERROR, CommandError, Context

if TYPE_CHECKING:
    from textual.screen import Screen

    from memtui.tui.ports import Core


def run_app(
    context: Context,
    path: Path | None,
    *,
    ascii_only: bool,
    theme: str | None,
    watch: bool = False,
    projects: bool = False,
) -> int:
    """Open the app on the bank at `path`, or on this project's. Returns its exit code.

    With `watch` the pane beside a running agent is opened instead of Browse, with `projects` the list of
    all projects. So it is where there is nothing to browse: in a folder that is no project, without a bank.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError(
            "the app needs a terminal", "`memtui --help` lists the commands that print", ERROR
        )
    from memtui.tui.process import begin, tune

    begin()
    with context.open(path) as workspace:
        from memtui.tui.app import MemtuiApp
        from memtui.tui.terminal import end_with

        first: Callable[[Core], Screen[None]] | None = None
        if watch:
            from memtui.tui.screens.watch import WatchScreen

            first = WatchScreen
        elif projects or workspace.is_nowhere:
            from memtui.tui.screens.projects import ProjectsScreen

            first = ProjectsScreen
        tune()
        app = MemtuiApp(workspace, ascii_only=ascii_only, theme_name=theme, first=first)
        watching = end_with(sys.stdin.fileno())
        app.run()
        watching.set()
        return app.return_code or 0
