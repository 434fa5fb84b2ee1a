"""Where a workspace stands, found once when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtui.bank.events import writer_name
from memtui.bank.find import Place
from memtui.clock import Clock
from memtui.hosts.model import HostHome
from memtui.hosts.protocol import Host
from memtui.paths import Places
from memtui.settings import Settings
from memtui.workspace.model import StatusNote


@dataclass(slots=True)
class Setting:
    """Where a workspace stands: found once when it is opened."""

    cwd: Path
    project_root: Path | None
    branch: str
    places: Places
    settings: Settings
    clock: Clock
    home: HostHome
    hosts: tuple[Host, ...]
    looked: tuple[Place, ...] = ()
    notes: tuple[StatusNote, ...] = field(default=())
    environ: Mapping[str, str] = field(default_factory=dict)
    by_project: bool = False
    """Whether the project leads to the bank, without anybody naming it."""

    @property
    def writer(self) -> str:
        """Who acts here: one person on one machine."""
        return writer_name(self.environ)
