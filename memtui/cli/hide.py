"""`memtui hide`: take a session from lists and search; what cites it still opens."""

from __future__ import annotations

import argparse

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context
from memtui.cli.desk import CODES, desk
from memtui.cli.session_named import SESSION_HELP, session_named
from memtui.curate.verbs import hide_session


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session."""
    parser.epilog = CODES
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("--show", action="store_true", help="show a hidden session again")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Hide it, or show it again."""
    with desk(context) as bank:
        row = session_named(bank.workspace, arguments.session)
        hidden = row.ref in bank.workspace.hidden
        if hidden is not arguments.show:
            raise CommandError("already hidden" if hidden else "it is not hidden", code=NOT_FOUND)
        host, session, title, wanted = row.host, row.id, row.title, not arguments.show
        bank.tell(
            bank.act(lambda curator: hide_session(curator, host, session, title, hidden=wanted))
        )
    return OK
