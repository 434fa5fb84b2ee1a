"""`memtui candidates`: what of a session could be promoted, with its evidence."""

from __future__ import annotations

import argparse
import shlex

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import speaking
from memtui.cli.promote import draft_json
from memtui.cli.scanning import scan_first
from memtui.workspace.drafting import Offer, UnknownTurnError


def configure(parser: argparse.ArgumentParser) -> None:
    """Which session."""
    parser.epilog = "exit codes: 0 done, 1 nothing found, 2 error"
    parser.add_argument("session", metavar="SESSION", help="the session as host:id")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """List the drafts, best first; each says how it is promoted."""
    with context.open() as workspace, speaking():
        scan_first(workspace)
        try:
            found = workspace.drafting.offers_of(arguments.session)
        except UnknownTurnError as error:
            raise CommandError(str(error), "`memtui sessions` lists them", NOT_FOUND) from error
    data = [{"reason": one.reason, **draft_json(one.material.draft)} for one in found]
    answer(context, data, [line for one in found for line in _lines(one)])
    return OK if found else NOT_FOUND


def _lines(found: Offer) -> list[str]:
    draft = found.material.draft
    refs = " ".join(shlex.quote(cited.ref) for cited in draft.evidence)
    quotes = [f"    {cited.quote!r}" for cited in draft.evidence if cited.quote]
    return [f"{found.reason}: {draft.title}", *quotes, f"  memtui promote {refs}"]
