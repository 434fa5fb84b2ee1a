"""`memtui deliveries`: what hooks sent to sessions, and what the transcripts say became of it."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memtui.cli.command import OK, CommandError, Context, answer
from memtui.cli.scanning import scan_first
from memtui.clock import format_time
from memtui.ledger.access import LedgerError

if TYPE_CHECKING:
    from memtui.agents.receipts import Delivery


def configure(parser: argparse.ArgumentParser) -> None:
    """Which deliveries, and whether in full."""
    parser.add_argument("session", nargs="?", help="only of this session (host:session)")
    parser.add_argument(
        "-n", "--last", type=int, metavar="N", default=30, help="only the newest N (30)"
    )
    parser.add_argument("--diff", action="store_true", help="print how the text differs")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Take in what hooks left, compare it with the transcripts, print the list, newest last."""
    with context.open() as workspace:
        scan_first(workspace)
        workspace.load()
        try:
            workspace.agents.settle()
            if arguments.session is not None:
                found = workspace.agents.deliveries(arguments.session)
            else:
                found = workspace.agents.all_deliveries(max(1, arguments.last))
        except (OSError, sqlite3.Error, LedgerError) as error:
            raise CommandError(
                f"the deliveries cannot be read: {error}", "`memtui doctor` says where they lie"
            ) from error
    found = found[-arguments.last :] if arguments.last > 0 else ()
    empty = ["nothing was sent yet; `memtui install HOST` lets agents receive this bank"]
    lines = [line for one in found for line in _lines(one, arguments.diff)] or empty
    answer(context, [delivery_json(one) for one in found], lines)
    return OK


def delivery_json(delivery: Delivery) -> dict[str, Any]:
    """One injection and what became of it."""
    injection = delivery.injection
    return {
        "id": injection.id,
        "at": format_time(injection.at),
        "session": injection.session,
        "host": injection.host,
        "source": injection.source,
        "tokens": injection.tokens,
        "budget": injection.budget,
        "lines": [{"handle": handle, "text": text} for handle, text in injection.lines],
        "digest": injection.digest,
        "outcome": delivery.outcome.value,
        "detail": delivery.detail,
        "diff": delivery.diff,
        "record": delivery.record,
    }


def _lines(delivery: Delivery, diff: bool) -> Iterator[str]:
    injection = delivery.injection
    count = len(injection.lines)
    size = f"{count} line{'' if count == 1 else 's'}, ~{injection.tokens} tokens"
    said = f"{delivery.outcome.value}: {delivery.detail}" if delivery.detail else delivery.outcome
    yield f"{format_time(injection.at)}  {injection.source:<8}  {size:<22}  {said}  [{injection.session}]"
    if diff and delivery.diff:
        yield from (f"    {line}" for line in delivery.diff.splitlines())
