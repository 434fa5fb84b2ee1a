"""`memtui similar`: what says nearly the same as a card or page, or all near-duplicates of the bank."""

from __future__ import annotations

import argparse

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.found import document_json
from memtui.recall.corpus import CorpusError
from memtui.recall.model import Pair, Similar
from memtui.safety.sanitize import one_line
from memtui.workspace.recalling import Recalling


def configure(parser: argparse.ArgumentParser) -> None:
    """Which item, and how many."""
    parser.add_argument("name", nargs="?", help="handle or name; without it, all near-duplicates")
    parser.add_argument("--limit", type=int, default=8, metavar="N", help="at most N (8)")
    parser.add_argument(
        "--mode", choices=["words", "meaning"], default="words",
        help="meaning loads the model first, and embeds what has no vector yet",
    )  # fmt: skip


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print them, most alike first. Exit code 1 when there is nothing alike."""
    with context.open() as workspace:
        workspace.load()
        recalling = workspace.recalling
        if recalling is None:
            raise CommandError("no bank for this project", "`memtui --bank PATH similar NAME`")
        if arguments.mode == "meaning":
            recalling.warm()
        try:
            if arguments.name is None:
                return _pairs(recalling.duplicates(arguments.limit), context)
            return _similar(recalling, arguments.name, arguments.limit, context)
        except CorpusError as error:
            raise CommandError(error.note.message, error.note.fix) from error


def _similar(recalling: Recalling, name: str, limit: int, context: Context) -> int:
    try:
        found = recalling.similar(name, limit)
    except KeyError:
        raise CommandError(
            f"nothing is called {name}", "`memtui cards` and `pages` list what there is", NOT_FOUND
        ) from None
    data = [
        {
            **document_json(one.document),
            "similarity": round(one.similarity, 4),
            "measure": one.measure,
            "duplicate": one.duplicate,
        }
        for one in found
    ]
    answer(context, data, map(_line, found) if found else ["nothing is like it"])
    return OK if found else NOT_FOUND


def _pairs(pairs: list[Pair], context: Context) -> int:
    data = [
        {
            "left": document_json(pair.left),
            "right": document_json(pair.right),
            "similarity": round(pair.similarity, 4),
            "measure": pair.measure,
        }
        for pair in pairs
    ]
    answer(context, data, map(_pair_line, pairs) if pairs else ["no near-duplicates"])
    return OK if pairs else NOT_FOUND


def _line(one: Similar) -> str:
    same = "  nearly the same" if one.duplicate else ""
    title = one_line(one.document.title or one.document.name)
    return f"{one.similarity:.2f}  {one.document.id:<6}  {title}{same}"


def _pair_line(pair: Pair) -> str:
    left, right = one_line(pair.left.title), one_line(pair.right.title)
    return f"{pair.similarity:.2f}  {pair.left.id:<6} {left}  |  {pair.right.id:<6} {right}"
