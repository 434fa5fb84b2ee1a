"""What `undo`, `redo` and `revert` share: the answer to files that changed since."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

from memtui.cli.asking import text_from
from memtui.cli.command import OK, CommandError, Context, answer
from memtui.cli.desk import CODES, Desk, desk, result_json
from memtui.curate.act import ActResult, Conflict, ConflictError, NothingToDoError, Resolution
from memtui.curate.curator import Curator

Verb = Callable[[Curator, Resolution | None], ActResult]


def options(parser: argparse.ArgumentParser, what: str) -> None:
    """The options of undo and redo."""
    parser.epilog = CODES
    parser.add_argument("-n", "--count", type=int, default=1, metavar="N", help=f"{what} N acts")
    resolving(parser)


def resolving(parser: argparse.ArgumentParser) -> None:
    """The option that answers conflicts."""
    parser.add_argument(
        "--resolve",
        action="append",
        default=[],
        metavar="[PATH=]SIDE",
        help="where a file changed since: `ours` writes what this act wants, `theirs` keeps what is there, "
        "`@FILE` writes the text of FILE; for one file of the bank (`cards/x.md=ours`) or for all others; "
        "repeatable; without it nothing is changed and the texts are shown",
    )


def again(arguments: argparse.Namespace, context: Context, verb: Verb) -> int:
    """Call the verb as often as asked; what could be done before it stopped stays done."""
    results: list[ActResult] = []
    with desk(context) as bank:
        try:
            for _ in range(max(1, arguments.count)):
                results.append(_once(bank, verb, arguments.resolve))
        except NothingToDoError:
            if not results:
                raise
        except BaseException:
            if results:
                _tell(context, results)
            raise
    _tell(context, results)
    return OK


def _tell(context: Context, results: list[ActResult]) -> None:
    answer(context, [result_json(result) for result in results], [r.summary for r in results])


def _once(bank: Desk, verb: Verb, resolve: Sequence[str]) -> ActResult:
    try:
        return bank.act(lambda curator: verb(curator, None))
    except ConflictError as error:
        if not resolve:
            error.do = "--resolve ours writes what this wants, --resolve theirs keeps what is there"
            raise
        chosen = resolution(error.conflicts, resolve)
    return bank.act(lambda curator: verb(curator, chosen))


def resolution(conflicts: Iterable[Conflict], words: Sequence[str]) -> dict[str, bytes | None]:
    """What to write for each path in conflict. Raises CommandError for a word that says nothing.

    A path that no word answers is left out: it stays a conflict.
    """
    sides = dict(_side(word) for word in words)
    found = {}
    for conflict in conflicts:
        side = sides.get(conflict.path, sides.get(""))
        if side is not None:
            found[conflict.path] = _text(conflict, side)
    return found


def _side(word: str) -> tuple[str, str]:
    """The path of an answer ("" for all others) and its side."""
    path, _, side = word.rpartition("=") if not word.startswith("@") else ("", "", word)
    if side not in ("ours", "theirs") and not side.startswith("@"):
        raise CommandError(
            f"--resolve {word} names no side",
            "write ours, theirs or @FILE, after PATH= for one file",
        )
    return path, side


def _text(conflict: Conflict, side: str) -> bytes | None:
    if side.startswith("@"):
        return text_from(side[1:])
    return conflict.ours if side == "ours" else conflict.theirs
