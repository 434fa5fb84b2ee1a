"""`memtui purge`: real deletion. It lists every place first, asks, erases, scans, prints a receipt."""

from __future__ import annotations

import argparse
import signal
import sys
from dataclasses import asdict
from typing import Any

from memtui.cli.asking import agreed
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import desk
from memtui.clock import format_time
from memtui.curate.purge import PurgePlan, Receipt, plan_purge
from memtui.curate.purging.progress import Step
from memtui.safety.sanitize import sanitize


def configure(parser: argparse.ArgumentParser) -> None:
    """What to erase, and what else of it."""
    parser.epilog = (
        "exit codes: 0 nothing of it is left, 1 no such item, or something still holds it (the receipt "
        "says what: a git history, a host's own transcript), 2 error; it cannot be undone"
    )
    parser.add_argument("items", nargs="+", metavar="ITEM", help="handle or name of a card or page")
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
    with desk(context) as bank, Progress() as progress:
        items = bank.items(arguments.items)
        contents, also, tell = bank.view.contents, arguments.also, progress.tell
        plan = bank.ask(lambda curator: plan_purge(curator, items, contents, also, tell))
        progress.clear()
        if arguments.dry_run:
            answer(context, plan_json(plan), _plan_lines(plan))
            return OK
        if not arguments.yes:
            sys.stderr.write(sanitize("\n".join(_plan_lines(plan))) + "\n")
        what = items[0].name if len(items) == 1 else f"these {len(items)}"
        if not agreed(f"Erase {what} for good? This cannot be undone.", arguments.yes):
            raise CommandError("nothing was erased", code=NOT_FOUND)
        receipt = bank.curating.purge(plan, tell)
        progress.clear()
        answer(context, receipt_json(receipt), receipt.lines())
    return NOT_FOUND if receipt.remaining else OK


class Progress:
    """One line of how far it is, at a terminal. Ctrl+C ends the work until the point of no return."""

    def __init__(self) -> None:
        self._before: Any = None
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def tell(self, step: Step) -> None:
        """Show a step; from the first final one on an interrupt is answered and not obeyed."""
        if step.final and self._before is None:
            self._before = signal.signal(signal.SIGINT, _too_late)
        if sys.stderr.isatty():
            count = f" ({step.done} of {step.of})" if step.of else ""
            sys.stderr.write(f"\r\x1b[Kmemtui: {step.what}{count}")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def _too_late(*_signal: object) -> None:
    sys.stderr.write("\nmemtui: erasing: this cannot be stopped half way\n")


def plan_json(plan: PurgePlan) -> dict[str, Any]:
    """Every place that holds the item."""
    return {
        "items": [item.id for item in plan.items],
        "places": [asdict(place) for place in plan.places],
    }


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """What was erased and what is left."""
    return {
        "act": receipt.act,
        "at": format_time(receipt.at),
        "items": list(receipt.items),
        "erased": [asdict(place) for place in receipt.erased],
        "scanned_files": receipt.scanned_files,
        "scanned_bytes": receipt.scanned_bytes,
        "remaining": [asdict(place) for place in receipt.remaining],
        "clean": receipt.clean,
    }


def _plan_lines(plan: PurgePlan) -> list[str]:
    titles = [item.title or item.name for item in plan.items]
    lines = [*titles[:-1], f"{titles[-1]}: held by {len(plan.places)} places:"]
    return lines + [f"  {place.kind}: {place.path}: {place.detail}" for place in plan.places]
