"""`memtui tag`: words of your own on a session, to find it again."""

from __future__ import annotations

import argparse

from memtui.cli.command import OK, CommandError, Context, answer
from memtui.cli.desk import CODES, desk
from memtui.cli.session_named import SESSION_HELP, session_named
from memtui.curate.sessions import clean_tag
from memtui.curate.verbs import tag_session


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session, and which tags."""
    parser.epilog = CODES
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("tags", nargs="*", metavar="TAG", help="add this tag; none lists them")
    parser.add_argument(
        "--remove", action="append", default=[], metavar="TAG", help="take this tag away"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Add and remove tags, or list them."""
    with desk(context) as bank:
        row = session_named(bank.workspace, arguments.session)
        if row.agent:
            raise CommandError("a sub-agent has no tags", "tag the session that started it")
        ref = row.ref
        before = bank.workspace.tags.get(ref, ())
        if not arguments.tags and not arguments.remove:
            answer(context, {"session": ref, "tags": list(before)}, [f"#{tag}" for tag in before])
            return OK
        gone = {clean_tag(tag) for tag in arguments.remove}
        wanted = [tag for tag in (*before, *arguments.tags) if clean_tag(tag) not in gone]
        host, session, title = row.host, row.id, row.title
        result = bank.act(lambda curator: tag_session(curator, host, session, wanted, title))
        bank.tell(result, tags=list(bank.workspace.tags.get(ref, ())))
    return OK
