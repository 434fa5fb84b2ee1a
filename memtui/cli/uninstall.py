"""`memtui uninstall HOST`: takes exactly memtui's own entries out of the host's settings."""

from __future__ import annotations

import argparse

from memtui.agents.host_settings import HOST_SETTINGS
from memtui.cli.command import ERROR, CommandError, Context
from memtui.cli.settings_change import carry_out, configure_change, target_of


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
        return carry_out(plan_uninstall(target), arguments, context, said)
    except InstallError as error:
        raise CommandError(error.what, error.do, ERROR) from error
