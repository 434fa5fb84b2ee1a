"""The memory tools over an open workspace, served until the client goes away."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.agents.calling import Hooks, Sessions
from memtui.agents.mcp_server import serve
from memtui.agents.memory_tools import Caller, MemoryTools, ToolError
from memtui.agents.shelf import Place, Shelf
from memtui.bank.events import read_all
from memtui.bank.load import BankError
from memtui.curate.tombstones import Tombstones
from memtui.ledger.access import LedgerError, ledger_faults, using_ledger
from memtui.recall.model import SemanticState
from memtui.workspace.citing import evidence_folders

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

SEARCH = "memory_search"
"""The tool that is worth loading a model for."""


def serve_memory(workspace: Workspace, host: str, session: str) -> None:
    """Serve the tools over the workspace's bank; what changes in its folders is indexed before a call.

    `session` is that of all calls, "" to tell it for each (`memtui.agents.calling`). Raises ValueError
    without a bank, OSError when state or cache cannot be written.
    """
    root, index, files = workspace.bank_root, workspace.index_path, workspace.files
    recalling = workspace.recalling
    if root is None or index is None or files is None or recalling is None:
        raise ValueError("the memory tools need a bank")
    workspace.load()
    state = workspace.setting.places.bank_state(workspace.config.id, root)
    fresh = _Fresh(workspace, root)
    caller = Caller(session, workspace.branch, host)
    shelf = Shelf(Place(root, index, evidence_folders(files)))
    engine = recalling.engine
    with using_ledger(state) as ledger:

        def purged(title: str, body: str) -> bool:
            return Tombstones(read_all(files.events)[0]).cover(title, body)

        tools = MemoryTools(shelf, engine, ledger, workspace.clock, caller, purged)
        hooks = Hooks(workspace.setting.places.spool, workspace.agents.key, ledger)
        sessions = Sessions(host, session, workspace.setting.environ, hooks)

        def call(name: str, arguments: dict[str, Any] | None, meta: Mapping[str, Any]) -> str:
            try:
                fresh.look()
                if name == SEARCH and recalling.state is not SemanticState.OFF:
                    engine.semantic.start()
                with ledger_faults(state):
                    return tools.call(name, arguments, sessions.of(meta))
            except (BankError, LedgerError) as error:
                raise ToolError(f"the memory cannot be reached now: {error}") from error

        serve(call, version("memtui"))


class _Fresh:
    """Brings the index in step when a folder of the bank changed: an app may not be open."""

    def __init__(self, workspace: Workspace, root: Path) -> None:
        self._workspace = workspace
        self._root = root
        self._times = self._now()

    def look(self) -> None:
        """Load the bank again if files came, went or were replaced."""
        now = self._now()
        if now != self._times:
            self._workspace.load()
            self._times = now

    def _now(self) -> tuple[int, ...]:
        found = []
        for folder in (
            self._root,
            self._root / "cards",
            self._root / "pages",
            self._root / "events",
        ):
            try:
                found.append(folder.stat().st_mtime_ns)
            except OSError:
                found.append(0)
        return tuple(found)
