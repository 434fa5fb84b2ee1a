"""`docs/commands.md` says what the parsers say, and `--help` names every command."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from memtui.cli.main import COMMANDS, build_parser, command_parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """# Commands

Every key has a command twin. `memtui COMMAND --help` says what is said here; `--json` answers in JSON,
errors too, which then go to standard error as `{"error": ..., "do": ...}`. Before the command stand
`--bank PATH` (the bank to use), `--json`, `--version`, and for the app `--ascii` and `--theme NAME`.

Commands may run beside the open app and beside each other: each act takes the bank's `write` lock for
its own length, a file that changed since it was read is a conflict and never overwritten, and the app
follows. What a command did is taken back with `memtui undo` or with `u` in the app.

Exit codes: 0 done; 1 nothing found, nothing to do, or a check failed; 2 an error that says what to do;
3 a conflict, shown with its texts. A card or page is named by its handle or name, a session as
`host:id`, a turn as `host:id#record`, an act by its id or the first letters of it.
"""


def render() -> str:
    """The page as the parsers have it."""
    lines = [HEAD]
    for name in COMMANDS:
        lines += [f"## {name}", "", *_command(command_parser(name))]
    return "\n".join(lines)


def _command(parser: argparse.ArgumentParser) -> Iterable[str]:
    yield _sentence(parser.description or "")
    yield ""
    rows = [row for action in parser._actions for row in _row(action)]
    if rows:
        yield from ("| argument | what it does |", "|---|---|", *rows, "")
    if parser.epilog:
        yield _sentence(parser.epilog)
        yield ""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield f"### {parser.prog.removeprefix('memtui ')} {name}"
                yield ""
                yield from _command(below)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _row(action: argparse.Action) -> Iterable[str]:
    if action.help == argparse.SUPPRESS or action.dest in ("help", "json"):
        return
    shown = ", ".join(action.option_strings) or _value(action)
    if action.option_strings and action.nargs != 0:
        shown += f" {_value(action)}"
    cells = (f"`{shown}`", action.help or "")
    yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _value(action: argparse.Action) -> str:
    if action.choices is not None:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        name = str(action.metavar or action.dest.upper())
    return f"{name} ..." if action.nargs in ("+", "*") else name


def test_the_page_is_what_the_parsers_say() -> None:
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(render(), "utf-8")
    assert PAGE.read_text("utf-8") == render()


def test_help_names_every_command() -> None:
    told = build_parser().format_help()
    for name, text in COMMANDS.items():
        assert f"  {name:<10} {text}" in told


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_of_every_command_is_explained(name: str) -> None:
    parser = command_parser(name)
    assert parser.format_help().startswith(f"usage: memtui {name}")
    for action in parser._actions:
        assert action.help, f"{name}: {action.dest}"
