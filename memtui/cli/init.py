"""`memtui init`: begin a bank for this project."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer

if TYPE_CHECKING:
    from memtui.workspace.beginning import Beginning
    from memtui.workspace.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Where it shall lie."""
    parser.add_argument(
        "--shared",
        action="store_true",
        help="in the project as .memtui-bank, shared through git; otherwise your own, on this machine",
    )
    parser.epilog = "`memtui --bank PATH init` begins it in a folder of your choice"


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Make the bank and say where it is. Exit code 1 when the project has one."""
    from memtui.curate.act import CurateError
    from memtui.workspace.beginning import begin

    named = context.bank or Path(context.environ.get("MEMTUI_BANK") or "")
    environ = {key: value for key, value in context.environ.items() if key != "MEMTUI_BANK"}
    with replace(context, bank=None, environ=environ).open() as workspace:
        at = _place(workspace, arguments.shared, named if named.name else None, context.cwd)
        try:
            root = begin(workspace.setting, at)
        except CurateError as error:
            raise CommandError(error.what, error.do) from error
        except OSError as error:
            raise CommandError(
                f"{at.path}: {error.strerror or error}", "is it writable?"
            ) from error
    lines = [f"began a bank: {root}", "`memtui` opens it beside the sessions of this project"]
    answer(context, {"bank": str(root), "kind": at.kind}, lines)
    return OK


def _place(workspace: Workspace, shared: bool, named: Path | None, cwd: Path) -> Beginning:
    """Where the bank is to lie. Raises CommandError."""
    from memtui.workspace.beginning import Beginning

    if named is not None:
        if shared:
            raise CommandError("--shared and a folder of your own at once", "name one of both")
        return Beginning("named", cwd / named.expanduser(), "the folder asked for")
    if workspace.bank_root is not None:
        raise CommandError(
            f"this project has a bank: {workspace.bank_root}", "`memtui` opens it", NOT_FOUND
        )
    wanted = "shared" if shared else "own"
    for at in workspace.beginnings():
        if at.kind == wanted:
            return at
    raise CommandError(
        f"{cwd} is no project", "go to the folder where your agent works, or name one with --bank"
    )
