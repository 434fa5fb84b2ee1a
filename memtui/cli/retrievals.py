"""`memtui retrievals`: every search of terminal, hooks and agents, newest first."""

from __future__ import annotations

import argparse
import sqlite3
from typing import Any

from memtui.cli.command import OK, CommandError, Context, answer, no_bank
from memtui.clock import format_time
from memtui.ledger.access import LedgerError
from memtui.ledger.model import RetrievalRecord
from memtui.safety.sanitize import one_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Options that narrow the list."""
    parser.add_argument("--empty", action="store_true", help="only those that found nothing")
    parser.add_argument("--origin", choices=["terminal", "hook", "mcp"], help="only from here")
    parser.add_argument("-n", "--last", type=int, default=50, metavar="N", help="the newest N (50)")
    parser.add_argument(
        "--candidates", action="store_true", help="with what became of each candidate"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Take in what hooks left, then print the list."""
    with context.open() as workspace:
        recalling = workspace.recalling
        if recalling is None:
            raise no_bank()
        try:
            workspace.agents.take_in()
            known = recalling.retrievals()
        except (OSError, sqlite3.Error, LedgerError) as error:
            raise CommandError(
                f"the log cannot be read: {error}", "`memtui doctor` says where it lies"
            ) from error
    records = [
        record
        for record in known
        if (record.empty or not arguments.empty) and arguments.origin in (None, record.origin)
    ][: max(0, arguments.last)]
    data = [record_json(record, candidates=arguments.candidates) for record in records]
    answer(context, data, map(_line, records))
    return OK


def record_json(record: RetrievalRecord, *, candidates: bool) -> dict[str, Any]:
    """One search of the log."""
    data: dict[str, Any] = {
        "id": record.id,
        "at": format_time(record.at),
        "origin": record.origin,
        "session": record.session,
        "query": record.query,
        "mode": record.mode,
        "candidates": len(record.candidates),
        "shown": list(record.shown),
        "empty": record.empty,
        "tokens": record.tokens,
        "ms": record.ms,
    }
    if candidates:
        data["candidates"] = [dict(candidate) for candidate in record.candidates]
    return data


def _line(record: RetrievalRecord) -> str:
    found = "NOTHING" if record.empty else f"{len(record.shown)} shown"
    return (
        f"{format_time(record.at)}  {record.origin:<8}  {record.mode:<8}  {found:<9}"
        f"  of {len(record.candidates):<3}  ~{record.tokens:<5} {record.ms:7.1f} ms"
        f"  {one_line(record.query)}"
    )
