"""`memtui lint`: what is wrong in the bank, with what helps."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from memtui.cli.command import NOT_FOUND, OK, Context, answer
from memtui.cli.desk import Desk, desk
from memtui.cli.scanning import scan_first
from memtui.curate.act import NothingToDoError
from memtui.curate.rules.source import ERROR, SEVERITIES, Finding
from memtui.curate.verbs import mend_index
from memtui.safety.sanitize import sanitize
from memtui.workspace.health import examine, gather


def configure(parser: argparse.ArgumentParser) -> None:
    """Which findings."""
    parser.epilog = (
        "exit codes: 0 no error was found, 1 errors were found, 2 the bank cannot be read"
    )
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help="only findings about these cards and pages"
    )
    parser.add_argument(
        "--severity", choices=SEVERITIES, help="only findings of this severity and above"
    )
    parser.add_argument("--rule", help="only this rule, or the rules that begin so")
    parser.add_argument(
        "--repair",
        action="store_true",
        help="first bring MEMORY.md in step with the bank, every other byte left alone (`undo` takes "
        "it back)",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the findings, errors first."""
    with desk(context) as bank:
        scan_first(bank.workspace)
        bank.take(bank.curating.reload())
        if arguments.repair:
            _repair(bank)
        view, root = bank.view, bank.workspace.setting.project_root
        gathered = bank.ask(lambda curator: gather(curator, view, root))
        health = examine(gathered)
        wanted = {view.item.id for view in bank.views(arguments.items)}
        findings = [found for found in health.findings if _passes(found, arguments, wanted)]
        for note in health.notes:
            sys.stderr.write(sanitize(f"memtui: {note}") + "\n")
        answer(
            context,
            [asdict(found) for found in findings],
            [line for found in findings for line in _lines(bank, found)],
        )
    return NOT_FOUND if any(found.severity == ERROR for found in findings) else OK


def _repair(bank: Desk) -> None:
    """What needs no choice; acts that were half done are healed by opening the bank."""
    contents, absent = bank.view.contents, bank.view.unlisted
    try:
        done = bank.act(lambda curator: mend_index(curator, contents, absent))
    except NothingToDoError as error:
        sys.stderr.write(f"memtui: {error.what}\n")
    else:
        sys.stderr.write(f"memtui: {done.summary}; `memtui undo` takes it back\n")


def _passes(found: Finding, arguments: argparse.Namespace, wanted: set[str]) -> bool:
    least = SEVERITIES.index(arguments.severity or SEVERITIES[-1])
    return (
        SEVERITIES.index(found.severity) <= least
        and found.rule.startswith(arguments.rule or "")
        and (not wanted or any(_id(item) in wanted for item in found.items))
    )


def _id(item: str) -> str:
    return item.partition(":")[2]


def _lines(bank: Desk, found: Finding) -> list[str]:
    views = [bank.view.by_id.get(_id(item)) for item in found.items]
    where = [view.item.name for view in views if view is not None]
    if found.path:
        where.append(f"{found.path}:{found.line}" if found.line else found.path)
    lines = [f"{found.severity:<8} {found.rule:<28} {found.message}"]
    lines += [f"         {' '.join(where)}"] if where else []
    return lines + ([f"         -> {found.fix}"] if found.fix else [])
