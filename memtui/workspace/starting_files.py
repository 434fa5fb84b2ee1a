"""What hosts send before memtui's block, for a session in the open workspace's folder."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from memtui.agents.costs import files_before, where_of
from memtui.agents.instructions import Part

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

_VERSION = (
    "SELECT version FROM sessions WHERE host = ? AND version IS NOT NULL AND version <> ''"
    " ORDER BY ended DESC LIMIT 1"
)


def starting_files(workspace: Workspace, host: str) -> tuple[Part, ...]:
    """The instruction files and the host's own memory, in its order. Blocks. Raises sqlite3.Error."""
    setting = workspace.setting
    home = setting.home
    version = _version(workspace, host)
    where = where_of(setting.cwd, home.home, setting.project_root, home.environ, version)
    return files_before(host, where)


def _version(workspace: Workspace, host: str) -> str:
    """The host's version as its newest transcript tells it: what it reads depends on that."""
    with closing(workspace.catalogue.reader()) as db:
        row = db.execute(_VERSION, (host,)).fetchone()
    return str(row[0]) if row else ""
