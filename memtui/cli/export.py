"""`memtui export`: a session as Markdown, secrets masked, on standard output or in a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.cli.command import OK, Context, answer
from memtui.cli.session_named import SESSION_HELP, session_named, tools_speaking
from memtui.sessions.export import masked


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session, and where to."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to this file, not to the screen"
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Write it out. Exit code 2 when the file is there already, unless --force."""
    path: Path | None = arguments.output
    with context.open() as workspace, tools_speaking():
        row = session_named(workspace, arguments.session)
        tools = workspace.session_tools
        ref = row.ref
        if path is not None:
            target = context.cwd / path.expanduser()
            size = tools.export(row, target, over=arguments.force)
            told = {"session": ref, "file": str(target), "bytes": size}
            answer(context, told, [f"{target}: {size:,} bytes"])
        elif context.json:
            text = "\n".join(tools.reading(row, masked)) + "\n"
            answer(context, {"session": ref, "markdown": text}, ())
        else:
            answer(context, None, tools.reading(row, masked))
    return OK
