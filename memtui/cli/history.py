"""`memtui history`: what happened, newest first, with diffs; and what the bank said on a day."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import Desk, desk
from memtui.clock import format_time, parse_time
from memtui.curate.act import CurateError
from memtui.curate.history import AsOf, Entry, bank_as_of, diffs, find_entry, history, item_as_of
from memtui.curate.hunks import text_of, unified
from memtui.index.states import key_of
from memtui.safety.sanitize import one_line


def configure(parser: argparse.ArgumentParser) -> None:
    """What to list, and how."""
    parser.epilog = "exit codes: 0 done, 1 nothing found, 2 error"
    parser.add_argument(
        "what",
        nargs="?",
        metavar="ITEM | ACT",
        help="only this card, page or act (its first letters)",
    )
    parser.add_argument("-n", "--last", type=int, metavar="N", help="only the newest N acts")
    parser.add_argument("--writer", help="only acts of this writer")
    parser.add_argument("--verb", help="only acts of this verb")
    parser.add_argument(
        "--diff", action="store_true", help="with what each act changed in the files"
    )
    parser.add_argument(
        "--as-of",
        metavar="DATE",
        help="what the item said, or which files the bank had, at the end of that day (UTC) or at "
        "that ISO 8601 time; with --diff, what changed since",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the acts, or the texts of a day."""
    with desk(context) as bank:
        if arguments.as_of is not None:
            moment = moment_of(arguments.as_of)
            if arguments.what is None:
                return _bank_then(bank, moment)
            return _item_then(bank, arguments.what, moment, arguments.diff)
        entries = _entries(bank, arguments)
        kept = bank.ask(
            lambda curator: {
                entry.act: diffs(curator, entry) if arguments.diff else {} for entry in entries
            }
        )
    answer(
        context,
        [entry_json(entry, kept[entry.act] if arguments.diff else None) for entry in entries],
        [line for entry in entries for line in _entry_lines(entry, kept[entry.act])],
    )
    return OK if entries else NOT_FOUND


def moment_of(text: str) -> datetime:
    """The end of a day, or a time. Raises CommandError."""
    try:
        moment = parse_time(text)
    except ValueError as error:
        raise CommandError(f"--as-of {text}: not a date", "write 2026-11-20") from error
    return moment + timedelta(days=1, seconds=-1) if len(text) == 10 else moment


def entry_json(entry: Entry, changed: dict[str, str] | None = None) -> dict[str, Any]:
    """One act for a program."""
    data = {
        "act": entry.act,
        "at": format_time(entry.at),
        "writer": entry.writer,
        "by": entry.by,
        "verb": entry.verb,
        "items": list(entry.items),
        "title": entry.title,
        "reason": entry.reason,
        "about": entry.about,
        "undone": entry.undone,
        "external": entry.external,
        "revertible": entry.revertible,
    }
    return data if changed is None else {**data, "diffs": changed}


def _entries(bank: Desk, arguments: argparse.Namespace) -> list[Entry]:
    events = bank.view.contents.events
    entries: Sequence[Entry] = history(events)
    if arguments.what is not None:
        view = bank.view.find(arguments.what)
        if view is not None:
            key = key_of(view.item)
            entries = [entry for entry in entries if key in entry.items]
        else:
            try:
                entries = [find_entry(events, arguments.what)]
            except CurateError as error:
                raise CommandError(error.what, error.do, NOT_FOUND) from error
    if arguments.writer:
        entries = [entry for entry in entries if entry.writer == arguments.writer]
    if arguments.verb:
        entries = [entry for entry in entries if entry.verb == arguments.verb]
    return list(entries[: max(0, arguments.last)] if arguments.last is not None else entries)


def _entry_lines(entry: Entry, changed: dict[str, str]) -> list[str]:
    reason = f" - {entry.reason}" if entry.reason else ""
    undone = "  (undone)" if entry.undone else ""
    title = one_line(f"{entry.title or ' '.join(entry.items)}{reason} ({entry.writer})")
    lines = [f"{entry.act}  {format_time(entry.at)}  {entry.verb:<9}  {title}{undone}"]
    return lines + [f"  {line}" for text in changed.values() for line in text.splitlines()]


def _item_then(bank: Desk, word: str, moment: datetime, diff: bool) -> int:
    [item] = bank.items([word])
    then = bank.ask(lambda curator: item_as_of(curator, item, moment))
    if then.data is None:
        raise CommandError(f"{word} was not there at {format_time(moment)}", code=NOT_FOUND)
    text = text_of(then.data)
    if diff:
        text = unified(then.data, item.path.read_bytes(), then.path)
    note = [] if then.exact else ["(no act of this ledger covers that day: the nearest known text)"]
    answer(bank.context, {**_then_json(then), "text": text}, [*text.splitlines(), *note])
    return OK


def _bank_then(bank: Desk, moment: datetime) -> int:
    contents = bank.view.contents
    found = bank.ask(lambda curator: bank_as_of(curator, contents, moment))
    lines = [f"{then.path}{'' if then.exact else '  (nearest known)'}" for then in found.values()]
    answer(bank.context, [_then_json(then) for then in found.values()], lines)
    return OK if found else NOT_FOUND


def _then_json(then: AsOf) -> dict[str, Any]:
    text = None if then.data is None else text_of(then.data)
    return {"path": then.path, "exact": then.exact, "text": text}
