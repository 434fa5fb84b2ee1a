"""`memtui open`: read a session in the pager, or open the host's own file in the editor."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess

from memtui.cli.command import ERROR, OK, CommandError, Context, answer
from memtui.cli.session_named import SESSION_HELP, session_named, tools_speaking
from memtui.workspace.paging import feed, pager_command
from memtui.workspace.workspace import Workspace


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
                answer(context, {"session": f"{row.host}:{row.id}", "file": str(path)}, ())
                return OK
            return _run([*_editor(workspace, context), str(path)])
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


def _editor(workspace: Workspace, context: Context) -> list[str]:
    environ = context.environ
    command = workspace.settings.editor.command or environ.get("VISUAL") or environ.get("EDITOR")
    return shlex.split(command or "vi")


def _run(words: list[str]) -> int:
    try:
        code = subprocess.run(words, check=False).returncode
    except OSError as error:
        raise CommandError(
            f"cannot run the editor {words[0]!r}: {error}", "export EDITOR", ERROR
        ) from error
    if code:
        raise CommandError(f"the editor ended with exit code {code}", "", ERROR)
    return OK
