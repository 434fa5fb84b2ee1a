"""`memtui resume`: the command line with which a session's own host goes on with it."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, Context, answer
from memtui.cli.session_named import SESSION_HELP, session_named, tools_speaking


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print it, quoted for a shell; nothing is run. Exit code 2 where the host cannot resume it."""
    with context.open() as workspace, tools_speaking():
        row = session_named(workspace, arguments.session)
        command = workspace.session_tools.resume(row)
    data = {"session": row.ref, "folder": row.cwd, "command": command}
    answer(context, data, [command])
    return OK
