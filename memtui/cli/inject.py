"""`memtui inject`: exactly what the next session of this project receives."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from memtui.agents.costs import Cost, block_part
from memtui.agents.payload import SOURCES
from memtui.cli.command import OK, CommandError, Context, answer
from memtui.inject.limits import LIMITS
from memtui.workspace.model import Preview, PreviewOptions


def configure(parser: argparse.ArgumentParser) -> None:
    """What varies from one injection to the next."""
    parser.add_argument("--host", choices=sorted(LIMITS), help="the agent host")
    parser.add_argument("--source", choices=SOURCES, help="how the session starts")
    parser.add_argument(
        "--session", default="", help="the session that is resumed, else the newest (host:session)"
    )
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="instead of the policy's")
    parser.add_argument("--branch", help="instead of the branch checked out")
    parser.add_argument(
        "--explain", action="store_true", help="print one decision per card instead of the text"
    )
    parser.add_argument(
        "--cost",
        action="store_true",
        help="list everything that the session starts with, in the host's order, with its size",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the bytes, and nothing else; with `--json` or `--explain` the decisions."""
    if arguments.budget is not None and arguments.budget < 0:
        raise CommandError(f"a budget of {arguments.budget} tokens", "give 0 or more")
    with context.open() as workspace:
        defaults = workspace.settings.inject
        options = PreviewOptions(
            host=arguments.host or defaults.host,
            source=arguments.source or defaults.source,
            budget=arguments.budget,
            branch=workspace.branch if arguments.branch is None else arguments.branch,
        )
        preview = workspace.preview(
            workspace.load(), workspace.agents.resumed(options, arguments.session)
        )
        if arguments.cost:
            cost = Cost(
                options.host,
                (*workspace.agents.starting_files(options.host), *block_part(preview.plan)),
            )
            answer(context, cost_json(cost), _cost_lines(cost))
            return OK
    if context.json or arguments.explain:
        answer(context, preview_json(preview), _explain(preview))
        return OK
    sys.stdout.flush()
    sys.stdout.buffer.write(preview.plan.text.encode("utf-8"))
    sys.stdout.buffer.flush()
    return OK


def preview_json(preview: Preview) -> dict[str, Any]:
    """The plan with its request."""
    plan = preview.plan
    return {
        "host": preview.options.host,
        "source": preview.options.source,
        "branch": preview.options.branch,
        "budget": plan.budget,
        "tokens": plan.tokens,
        "limit": plan.limit._asdict(),
        "digest": plan.digest,
        "text": plan.text,
        "lines": [line._asdict() for line in plan.lines],
        "decisions": [decision._asdict() for decision in plan.decisions],
    }


def cost_json(cost: Cost) -> dict[str, Any]:
    """Every part with its size in bytes, what of it is sent, and where it is cut."""
    parts = [{**asdict(part), "tokens": part.tokens} for part in cost.parts]
    for part in parts:
        part["path"] = str(part["path"]) if part["path"] else None
    return {"host": cost.host, "tokens": cost.tokens, "parts": parts}


def _cost_lines(cost: Cost) -> list[str]:
    lines = [f"~{cost.tokens:<7,}  a session of {cost.host} starts with"]
    for part in cost.parts:
        name = str(part.path) if part.path else part.label
        cut = f"  (cut at character {part.cut:,})" if part.cut is not None else ""
        note = f"  {part.note}" if part.note else ""
        lines.append(f"~{part.tokens:<7,}  {'  ' * part.depth}{name}{cut}{note}")
    return lines


def _explain(preview: Preview) -> list[str]:
    plan = preview.plan
    shown = [d for d in plan.decisions if d.rank]
    lines = [f"~{plan.tokens} of {plan.budget} tokens, {len(shown)} lines, {preview.options.host}"]
    lines += [f"{d.rank:>4}  {d.handle:<6}  {d.score:.3f}  ~{d.tokens}" for d in shown]
    lines += [f"   -  {d.handle:<6}  {d.reason}  {d.detail}".rstrip() for d in preview.held]
    return lines
