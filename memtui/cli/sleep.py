"""`memtui sleep`: the plan of an upkeep, its safe part, and the timer that runs it."""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from memtui.cli.command import ERROR, NOT_FOUND, OK, CommandError, Context, answer, no_bank
from memtui.cli.scanning import scan_first
from memtui.curate.act import CurateError
from memtui.curate.sleep.model import Progress, Report, to_json
from memtui.curate.sleep.run import WAIT
from memtui.ledger.access import LedgerError
from memtui.paths import bank_key
from memtui.safety.locks import LockedError
from memtui.safety.sanitize import one_line
from memtui.workspace.workspace import Workspace

POLITE = 5
"""How far a sleep that the app started stands back behind the app."""


def configure(parser: argparse.ArgumentParser) -> None:
    """A plan unless told otherwise."""
    parser.add_argument("--apply", action="store_true", help="do the safe part")
    parser.add_argument(
        "--if-due",
        action="store_true",
        help="only with 5 new sessions and 24 h after the last one; for timers",
    )
    parser.add_argument("--progress", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--restore", metavar="NAME", help="bring a card back from the archive")
    parser.add_argument(
        "--install-timer",
        nargs="?",
        const="auto",
        choices=["auto", "systemd", "launchd", "cron"],
        help="show a timer for this bank, ask, and install it",
    )
    parser.add_argument("--yes", action="store_true", help="with --install-timer: do not ask")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Plan, apply, restore or install. Exit code 2 when another sleep is at work for ten minutes."""
    with context.open() as workspace:
        try:
            if arguments.install_timer:
                return _timer(workspace, arguments, context)
            if arguments.restore:
                done = workspace.upkeep.restore(arguments.restore)
                answer(context, {"act": done.result.act}, [done.result.summary])
                return OK
            if arguments.progress and hasattr(os, "nice"):
                os.nice(POLITE)  # a person is at the screen that started this
            scan_first(workspace)
            if arguments.apply:
                workspace.agents.take_in()
            tell = _tell_program if arguments.progress else _tell
            report = workspace.upkeep.sleep(
                apply=arguments.apply, if_due=arguments.if_due, tell=tell, wait=WAIT
            )
        except LockedError as error:
            raise CommandError(str(error), "it does the work; try again later") from error
        except CurateError as error:
            raise CommandError(error.what, error.do) from error
        except (OSError, sqlite3.Error, LedgerError) as error:
            raise CommandError(
                f"sleep stopped: {error}", "what was done is whole; run it again"
            ) from error
    answer(context, to_json(report), _lines(report))
    return OK


def _tell_program(step: Progress) -> None:
    """One JSON object a line, for the app that started this."""
    said = {"done": step.done, "total": step.total, "what": step.what}
    sys.stderr.write(json.dumps(said) + "\n")
    sys.stderr.flush()


def _tell(step: Progress) -> None:
    if sys.stderr.isatty() and step.total:
        sys.stderr.write(f"\rreading sessions: {step.done}/{step.total} ")
        if step.done == step.total:
            sys.stderr.write("\n")


def _lines(report: Report) -> Iterator[str]:
    if not report.due:
        yield f"not due: {report.why_not}"
        return
    for step in report.steps:
        if not step.count:
            continue
        yield f"{step.count:>5}  {step.noun}: {step.why}"
        yield from (f"         {one_line(line, 140)}" for line in step.lines)
        if step.count > len(step.lines) > 0:
            yield f"         and {step.count - len(step.lines)} more"
    for name, why in report.failed:
        yield f"failed: {name}: {one_line(why, 160)}"
    if report.drafted is not None:
        would = "" if report.applied else "would be asked: "
        yield f"drafter: {would}{report.drafted.line}"
        for name, why in report.drafted.fell_back:
            yield f"drafted by rules instead: {name}: {one_line(why, 160)}"
    cost = f"{report.read} sessions, {report.bytes / 1e6:.1f} MB, {report.seconds:.1f} s"
    if not report.changed:
        yield f"nothing to do ({cost})"
    elif report.applied:
        yield f"done ({cost}); `memtui inbox` lists what waits for you"
    else:
        yield f"nothing was changed ({cost}); `memtui sleep --apply` does it"


def _timer(workspace: Workspace, arguments: argparse.Namespace, context: Context) -> int:
    from memtui.workspace.timer import TimerError, install_timer, plan_timer

    if workspace.bank_root is None:
        raise no_bank()
    kind = "" if arguments.install_timer == "auto" else arguments.install_timer
    key = bank_key(workspace.config.id, workspace.bank_root)
    try:
        plan = plan_timer(workspace.bank_root, key, Path.home(), context.environ, kind=kind)
        data = {
            "kind": plan.kind,
            "files": {str(path): text.decode() for path, text in plan.files},
            "commands": [list(command) for command in plan.commands],
            "line": plan.line,
            "installed": False,
        }
        agreed = bool(plan.files) and (arguments.yes or _agreed(plan.shown(), context))
        if agreed:
            install_timer(plan)
            data["installed"] = True
    except TimerError as error:
        raise CommandError(error.what, error.do, ERROR) from error
    said = [f"installed: {plan.undo} takes it back"] if agreed else plan.shown()
    answer(context, data, said)
    return OK if agreed or not plan.files else NOT_FOUND


def _agreed(lines: list[str], context: Context) -> bool:
    """Ask on a terminal; elsewhere the plan is only shown."""
    if context.json or not sys.stdin.isatty():
        return False
    from memtui.safety.sanitize import sanitize

    print("\n".join(map(sanitize, lines)))
    return input("install it? [y/N] ").strip().lower() in ("y", "yes")
