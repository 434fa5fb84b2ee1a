"""What the commands about one session share: finding it, and saying what stands in the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memtui.cli.command import ERROR, NOT_FOUND, CommandError
from memtui.cli.scanning import scan_first
from memtui.sessions.timeline_rows import SessionRow
from memtui.workspace.session_tools import ToolError
from memtui.workspace.workspace import Workspace

SESSION_HELP = "the session as host:id, its id, or how that begins"


def session_named(workspace: Workspace, word: str) -> SessionRow:
    """The session of that name, after what is new was catalogued. Raises CommandError."""
    scan_first(workspace)
    try:
        return workspace.session_tools.find(word)
    except ToolError as error:
        raise CommandError(error.what, error.do, NOT_FOUND) from error


@contextmanager
def tools_speaking() -> Iterator[None]:
    """Turn what the tools raise into errors of a command."""
    try:
        yield
    except ToolError as error:
        raise CommandError(error.what, error.do, ERROR) from error
    except BrokenPipeError:
        raise
    except (OSError, sqlite3.Error) as error:
        raise CommandError(str(error), "mend that, then try again") from error
