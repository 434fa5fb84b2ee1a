"""What `undo`, `redo` and `revert` share: the answer to files that changed since."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from memtui.cli.command import OK, Context, answer
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
        choices=("ours", "theirs"),
        help="where a file changed since: write what this act wants, or keep what is there; "
        "without it nothing is changed and the texts are shown",
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


def _once(bank: Desk, verb: Verb, resolve: str | None) -> ActResult:
    try:
        return bank.act(lambda curator: verb(curator, None))
    except ConflictError as error:
        if resolve is None:
            error.do = "--resolve ours writes what this wants, --resolve theirs keeps what is there"
            raise
        chosen = resolution(error.conflicts, resolve)
    return bank.act(lambda curator: verb(curator, chosen))


def resolution(conflicts: Iterable[Conflict], side: str) -> dict[str, bytes | None]:
    """What to write for each path in conflict."""
    return {found.path: found.ours if side == "ours" else found.theirs for found in conflicts}
