"""`memtui revert`: take back one act out of the middle, or somebody else's, after showing what changes."""

from __future__ import annotations

import argparse
from typing import Any

from memtui.cli.again import resolution, resolving
from memtui.cli.asking import agreed
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import CODES, conflict_json, conflict_lines, desk
from memtui.curate.history import find_entry
from memtui.curate.revert import RevertPlan
from memtui.curate.verbs import preview_revert, revert


def configure(parser: argparse.ArgumentParser) -> None:
    """Which act."""
    parser.epilog = CODES
    parser.add_argument(
        "act", metavar="ACT", help="the act's id, or its first letters, from `history`"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change, change nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    resolving(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Show, ask, revert."""
    with desk(context) as bank:
        events = bank.view.contents.events
        act = find_entry(events, arguments.act).act
        plan = bank.ask(lambda curator: preview_revert(curator, events, act))
        if arguments.dry_run:
            answer(context, plan_json(plan), _plan_lines(plan))
            return OK
        if not arguments.yes and not context.json:
            answer(context, None, _plan_lines(plan))
        chosen = resolution(plan.conflicts, arguments.resolve)
        if len(chosen) == len(plan.conflicts):
            question = f"Revert {plan.verb} of {plan.title or ' '.join(plan.items)}?"
            if not agreed(question, arguments.yes):
                raise CommandError("nothing was changed", code=NOT_FOUND)
        bank.tell(bank.act(lambda curator: revert(curator, plan, chosen)), diffs=dict(plan.diffs))
    return OK


def plan_json(plan: RevertPlan) -> dict[str, Any]:
    """What a revert would change."""
    return {
        "act": plan.act,
        "verb": plan.verb,
        "title": plan.title,
        "items": list(plan.items),
        "diffs": dict(plan.diffs),
        "conflicts": [conflict_json(found) for found in plan.conflicts],
    }


def _plan_lines(plan: RevertPlan) -> list[str]:
    lines = [f"{plan.verb}: {plan.title or ' '.join(plan.items)}"]
    lines += [line for text in plan.diffs.values() for line in text.splitlines()]
    lines += [line for found in plan.conflicts for line in conflict_lines(found)]
    return (
        lines if len(lines) > 1 else [*lines, "no file changes: only what was said is taken back"]
    )
