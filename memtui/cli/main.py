"""The `memtui` command: opens the app, or runs one of the command twins."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from memtui.cli.command import ERROR, CommandError, Context, complain

COMMANDS = {
    "demo": "open a copy of the sample bank",
    "init": "begin a bank for this project",
    "projects": "every project over all hosts: open one, or search all of them",
    "sessions": "list the sessions of this project",
    "watch": "follow the live session of this folder, in a narrow pane beside the agent",
    "hosts": "list the agent hosts whose sessions are read, and what was found",
    "show": "print a session, turn, card, page or citation",
    "cards": "list the cards of the bank",
    "pages": "list the pages of the bank",
    "search": "search the bank, or the sessions, by words and meaning",
    "similar": "list the cards and pages that say nearly the same",
    "retrievals": "list what was searched for, by whom, and what came of it",
    "walk": "print the chain from a page or card down to the sessions that earned it",
    "inject": "print exactly what the next session receives",
    "why": "say why a card is shown or held back, next time and in past sessions",
    "inbox": "list what was proposed; accept, reject or change it",
    "sleep": "read finished sessions, propose, put away: a plan, or its safe part",
    "audit": "look at everything that is stored for secrets, under the redaction rules as they are",
    "install": "let an agent host run memtui's hooks",
    "uninstall": "take memtui's hooks out of an agent host",
    "deliveries": "list what sessions were sent and what became of it",
    "mcp": "serve the memory tools to an agent, on standard input and output",
    "promote": "save marked turns as a card, or bring cards and pages back up",
    "demote": "take cards and pages a step down",
    "pin": "put cards and pages first in the injection",
    "confirm": "say that cards and pages are true",
    "flag": "say that cards and pages are wrong or doubtful, and why",
    "edit": "edit a card or page as text",
    "supersede": "let one card or page replace others",
    "merge": "make one card or page of several",
    "compile": "make a page of cards, or rebuild it from the cards that hold",
    "purge": "erase a card or page from every place, for good",
    "candidates": "list what of a session could be promoted",
    "hide": "take a session from lists and search",
    "tag": "put words of your own on a session",
    "resume": "print the command that goes on with a session",
    "open": "read a session in $PAGER, or open its file in $EDITOR",
    "export": "write a session as Markdown, secrets masked",
    "undo": "take back your last act",
    "redo": "do again what was undone last",
    "revert": "take back one act out of the middle, or somebody else's",
    "history": "list what happened, newest first, with diffs, and the bank as of a day",
    "lint": "list what is wrong in the bank, and what helps",
    "log": "print what happened to the bank, oldest first",
    "doctor": "say what was found, what was skipped and why",
    "config": "show each setting and where it came from",
}


def build_parser() -> argparse.ArgumentParser:
    """The options that stand before a command; each command adds its own."""
    parser = argparse.ArgumentParser(
        prog="memtui",
        description="Browse and curate what your coding agent remembers.",
        epilog="commands:\n"
        + "\n".join(f"  {name:<10} {text}" for name, text in COMMANDS.items())
        + "\n\n`memtui` alone opens the bank of this project; `memtui PATH` opens a bank folder.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--bank", type=Path, metavar="PATH", help="the bank folder to use")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    parser.add_argument("--theme", metavar="NAME", help="start with this theme")
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="COMMAND | PATH", help="see below"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run memtui. Returns the exit code: 0 done, 1 nothing found, 2 error."""
    arguments = build_parser().parse_args(argv)
    try:
        return _dispatch(arguments)
    except CommandError as error:
        complain(error, arguments.json)
        return error.code
    except BrokenPipeError:
        # The reader went away: the usual end of `memtui ... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _dispatch(arguments: argparse.Namespace) -> int:
    if arguments.version:
        from importlib.metadata import version

        print(f"memtui {version('memtui')}")
        return 0
    words: list[str] = arguments.words
    if words and words[0] in COMMANDS:
        return _run_command(words[0], words[1:], arguments)
    if len(words) > 1:
        raise CommandError(
            f"unknown command: {words[0]}", "`memtui --help` lists the commands", ERROR
        )
    from memtui.cli.app import run_app

    path = Path(words[0]) if words else None
    return run_app(_context(arguments), path, ascii_only=arguments.ascii, theme=arguments.theme)


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    parser = argparse.ArgumentParser(prog=f"memtui {name}", description=COMMANDS[name])
    _module(name).configure(parser)
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    return parser


def _run_command(name: str, rest: Sequence[str], arguments: argparse.Namespace) -> int:
    own = command_parser(name).parse_args(rest)
    own.ascii, own.theme = arguments.ascii, arguments.theme
    arguments.json = arguments.json or own.json
    return int(_module(name).run(own, _context(arguments)))


def _module(name: str) -> ModuleType:
    return import_module(f"memtui.cli.{name}")


def _context(arguments: argparse.Namespace) -> Context:
    return Context(
        bank=arguments.bank, json=arguments.json, environ=dict(os.environ), cwd=Path.cwd()
    )


if __name__ == "__main__":
    sys.exit(main())
