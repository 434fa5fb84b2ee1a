"""`memtui undo`: take back your last act."""

from __future__ import annotations

import argparse

from memtui.cli.again import again, options
from memtui.cli.command import Context
from memtui.curate.verbs import undo


def configure(parser: argparse.ArgumentParser) -> None:
    """How many, and what to do with files that changed since."""
    options(parser, "take back")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Take back the last acts of this person, one by one."""
    return again(arguments, context, undo)
