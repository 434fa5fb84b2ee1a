"""`memtui open`: read a session in the pager, or open the host's own file in the editor."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
from pathlib import Path

from memtui.cli.command import ERROR, OK, CommandError, Context, answer
from memtui.cli.session_named import SESSION_HELP, session_named, tools_speaking
from memtui.workspace.paging import editor_command, feed, pager_command


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session, and with what."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--editor", action="store_true", help="open the host's own file in $EDITOR instead"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Open it; where nobody can look (a pipe, --json) print the text, or where the file lies."""
    with context.open() as workspace, tools_speaking():
        row = session_named(workspace, arguments.session)
        tools = workspace.session_tools
        if arguments.editor:
            path = tools.file(row)
            if context.json:
                answer(context, {"session": row.ref, "file": str(path)}, ())
                return OK
            return _edit(editor_command(workspace.settings.editor.command, context.environ), path)
        if context.json:
            answer(context, {"markdown": "\n".join(tools.reading(row)) + "\n"}, ())
            return OK
        pager = pager_command(context.environ)
        if not os.isatty(1) or not pager:
            answer(context, None, tools.reading(row))
            return OK
        try:
            code = feed(shlex.split(pager), tools.reading(row))
        except (OSError, ValueError) as error:
            raise CommandError(
                f"cannot run the pager {pager!r}: {error}", "export PAGER"
            ) from error
    return OK if code == 0 else ERROR


def _edit(command: str, path: Path) -> int:
    if not command:
        raise CommandError("no editor is set", "export EDITOR, for example EDITOR=vim", ERROR)
    try:
        code = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        raise CommandError(
            f"cannot run the editor {command!r}: {error}", "export EDITOR", ERROR
        ) from error
    if code:
        raise CommandError(f"the editor ended with exit code {code}", "", ERROR)
    return OK
