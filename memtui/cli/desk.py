"""What the commands that change a bank share: the open bank, what they name in it, and how they answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from memtui.bank.load import BankError
from memtui.bank.model import Card, Page
from memtui.cli.command import CONFLICT, NOT_FOUND, CommandError, Context, answer
from memtui.curate.act import ActResult, Conflict, ConflictError, CurateError, NothingToDoError
from memtui.curate.curator import Curator
from memtui.curate.healing import Healed
from memtui.curate.hunks import text_of, unified
from memtui.ledger.access import LedgerError
from memtui.safety.sanitize import sanitize
from memtui.workspace.model import BankView, ItemView

if TYPE_CHECKING:
    from memtui.workspace.curating import Curating, Reloaded
    from memtui.workspace.workspace import Workspace

Answer = TypeVar("Answer")
CODES = (
    "exit codes: 0 done, 1 nothing to do or no such thing, 2 error, 3 conflict; "
    "nothing was changed but for 0"
)


@dataclass
class Desk:
    """The open bank, with what a killed process left behind made whole and outside edits recorded."""

    workspace: Workspace
    context: Context
    curating: Curating
    view: BankView

    def views(self, words: Iterable[str]) -> list[ItemView]:
        """The cards and pages of these handles or names, each once. Raises CommandError."""
        found = {}
        for word in words:
            view = self.view.find(word) or self._of_file(word)
            if view is None:
                raise CommandError(
                    f"no card or page is called {word}",
                    "`memtui cards` and `memtui pages` list what there is",
                    NOT_FOUND,
                )
            found[view.item.id] = view
        return list(found.values())

    def _of_file(self, word: str) -> ItemView | None:
        """The item whose file is called so: hosts give a file another name than its text says."""
        stem = word.removesuffix(".md")
        both = (*self.view.cards, *self.view.pages)
        return next((view for view in both if view.item.path.stem == stem), None)

    def items(self, words: Iterable[str]) -> list[Card | Page]:
        """Like `views`, without what was computed about them."""
        return [view.item for view in self.views(words)]

    def cards(self, words: Iterable[str]) -> list[Card]:
        """The cards of these names. Raises CommandError for a page."""
        items = self.items(words)
        for item in items:
            if not isinstance(item, Card):
                raise CommandError(f"{item.name} is a page", "name cards only")
        return [item for item in items if isinstance(item, Card)]

    def act(self, verb: Callable[[Curator], ActResult]) -> ActResult:
        """Do one act. Raises what `speaking` translates."""
        done = self.curating.act(verb)
        self.take(done.after)
        return done.result

    def take(self, after: Reloaded) -> None:
        """Go on with the bank as it was read again; what could not be recorded is said."""
        self.view = after.view
        if after.problem:
            sys.stderr.write(sanitize(f"memtui: {after.problem}") + "\n")

    def ask(self, question: Callable[[Curator], Answer]) -> Answer:
        """Ask the curator what changes nothing."""
        return self.curating.ask(question)

    def tell(self, result: ActResult, lines: Sequence[str] = (), **more: Any) -> None:
        """Say what an act did, and how it is taken back."""
        undo = [f"`memtui undo` takes it back (act {result.act})"] if result.undoable else []
        answer(self.context, {**result_json(result), **more}, [result.summary, *lines, *undo])


@contextmanager
def desk(context: Context) -> Iterator[Desk]:
    """Open the bank to act on it. Raises CommandError for everything that a verb may raise."""
    with context.open() as workspace, speaking():
        curating = workspace.curating
        _tell_healed(curating.heal())
        after = curating.reload()
        opened = Desk(workspace, context, curating, after.view)
        opened.take(after)
        yield opened


def _tell_healed(healed: Healed) -> None:
    for acts, what in ((healed.done, "finished"), (healed.undone, "taken back")):
        if acts:
            sys.stderr.write(f"memtui: acts cut off by a killed process, now {what}: {len(acts)}\n")


@contextmanager
def speaking() -> Iterator[None]:
    """Turn what verbs raise into errors of a command, each with its exit code."""
    try:
        yield
    except ConflictError as error:
        raise _conflict(error) from error
    except NothingToDoError as error:
        raise CommandError(error.what, error.do, NOT_FOUND) from error
    except CurateError as error:
        raise CommandError(error.what, error.do) from error
    except LedgerError as error:
        raise CommandError(str(error), "`memtui doctor` says more") from error
    except BankError as error:
        raise CommandError(str(error), "name a bank with --bank") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        do = "mend that, then try again; `memtui history` says whether the act was done"
        raise CommandError(str(error), do) from error


def result_json(result: ActResult) -> dict[str, Any]:
    """One act for a program."""
    return {
        "act": result.act,
        "verb": result.verb,
        "summary": result.summary,
        "items": list(result.items),
        "undoable": result.undoable,
        **({"details": dict(result.details)} if result.details else {}),
    }


def _conflict(error: ConflictError) -> CommandError:
    lines = [line for found in error.conflicts for line in conflict_lines(found)]
    more = {"conflicts": [conflict_json(found) for found in error.conflicts]}
    return CommandError(error.what, error.do, CONFLICT, more, lines)


def conflict_json(conflict: Conflict) -> dict[str, Any]:
    """The three texts of a conflict; None where there is no file."""
    texts = {"theirs": conflict.theirs, "ours": conflict.ours, "base": conflict.base}
    return {
        "path": conflict.path,
        **{name: None if data is None else text_of(data) for name, data in texts.items()},
    }


def conflict_lines(conflict: Conflict) -> list[str]:
    """What somebody else changed, and what this act would make of it."""
    theirs = unified(conflict.base, conflict.theirs, conflict.path)
    ours = unified(conflict.theirs, conflict.ours, conflict.path)
    return [
        "",
        f"{conflict.path}: changed since:",
        *theirs.splitlines(),
        "",
        f"{conflict.path}: what this would write:",
        *ours.splitlines(),
    ]
