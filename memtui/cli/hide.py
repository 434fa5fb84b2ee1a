"""`memtui hide`: take a session from lists and search; what cites it still opens."""

from __future__ import annotations

import argparse

from memtui.bank.standing import hidden_sessions
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context
from memtui.cli.desk import CODES, desk
from memtui.cli.scanning import scan_first
from memtui.curate.verbs import hide_session


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session."""
    parser.epilog = CODES
    parser.add_argument("session", metavar="SESSION", help="the session as host:id")
    parser.add_argument("--show", action="store_true", help="show a hidden session again")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Hide it, or show it again."""
    ref: str = arguments.session
    with desk(context) as bank:
        scan_first(bank.workspace)
        timeline = bank.workspace.timeline("all", every_project=True)
        try:
            row = next((r for r in timeline.sessions() if f"{r.host}:{r.id}" == ref), None)
        finally:
            timeline.close()
        if row is None:
            raise CommandError(f"no session {ref}", "`memtui sessions --all` lists them", NOT_FOUND)
        hidden = ref in hidden_sessions(bank.view.contents.events)
        if hidden is not arguments.show:
            raise CommandError("already hidden" if hidden else "it is not hidden", code=NOT_FOUND)
        host, session, title, wanted = row.host, row.id, row.title, not arguments.show
        bank.tell(
            bank.act(lambda curator: hide_session(curator, host, session, title, hidden=wanted))
        )
    return OK
