"""`memtui purge`: real deletion. It lists every place first, asks, erases, scans, and prints a receipt."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from memtui.cli.asking import agreed
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import desk
from memtui.clock import format_time
from memtui.curate.purge import PurgePlan, Receipt, plan_purge
from memtui.safety.sanitize import sanitize


def configure(parser: argparse.ArgumentParser) -> None:
    """What to erase, and what else of it."""
    parser.epilog = (
        "exit codes: 0 nothing of it is left, 1 no such item, or something still holds it (the receipt "
        "says what: a git history, a host's own transcript), 2 error; it cannot be undone"
    )
    parser.add_argument("item", metavar="ITEM", help="handle or name of a card or page")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="TEXT",
        help="erase this text too; repeatable",
    )
    parser.add_argument("--dry-run", action="store_true", help="list the places, change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """List, ask, erase, scan, and say what is left."""
    with desk(context) as bank:
        [item] = bank.items([arguments.item])
        contents = bank.view.contents
        plan = bank.ask(lambda curator: plan_purge(curator, item, contents, arguments.also))
        if arguments.dry_run:
            answer(context, plan_json(plan), _plan_lines(plan))
            return OK
        if not arguments.yes:
            sys.stderr.write(sanitize("\n".join(_plan_lines(plan))) + "\n")
        if not agreed(f"Erase {item.name} for good? This cannot be undone.", arguments.yes):
            raise CommandError("nothing was erased", code=NOT_FOUND)
        receipt = bank.curating.purge(plan)
        answer(context, receipt_json(receipt), receipt.lines())
    return NOT_FOUND if receipt.remaining else OK


def plan_json(plan: PurgePlan) -> dict[str, Any]:
    """Every place that holds the item."""
    return {"item": plan.item.id, "places": [asdict(place) for place in plan.places]}


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """What was erased and what is left."""
    return {
        "act": receipt.act,
        "at": format_time(receipt.at),
        "item": receipt.item,
        "erased": [asdict(place) for place in receipt.erased],
        "scanned_files": receipt.scanned_files,
        "scanned_bytes": receipt.scanned_bytes,
        "remaining": [asdict(place) for place in receipt.remaining],
        "clean": receipt.clean,
    }


def _plan_lines(plan: PurgePlan) -> list[str]:
    lines = [f"{plan.item.title} is held by {len(plan.places)} places:"]
    return lines + [f"  {place.kind}: {place.path}: {place.detail}" for place in plan.places]
