"""`memtui supersede`: let one card or page replace others."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context
from memtui.cli.desk import CODES, desk
from memtui.curate.verbs import supersede


def configure(parser: argparse.ArgumentParser) -> None:
    """What is replaced, and by what."""
    parser.epilog = CODES
    parser.add_argument(
        "items", nargs="+", metavar="OLD", help="handle or name of what is replaced"
    )
    parser.add_argument(
        "--by", required=True, metavar="NEW", help="handle or name of what replaces it"
    )
    parser.add_argument("--reason", default="", help="why, for the history")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Write the link into the new one and take the old ones from the index."""
    with desk(context) as bank:
        old = bank.items(arguments.items)
        [new] = bank.items([arguments.by])
        bank.tell(bank.act(lambda curator: supersede(curator, old, new, arguments.reason)))
    return OK
