"""`memtui uninstall HOST`: takes exactly memtui's own entries out of the host's settings."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.agents.host_settings import HOST_SETTINGS, PROJECT, USER
from memtui.cli.command import ERROR, CommandError, Context
from memtui.cli.settings_change import carry_out, configure_change, target_of

if TYPE_CHECKING:
    from memtui.agents.install import Target


def configure(parser: argparse.ArgumentParser) -> None:
    """Host, level, and what may happen without asking."""
    configure_change(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Uninstall. Exit code 1 when the user says no, 2 when the settings cannot be changed."""
    from memtui.agents.install import InstallError, plan_uninstall

    label = HOST_SETTINGS[arguments.host].label
    try:
        target = target_of(arguments, context)
        said = (
            f"there is nothing of memtui in {target.path}",
            f"{label} runs memtui's hooks no more: {target.path}",
        )
        change = plan_uninstall(target)
        if change.empty:
            change = replace(change, notes=_elsewhere(target))
        return carry_out(change, arguments, context, said)
    except InstallError as error:
        raise CommandError(error.what, error.do, ERROR) from error


def _elsewhere(target: Target) -> tuple[str, ...]:
    """Says where memtui's entries are when they are not where they were looked for."""
    from memtui.agents.install import InstallError, plan_uninstall

    level = PROJECT if target.level == USER else USER
    other = replace(target, level=level)
    try:
        found = plan_uninstall(other)
    except InstallError:
        return ()
    return () if found.empty else (f"{found.path} has some: add --{level}",)
