"""`memtui flag`: say that cards or pages are wrong or doubtful, and why."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context
from memtui.cli.desk import CODES, desk
from memtui.curate.verbs import flag


def configure(parser: argparse.ArgumentParser) -> None:
    """What to flag, and why."""
    parser.epilog = CODES
    parser.add_argument("items", nargs="+", metavar="ITEM", help="handle or name of a card or page")
    parser.add_argument("--reason", required=True, help="what is wrong with it")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Flag them in one act."""
    with desk(context) as bank:
        items = bank.items(arguments.items)
        bank.tell(bank.act(lambda curator: flag(curator, items, arguments.reason)))
    return OK
