"""What the next session costs in all. Files are read when their folder or they themselves changed."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from memtui.agents.costs import Cost, next_session, where_of
from memtui.inject.model import Plan

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

_VERSION = (
    "SELECT version FROM sessions WHERE host = ? AND version IS NOT NULL AND version <> ''"
    " ORDER BY ended DESC LIMIT 1"
)


class Costing:
    """Adds up the parts. Safe from any thread; texts are kept by their files' times."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def cost(self, host: str, plan: Plan | None) -> Cost:
        """All parts for `host` in its order. Blocks."""
        setting = self._workspace.setting
        where = where_of(
            setting.cwd,
            setting.home.home,
            setting.project_root,
            setting.home.environ,
            self._version(host),
        )
        return next_session(host, where, plan)

    def _version(self, host: str) -> str:
        """The host's version as its newest transcript tells it."""
        with closing(self._workspace.catalogue.reader()) as db:
            row = db.execute(_VERSION, (host,)).fetchone()
        return str(row[0]) if row else ""
