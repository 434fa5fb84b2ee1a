"""`memtui inject`: exactly what the next session of this project receives."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from memtui.cli.command import OK, CommandError, Context, answer
from memtui.inject.limits import LIMITS
from memtui.workspace.model import Preview, PreviewOptions

SOURCES = ("startup", "resume", "clear", "compact", "fork")


def configure(parser: argparse.ArgumentParser) -> None:
    """What varies from one injection to the next."""
    parser.add_argument("--host", choices=sorted(LIMITS), help="the agent host")
    parser.add_argument("--source", choices=SOURCES, help="how the session starts")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="instead of the policy's")
    parser.add_argument("--branch", help="instead of the branch checked out")
    parser.add_argument(
        "--explain", action="store_true", help="print one decision per card instead of the text"
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
        preview = workspace.preview(workspace.load(), options)
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


def _explain(preview: Preview) -> list[str]:
    plan = preview.plan
    shown = [d for d in plan.decisions if d.rank]
    lines = [f"~{plan.tokens} of {plan.budget} tokens, {len(shown)} lines, {preview.options.host}"]
    lines += [f"{d.rank:>4}  {d.handle:<6}  {d.score:.3f}  ~{d.tokens}" for d in shown]
    lines += [f"   -  {d.handle:<6}  {d.reason}  {d.detail}".rstrip() for d in preview.held]
    return lines
