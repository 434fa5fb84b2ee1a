"""`memtui config`: each setting, its value and where it came from."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, CommandError, Context, answer
from memtui.paths import places
from memtui.settings import SettingsError, explain, load_settings


def configure(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the settings."""
    where = places(context.environ)
    try:
        rows = explain(load_settings(where.config, context.environ), where.config, context.environ)
    except SettingsError as error:
        raise CommandError(str(error), "correct the file, then try again") from error
    answer(
        context,
        [{"key": key, "value": value, "origin": origin} for key, value, origin in rows],
        [f"{key} = {value!r}  ({origin})" for key, value, origin in rows],
    )
    return OK
