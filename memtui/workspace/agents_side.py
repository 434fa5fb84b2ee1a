"""What agents get from an open bank, and what became of it: one door for screen and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.agents.announce import announce
from memtui.agents.payload import RESUME
from memtui.paths import bank_key
from memtui.workspace.model import Finding, PastDecision, PreviewOptions, StatusNote

if TYPE_CHECKING:
    from memtui.agents.instructions import Part
    from memtui.agents.receipts import Delivery
    from memtui.workspace.delivering import Delivering, Settled
    from memtui.workspace.workspace import Workspace


class AgentsSide:
    """Announces the bank to hooks, settles deliveries, adds up costs. Without a bank it has nothing to say.

    `announces` is switched off where no person opened the bank (`memtui mcp`).
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._delivering: Delivering | None = None
        self._health: tuple[Finding, ...] = ()
        self.announces = True

    @property
    def key(self) -> str:
        """What the bank's folders in state and cache are called, "" without a bank."""
        root = self._workspace.bank_root
        return bank_key(self._workspace.config.id, root) if root else ""

    def announce(self) -> None:
        """Let hooks find the bank: by its folder, and by the project that leads to it. Raises OSError."""
        workspace, setting = self._workspace, self._workspace.setting
        if workspace.bank_root is None or not self.announces:
            return
        project = setting.project_root if setting.by_project else None
        announce(setting.places, workspace.config.id, workspace.bank_root, project)

    def settle(self) -> Settled:
        """Take in what hooks left and settle what the transcripts tell; then look at the hooks' health.

        Blocks. Raises OSError, sqlite3.Error, LedgerError.
        """
        settled = self.take_in()
        self._health = self.examine()
        return settled

    def take_in(self) -> Settled:
        """Take in what hooks left and settle what the transcripts tell. Blocks, raises as `settle`."""
        from memtui.workspace.delivering import Settled

        found = self._deliveries()
        return found.settle() if found else Settled()

    def deliveries(self, session: str) -> tuple[Delivery, ...]:
        """What a session (`host:session`) was sent and what became of it, oldest first. Blocks."""
        found = self._deliveries()
        return found.of_session(session) if found else ()

    def all_deliveries(self, limit: int | None = None) -> tuple[Delivery, ...]:
        """The newest deliveries of this bank, oldest first. Blocks."""
        found = self._deliveries()
        return found.newest(limit) if found else ()

    def starting_files(self, host: str) -> tuple[Part, ...]:
        """What `host` sends before memtui's block, in its order. Blocks."""
        from memtui.workspace.starting_files import starting_files

        return starting_files(self._workspace, host)

    def resumed(self, options: PreviewOptions, session: str = "") -> PreviewOptions:
        """`options` with the lines that a resumed session has already: `session`, or the newest one.

        Other sources begin a context of their own. Blocks. Raises sqlite3.Error.
        """
        if options.source != RESUME:
            return options
        from memtui.workspace.resuming import resumed

        return resumed(self._workspace, options, session)

    def past(self, handle: str) -> tuple[PastDecision, ...]:
        """What became of a card or page in past sessions, newest first, from the log. Blocks."""
        found = self._deliveries()
        return found.past(handle) if found else ()

    def examine(self) -> tuple[Finding, ...]:
        """What is to say about the hooks of all hosts: installed, vanished, failing, gone quiet."""
        from memtui.workspace.hook_health import examine_hooks

        return examine_hooks(self._workspace, self._deliveries())

    def notes(self) -> tuple[StatusNote, ...]:
        """What the status bar must say about hooks, as of the last `settle`."""
        return tuple(
            StatusNote(finding.level, finding.message)
            for finding in self._health
            if finding.level in ("warning", "error")
        )

    def _deliveries(self) -> Delivering | None:
        workspace = self._workspace
        root, index = workspace.bank_root, workspace.index_path
        if self._delivering is None and root is not None and index is not None:
            from memtui.workspace.delivering import Delivering, Mail

            places = workspace.setting.places
            state = places.bank_state(workspace.config.id, root)
            mail = Mail(self.key, state, places.spool, index)
            self._delivering = Delivering(mail, workspace.catalogue, workspace.clock)
        return self._delivering
