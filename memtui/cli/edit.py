"""`memtui edit`: a card or page as text, in $EDITOR or from a file."""

from __future__ import annotations

import argparse

from memtui.bank.model import Card, Page
from memtui.cli.asking import EditorFile, text_from
from memtui.cli.command import OK, CommandError, Context
from memtui.cli.desk import CODES, Desk, desk
from memtui.curate.act import ActResult, ConflictError, CurateError, NothingToDoError
from memtui.curate.edit import EditError
from memtui.curate.verbs import begin_edit, edit


def configure(parser: argparse.ArgumentParser) -> None:
    """What to edit, and where the new text comes from."""
    parser.epilog = CODES
    parser.add_argument("item", metavar="ITEM", help="handle or name of a card or page")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="take the whole new text from this file, `-` for standard input; else $VISUAL or $EDITOR opens",
    )
    parser.add_argument("--reason", default="", help="why, for the history")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Save the new text. What was typed is never lost: on an error it stays in a file that is named."""
    with desk(context) as bank:
        [item] = bank.items([arguments.item])
        base = bank.ask(lambda curator: begin_edit(curator, item))
        if arguments.source is not None:
            result = _save(bank, item, base, text_from(arguments.source), arguments.reason)
        else:
            result = _edited(bank, item, base, arguments.reason)
        bank.tell(result)
    return OK


def _edited(bank: Desk, item: Card | Page, base: bytes, reason: str) -> ActResult:
    file = EditorFile(item.name, base)
    new = file.edit(bank.context.environ)
    try:
        result = _save(bank, item, base, new, reason)
    except NothingToDoError:
        file.forget()
        raise
    except (CurateError, CommandError, OSError) as error:
        kept = f"your text is in {file.path}: `memtui edit {item.name} --from` takes it"
        if isinstance(error, ConflictError):
            error.do = kept
            raise
        raise CommandError(str(error), kept, lines=getattr(error, "lines", ())) from error
    file.forget()
    return result


def _save(bank: Desk, item: Card | Page, base: bytes, new: bytes, reason: str) -> ActResult:
    try:
        return bank.act(lambda curator: edit(curator, item, base, new, reason))
    except EditError as error:
        lines = [f"  line {found.line or '?'}: {found.message}" for found in error.problems]
        problems = [{"line": found.line, "message": found.message} for found in error.problems]
        raise CommandError(
            error.what, error.do, more={"problems": problems}, lines=lines
        ) from error
