"""What the screen needs from below: an open bank with its sessions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memtui.agents.instructions import Part
    from memtui.agents.receipts import Delivery
    from memtui.clock import Clock
    from memtui.sessions.timeline import Timeline
    from memtui.sessions.turn import TurnDetail
    from memtui.settings import Settings
    from memtui.workspace.beginning import Beginning
    from memtui.workspace.curating import Curating
    from memtui.workspace.drafting import Drafting
    from memtui.workspace.everywhere import Everywhere
    from memtui.workspace.finding import Finding
    from memtui.workspace.live import Live
    from memtui.workspace.model import (
        BankView,
        ClaimView,
        EvidenceView,
        ItemView,
        Looked,
        PastDecision,
        Preview,
        PreviewOptions,
        ScanProgress,
        StatusNote,
    )
    from memtui.workspace.projects import Projects
    from memtui.workspace.recalling import Recalling
    from memtui.workspace.session_tools import SessionTools
    from memtui.workspace.upkeep import Upkeep
    from memtui.workspace.watching import Watching


class AgentsCore(Protocol):
    """What agents get and what became of it. All of it belongs in a worker but `notes`."""

    def settle(self) -> object:
        """Take in what hooks left, and compare it with the transcripts. Blocks."""
        ...

    def deliveries(self, session: str) -> tuple[Delivery, ...]:
        """What a session (`host:session`) was sent and what became of it. Blocks."""
        ...

    def past(self, handle: str) -> tuple[PastDecision, ...]:
        """What became of an item in past sessions, newest first. Blocks."""
        ...

    def resumed(self, options: PreviewOptions) -> PreviewOptions:
        """`options` with the lines that the newest session has already, if it is resumed. Blocks."""
        ...

    def starting_files(self, host: str) -> tuple[Part, ...]:
        """What a host sends before memtui's block, in its order. Blocks."""
        ...


class Core(Protocol):
    """The open bank that screen and commands share. All but the quick calls belong in a worker."""

    @property
    def bank_root(self) -> Path | None:
        """The bank's folder, None without a bank."""
        ...

    @property
    def bank_name(self) -> str:
        """What the bank is called."""
        ...

    @property
    def project_root(self) -> Path | None:
        """The project's folder."""
        ...

    @property
    def cwd(self) -> Path:
        """The working folder."""
        ...

    @property
    def home(self) -> Path:
        """The home folder of the agent hosts."""
        ...

    @property
    def project(self) -> str:
        """The project's name."""
        ...

    @property
    def branch(self) -> str:
        """The branch checked out."""
        ...

    @property
    def agents(self) -> AgentsCore:
        """The side that agents see."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock that ages go by."""
        ...

    @property
    def config_folder(self) -> Path:
        """Where settings and themes of the user lie."""
        ...

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        ...

    def settle(self, *, drift: bool = True) -> BankView:
        """Ask git and the transcripts what holds, and keep the index in step. Blocks.

        The view that was read last, the very same object unless something that it shows changed.
        """
        ...

    @property
    def curating(self) -> Curating:
        """Acts on the bank. Raises CurateError without one."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Inbox and sleep."""
        ...

    @property
    def drafting(self) -> Drafting:
        """Drafts of cards from the sessions."""
        ...

    @property
    def live(self) -> Live:
        """The sessions that run beside us. Quick; what it offers blocks."""
        ...

    def close(self) -> None:
        """Close what acts opened."""
        ...

    def beginnings(self) -> tuple[Beginning, ...]:
        """The places where this project can begin a bank, the usual one first. Blocks."""
        ...

    def begin(self, at: Beginning) -> Path:
        """Begin a bank there and open it. Blocks. Raises CurateError, OSError."""
        ...

    def preview(self, view: BankView, options: PreviewOptions) -> Preview:
        """What the next session receives. Pure and quick."""
        ...

    @property
    def hidden(self) -> frozenset[str]:
        """The hidden sessions, as `host:session`."""
        ...

    def timeline(
        self,
        facet: str,
        collapsed: frozenset[int] = frozenset(),
        *,
        with_hidden: bool = False,
        among: frozenset[str] | None = None,
    ) -> Timeline:
        """The sessions and their rows, or only those `among` these (`host:session`). Quick."""
        ...

    @property
    def tags(self) -> Mapping[str, tuple[str, ...]]:
        """The tags of sessions, by `host:session`."""
        ...

    @property
    def projects(self) -> Projects:
        """All projects of this user. Quick; what it does blocks."""
        ...

    @property
    def everywhere(self) -> Everywhere:
        """Search over all projects. Quick; what it does blocks."""
        ...

    @property
    def session_tools(self) -> SessionTools:
        """What can be done with one session. Quick; what it does blocks."""
        ...

    def turn(self, session: int, seq: int) -> TurnDetail:
        """One row in full. Reads the transcript; KeyError when there is none."""
        ...

    def evidence(self, item: ItemView) -> tuple[EvidenceView, ...]:
        """The item's citations, each checked against its transcript. Blocks."""
        ...

    def claims(self, view: BankView, page: ItemView) -> tuple[ClaimView, ...]:
        """A page's claims with the cards that they cite."""
        ...

    def scan(
        self,
        progress: Callable[[ScanProgress], None],
        cancelled: Callable[[], bool],
        paused: Callable[[], bool],
    ) -> object:
        """Catalogue what is new in the transcripts. Blocks, and waits while it is paused."""
        ...

    def update(self, paths: tuple[Path, ...], *, whole: bool = True) -> object:
        """Catalogue what is new in these transcripts. Blocks. Not `whole` while a scan runs."""
        ...

    def read_text(self, told: Callable[[float], None], cancelled: Callable[[], bool]) -> bool:
        """Make more of the sessions' text findable; whether all of it is. Blocks for long."""
        ...

    def find(self, sessions: Collection[int], words: Sequence[str]) -> frozenset[tuple[int, int]]:
        """The rows of these sessions that hold all words, by session and sequence number. Blocks."""
        ...

    @property
    def watching(self) -> Watching:
        """What changes under the bank and the transcripts. Quick."""
        ...

    def looked(self) -> tuple[Looked, ...]:
        """Where a bank and sessions were looked for."""
        ...

    @property
    def recalling(self) -> Recalling | None:
        """Search in the bank; None without one. Its calls block."""
        ...

    @property
    def finding(self) -> Finding:
        """Search in the sessions. Its calls block."""
        ...

    @property
    def project_keys(self) -> tuple[str, ...]:
        """The folders that mean this project in transcripts."""
        ...

    def status(self) -> tuple[StatusNote, ...]:
        """What is off, behind or degraded, and why."""
        ...
