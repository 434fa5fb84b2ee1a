"""`memtui install HOST`: shows the exact change to the host's settings, asks, and merges it in."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.agents.host_settings import DEFAULT_EVENTS, HOST_SETTINGS
from memtui.cli.command import ERROR, CommandError, Context
from memtui.cli.settings_change import carry_out, configure_change, target_of

if TYPE_CHECKING:
    from memtui.agents.install import Change


def configure(parser: argparse.ArgumentParser) -> None:
    """Host, level, and what may happen without asking."""
    configure_change(parser)
    parser.add_argument(
        "--hits",
        action="store_true",
        help="let prompts receive up to two lines that they hit literally",
    )
    parser.add_argument(
        "--pre-tool", action="store_true", help="also run the hook before every tool call"
    )
    parser.add_argument("--program", type=Path, metavar="PATH", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Install. Exit code 1 when the user says no, 2 when the settings cannot be changed."""
    from memtui.agents.install import InstallError, plan_install
    from memtui.agents.settings_edit.hooks import PROGRAM

    if arguments.program is not None and arguments.program.name != PROGRAM:
        raise CommandError(
            f"{arguments.program} is not called {PROGRAM}", "uninstalling would not know it again"
        )
    events = [*DEFAULT_EVENTS, *(["pre-tool"] if arguments.pre_tool else [])]
    try:
        target = target_of(arguments, context)
        change = plan_install(target, arguments.program, events, arguments.hits)
        return carry_out(change, arguments, context, _said(change))
    except InstallError as error:
        raise CommandError(error.what, error.do, ERROR) from error


def _said(change: Change) -> tuple[str, str]:
    """What to say when there was nothing to do, and when it is done."""
    label = HOST_SETTINGS[change.target.host].label
    place = change.path
    return (
        f"{label} runs memtui's hooks already: {place}",
        f"{label} runs memtui's hooks from now on: {place}",
    )
