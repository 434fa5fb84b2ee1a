"""`memtui confirm`: a person says that cards or pages are true."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context
from memtui.cli.desk import CODES, desk
from memtui.curate.verbs import confirm


def configure(parser: argparse.ArgumentParser) -> None:
    """What to confirm."""
    parser.epilog = CODES
    parser.add_argument("items", nargs="+", metavar="ITEM", help="handle or name of a card or page")
    parser.add_argument("--note", default="", help="what was looked at")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Confirm them in one act."""
    with desk(context) as bank:
        items = bank.items(arguments.items)
        bank.tell(bank.act(lambda curator: confirm(curator, items, arguments.note)))
    return OK
