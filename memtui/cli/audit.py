"""`memtui audit`: everything that is stored, looked at again under the redaction rules as they are now."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from memtui.cli.asking import agreed
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.curate.act import CurateError
from memtui.curate.audit.model import Audit, to_json
from memtui.ledger.access import LedgerError
from memtui.safety.locks import LockedError
from memtui.safety.sanitize import one_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Look, or erase as well what is derived or local."""
    parser.epilog = "exit codes: 0 nothing was found, 1 something was found or left unread, 2 error"
    parser.add_argument(
        "--clean",
        action="store_true",
        help="erase what of it lies in the ledger (undo bytes, proposals, what was shown), the spool, the "
        "index and the catalogue; cards and pages are left to edit and purge; it cannot be undone",
    )
    parser.add_argument("--yes", action="store_true", help="with --clean: do not ask")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Look at everything, and say what was found where and what helps. Never prints what was found."""
    if arguments.clean and not agreed(
        "Erase for good what holds a secret in ledger, spool, index and catalogue?", arguments.yes
    ):
        raise CommandError("nothing was erased", code=NOT_FOUND)
    with context.open() as workspace:
        try:
            found = workspace.upkeep.audit(_tell, clean=arguments.clean)
        except CurateError as error:
            raise CommandError(error.what, error.do) from error
        except LockedError as error:
            raise CommandError(str(error), "try again when it is done") from error
        except (OSError, LedgerError) as error:
            raise CommandError(f"the audit stopped: {error}", "run it again") from error
    answer(context, to_json(found), _lines(found))
    return OK if found.clean else NOT_FOUND


def _tell(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        shown = one_line(what, 40)
        sys.stderr.write(f"\r\x1b[Klooking at {done}/{total} {shown}" if what else "\r\x1b[K")
        sys.stderr.flush()


def _lines(found: Audit) -> Iterator[str]:
    for spot in found.spots:
        where = f", {spot.where}" if spot.where else ""
        yield f"{spot.kind:<10}  {spot.kinds}: {spot.path}{where}"
        yield f"            {spot.do}"
    for path, why in found.unread:
        yield f"not read    {path}: {one_line(why, 160)}"
    yield from (f"cleaned     {line}" for line in found.cleaned)
    places = f"{found.looked} places, {found.bytes / 1e6:.1f} MB, {found.seconds:.1f} s"
    count = len(found.spots)
    what = (
        "nothing found"
        if not count
        else f"{count} place{'s hold' if count > 1 else ' holds'} something"
    )
    yield f"{what} under rules {found.rules} ({places})"
    if count:
        yield "injections hold such lines back; a git history, backups and the transcripts of hosts are yours"
