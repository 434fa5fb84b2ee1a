"""`memtui demote`: cards go from active to stale to retired, pages are retired."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context
from memtui.cli.desk import CODES, desk
from memtui.curate.verbs import demote


def configure(parser: argparse.ArgumentParser) -> None:
    """What to demote, and why."""
    parser.epilog = CODES
    parser.add_argument("items", nargs="+", metavar="ITEM", help="handle or name of a card or page")
    parser.add_argument("--reason", default="", help="why, for the history")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Demote them in one act."""
    with desk(context) as bank:
        items = bank.items(arguments.items)
        bank.tell(bank.act(lambda curator: demote(curator, items, arguments.reason)))
    return OK
