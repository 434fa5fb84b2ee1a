"""`memtui log`: the events of the bank as a chronological log."""

from __future__ import annotations

import argparse

from memtui.bank.model import Event
from memtui.cli.command import OK, Context, answer
from memtui.clock import format_time
from memtui.safety.sanitize import one_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Options that narrow the log."""
    parser.add_argument("-n", "--last", type=int, metavar="N", help="only the last N events")
    parser.add_argument("--item", metavar="NAME", help="only events of this handle or name")
    parser.add_argument("--writer", help="only events of this writer")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the log, oldest first."""
    with context.open() as workspace:
        events = [e for e in workspace.load().contents.events if _passes(e, arguments)]
    if arguments.last is not None:
        events = events[-arguments.last :] if arguments.last > 0 else []
    answer(context, [_json(event) for event in events], map(log_line, events))
    return OK


def log_line(event: Event) -> str:
    """`## [time] verb | title`, with the reason and who, on one line."""
    reason = f" - {event.reason}" if event.reason else ""
    text = one_line(f"{event.title or event.name or event.item}{reason} ({event.writer})")
    return f"## [{format_time(event.at)}] {event.verb} | {text}"


def _passes(event: Event, arguments: argparse.Namespace) -> bool:
    _, _, handle = event.item.partition(":")
    return arguments.item in (None, handle, event.name) and arguments.writer in (
        None,
        event.writer,
    )


def _json(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "at": format_time(event.at),
        "writer": event.writer,
        "kind": event.kind,
        "verb": event.verb,
        "item": event.item,
        "name": event.name,
        "title": event.title,
        "reason": event.reason,
        "by": event.by,
        "data": dict(event.data),
    }
