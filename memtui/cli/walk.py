"""`memtui walk`: from a page or card down to the sessions that earned it."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.scanning import scan_first
from memtui.workspace.model import Check, WalkStep

MARKS = {Check.VERIFIED: "ok", Check.CHANGED: "changed", Check.GONE: "gone", Check.UNSEALED: "?"}


def configure(parser: argparse.ArgumentParser) -> None:
    """The item to start from."""
    parser.add_argument("name", help="handle or name of a page or card")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the chain. Exit code 1 when a step of it does not hold."""
    with context.open() as workspace:
        scan_first(workspace)
        steps = workspace.walk(workspace.load(), arguments.name)
    if not steps:
        raise CommandError(
            f"no card or page named {arguments.name}", "`memtui cards` lists them", NOT_FOUND
        )
    answer(context, [asdict(step) for step in steps], map(_line, steps))
    broken = any(step.check in (Check.CHANGED, Check.GONE) for step in steps)
    return NOT_FOUND if broken else OK


def _line(step: WalkStep) -> str:
    detail = f"  {step.detail}" if step.detail else ""
    return f"{'  ' * step.depth}{step.kind} [{MARKS[step.check]}] {step.label}{detail}"
