"""`memtui watch`: the pane beside a running agent; with `--json` what it would show, once."""

from __future__ import annotations

import argparse
import sqlite3
from dataclasses import asdict
from typing import Any

from memtui.cli.app import run_app
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.scanning import scan_first
from memtui.workspace.live import LiveView


def configure(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose: the live session of this folder is found."""


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Follow the live session of this project, of whichever host. Exit code 1 when there is none."""
    if not context.json:
        return run_app(context, None, ascii_only=arguments.ascii, theme=arguments.theme, watch=True)
    with context.open() as workspace:
        scan_first(workspace)
        try:
            view = workspace.load() if workspace.bank_root else None
            session = next(iter(workspace.live.sessions()), None)
            live = workspace.live.look(session, view) if session else None
            found = workspace.live.candidates(session, view) if session else ()
        except (sqlite3.Error, OSError) as error:
            raise CommandError(
                f"the session cannot be read: {error}", "`memtui doctor` says more"
            ) from error
    told: dict[str, Any] = _data(live) if live else {"session": None}
    told["candidates"] = [{"title": one.draft.title, "reason": one.reason} for one in found]
    answer(context, told, ())
    return OK if live else NOT_FOUND


def _data(live: LiveView) -> dict[str, Any]:
    return {**asdict(live), "share": round(live.share, 4)}
