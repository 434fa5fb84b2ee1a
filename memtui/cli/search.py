"""`memtui search`: the best cards and pages for a query, or the turns of sessions."""

from __future__ import annotations

import argparse
import sqlite3
import sys

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.found import notes_to_stderr, results_json, results_lines, turns_json, turns_lines
from memtui.cli.scanning import scan_first
from memtui.ledger.access import LedgerError
from memtui.recall.model import Mode, Note, Results
from memtui.workspace.model import BankView
from memtui.workspace.recalling import Ask, Recalling
from memtui.workspace.workspace import Workspace

WAIT = "--mode hybrid waits for it"


def configure(parser: argparse.ArgumentParser) -> None:
    """What to search for, where and how."""
    parser.add_argument(
        "query",
        nargs="+",
        help='words, names, "phrases"; type: tag: trust: status: project: branch: since: narrow it',
    )
    parser.add_argument("--sessions", action="store_true", help="search the turns of the sessions")
    parser.add_argument("--all", action="store_true", help="every project, not only this one")
    parser.add_argument(
        "--mode", choices=[mode.value for mode in Mode], default=Mode.AUTO.value,
        help="auto: by words, and by meaning where the model is loaded already;"
        " hybrid and semantic load it first",
    )  # fmt: skip
    parser.add_argument("--limit", type=_positive, default=10, metavar="N", help="results (10)")
    parser.add_argument(
        "--budget", type=_positive, metavar="N", help="tokens that results may cost"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="the terms of each score, and what fell out and where",
    )
    parser.add_argument(
        "--why", metavar="NAME", help="at which stage this card or page (handle or name) fell out"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the results, best first. Exit code 1 when nothing was found."""
    query = " ".join(arguments.query)
    with context.open() as workspace:
        view = workspace.load()
        if arguments.sessions:
            return _sessions(workspace, query, arguments, context)
        recalling = workspace.recalling
        if recalling is None:
            raise CommandError(
                "no bank for this project yet",
                "`memtui init` begins one; `memtui search --sessions` searches the sessions",
            )
        return _bank(recalling, view, query, arguments, context)


def _bank(
    recalling: Recalling,
    view: BankView,
    query: str,
    arguments: argparse.Namespace,
    context: Context,
) -> int:
    mode = Mode(arguments.mode)
    ask = Ask(query, everywhere=arguments.all, mode=mode, limit=arguments.limit)
    if arguments.budget is not None:
        settings, _ = recalling.policy()
        ask = Ask(
            query, arguments.all, None, mode, arguments.limit,
            settings.with_values(budget=arguments.budget),
        )  # fmt: skip
    if mode in (Mode.HYBRID, Mode.SEMANTIC):
        recalling.warm(_progress)
    if arguments.why is not None:
        return _why(recalling, arguments.why, ask, context)
    results = recalling.search(ask)
    notes = tuple(_how_to_wait(note, mode) for note in results.degraded)
    lines = results_lines(results, view, explain=arguments.explain)
    answer(context, results_json(results, notes, explain=arguments.explain), lines)
    if not context.json:
        notes_to_stderr(notes)
    _log(recalling, results)
    return OK if results.hits else NOT_FOUND


def _why(recalling: Recalling, name: str, ask: Ask, context: Context) -> int:
    from memtui.cli.found import explanation_json, explanation_lines

    found = recalling.explain(name, ask)
    if found.stage == "unknown":
        raise CommandError(
            f"nothing is called {name}", "`memtui cards` lists what there is", NOT_FOUND
        )
    answer(context, explanation_json(found), explanation_lines(found))
    return OK


def _sessions(
    workspace: Workspace, query: str, arguments: argparse.Namespace, context: Context
) -> int:
    scan_first(workspace)
    try:
        workspace.finding.fill()
    except sqlite3.Error as error:
        raise CommandError(
            f"the full text cannot be updated: {error}", "`memtui doctor` says where it lies"
        ) from error
    projects = None if arguments.all else workspace.project_keys
    found = workspace.finding.search(query, projects, workspace.hidden, arguments.limit)
    answer(context, turns_json(found), turns_lines(found))
    if not context.json:
        notes_to_stderr(found.degraded)
    return OK if found.turns else NOT_FOUND


def _log(recalling: Recalling, results: Results) -> None:
    """Keep it in the ledger, once the answer is out: opening the ledger takes half a second."""
    sys.stdout.flush()
    try:
        recalling.log(results)
    except (OSError, LedgerError) as error:
        sys.stderr.write(f"memtui: this search was not logged: {error}\n")


def _how_to_wait(note: Note, mode: Mode) -> Note:
    """Here nothing loads in the background."""
    if note.topic == "semantic" and "not loaded" in note.message and mode is Mode.AUTO:
        return Note(note.topic, note.message, WAIT)
    return note


def _progress(done: int, of: int) -> bool:
    if sys.stderr.isatty():
        sys.stderr.write(f"\rembedding: {done} of {of} " + ("\n" if done >= of else ""))
    return True


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("wanted 1 or more")
    return value
