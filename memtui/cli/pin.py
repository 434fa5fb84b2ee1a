"""`memtui pin`: always first in the injection; again, or with `--off`, no longer."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context
from memtui.cli.desk import CODES, desk
from memtui.curate.verbs import pin


def configure(parser: argparse.ArgumentParser) -> None:
    """What to pin."""
    parser.epilog = CODES
    parser.add_argument("items", nargs="+", metavar="ITEM", help="handle or name of a card or page")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--on", dest="on", action="store_true", default=None, help="pin, also if pinned"
    )
    how.add_argument("--off", dest="on", action="store_false", help="unpin")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Pin them in one act; where all are pinned, unpin them."""
    with desk(context) as bank:
        items = bank.items(arguments.items)
        bank.tell(bank.act(lambda curator: pin(curator, items, arguments.on)))
    return OK
