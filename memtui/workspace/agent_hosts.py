"""What is known of each agent host: where it keeps sessions, which were found, what it does not store."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memtui.workspace.watching import planned
from memtui.workspace.workspace import Workspace

_SESSIONS = (
    "SELECT host, COUNT(*), SUM(gone), MAX(ended), SUM(n_all) FROM sessions "
    "WHERE n_all > 0 AND agent = '' GROUP BY host"
)
_VERSIONS = "SELECT DISTINCT host, version FROM sessions WHERE version IS NOT NULL AND n_all > 0"
_SKIPPED = "SELECT host, SUM(count) FROM skipped GROUP BY host"


@dataclass(frozen=True, slots=True)
class HostView:
    """One host. `folders` are where it is looked for, `there` those that exist.

    `sessions` counts main sessions, `gone` those whose transcript is deleted, `records` rows of the
    timeline, `skipped` records that were not understood, `lacks` what the host never stores. `last` is
    the time of the newest row in milliseconds. `versions` are of the host's client, oldest first.
    `watched` is events or polling, with the reason; "" where there is no folder.
    """

    name: str
    label: str
    folders: tuple[Path, ...]
    there: tuple[Path, ...]
    sessions: int = 0
    gone: int = 0
    records: int = 0
    skipped: int = 0
    last: int | None = None
    versions: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    watched: str = ""

    @property
    def found(self) -> bool:
        """Whether the host is on this machine, or was."""
        return bool(self.there or self.sessions)


def agent_hosts(workspace: Workspace) -> tuple[HostView, ...]:
    """Every host that is read, in the order of the registry. Raises sqlite3.Error."""
    with closing(workspace.catalogue.reader()) as db:
        sessions = {row[0]: row[1:] for row in db.execute(_SESSIONS)}
        skipped = dict(db.execute(_SKIPPED).fetchall())
        versions: dict[str, list[str]] = {}
        for host, version in db.execute(_VERSIONS):
            versions.setdefault(host, []).append(version)
    views: list[HostView] = []
    for host in workspace.setting.hosts:
        folders = host.folders(workspace.setting.home)
        there = tuple(folder for folder in folders if folder.exists())
        count, gone, last, records = sessions.get(host.name, (0, 0, None, 0))
        views.append(
            HostView(
                host.name,
                host.label,
                folders,
                there,
                count,
                gone,
                records,
                skipped.get(host.name, 0),
                last,
                tuple(sorted(versions.get(host.name, ()), key=_numbers)),
                tuple(sorted(part.value for part in host.lacks)),
                planned(workspace, there).told,
            )
        )
    return tuple(views)


def _numbers(version: str) -> list[tuple[int, str]]:
    """So that 2.1.9 comes before 2.1.12."""
    return [
        (int(part) if part.isdecimal() else 0, part)
        for part in version.replace("-", ".").split(".")
    ]
