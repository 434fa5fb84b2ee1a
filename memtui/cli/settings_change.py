"""What `install` and `uninstall` share: whose settings, the diff, the question, the answer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.agents.host_settings import HOST_SETTINGS, PROJECT, USER
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.safety.sanitize import sanitize

if TYPE_CHECKING:
    from memtui.agents.install import Change, Target


def configure_change(parser: argparse.ArgumentParser) -> None:
    """Host and level, `--print` and `--yes`."""
    parser.add_argument("host", choices=tuple(HOST_SETTINGS), help="the agent host")
    level = parser.add_mutually_exclusive_group()
    level.add_argument(
        "--user", dest="level", action="store_const", const=USER, default=USER,
        help="in your own settings, for every project (the default)",
    )  # fmt: skip
    level.add_argument(
        "--project", dest="level", action="store_const", const=PROJECT,
        help="in this project's settings only",
    )  # fmt: skip
    parser.add_argument("--print", dest="only_print", action="store_true", help="change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def target_of(arguments: argparse.Namespace, context: Context) -> Target:
    """Whose settings are meant. Raises CommandError for settings of memtui that cannot be read."""
    from memtui.agents.install import Target
    from memtui.bank.find import project_root
    from memtui.paths import places
    from memtui.settings import SettingsError, load_settings

    where = places(context.environ)
    try:
        own = load_settings(where.config, context.environ).hosts.home
    except SettingsError as error:
        raise CommandError(str(error), "correct the setting, then try again") from error
    # A home of its own (a demo) must not be left by the user's CLAUDE_CONFIG_DIR.
    home, environ = (Path(own).expanduser(), {}) if own else (Path.home(), context.environ)
    project = project_root(context.cwd, Path.home())
    return Target(arguments.host, home, where.state, arguments.level, project, environ)


def carry_out(
    change: Change, arguments: argparse.Namespace, context: Context, said: tuple[str, str]
) -> int:
    """Show the change, ask where that is wanted, write it. Raises InstallError, CommandError.

    `said` is what to say when there is nothing to do, and when it is done.
    """
    from memtui.agents.install import apply

    nothing, done = said
    if arguments.only_print or change.empty:
        answer(context, _json(change, False), _shown(change, nothing))
        return OK
    if not arguments.yes:
        if context.json or not sys.stdin.isatty():
            raise CommandError(
                "this changes settings and there is nobody to ask",
                "give --yes, or --print to look first",
            )
        for line in _shown(change, nothing):
            sys.stdout.write(sanitize(line) + "\n")
        if not _agreed(change.path):
            answer(context, _json(change, False), ["nothing was changed"])
            return NOT_FOUND
        apply(change)
        answer(context, _json(change, True), [done])
        return OK
    apply(change)
    answer(context, _json(change, True), [*_shown(change, nothing), done])
    return OK


def _shown(change: Change, nothing: str) -> list[str]:
    lines = [nothing] if change.empty else change.diff.splitlines()
    return [*lines, *(f"note: {note}" for note in change.notes)]


def _agreed(path: Path) -> bool:
    sys.stdout.write(f"Change {sanitize(str(path))}? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _json(change: Change, applied: bool) -> dict[str, Any]:
    return {
        "host": change.target.host,
        "level": change.target.level,
        "path": str(change.path),
        "changes": not change.empty,
        "applied": applied,
        "diff": change.diff,
        "notes": list(change.notes),
    }
