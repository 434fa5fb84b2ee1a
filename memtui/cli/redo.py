"""`memtui redo`: do again what was undone last."""

from __future__ import annotations

import argparse

from memtui.cli.again import again, options
from memtui.cli.command import Context
from memtui.curate.verbs import redo


def configure(parser: argparse.ArgumentParser) -> None:
    """How many, and what to do with files that changed since."""
    options(parser, "do again")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Do the acts again that were undone last, one by one."""
    return again(arguments, context, redo)
