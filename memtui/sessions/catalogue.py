"""The catalogue file: connections for reading and writing, and what it holds at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memtui.hosts.protocol import Host


class Catalogue:
    """`sessions.db` at `path`, over `hosts`. Derived: deleting it loses nothing."""

    def __init__(self, path: Path, hosts: Sequence[Host]) -> None:
        self.path = path
        self.hosts = {host.name: host for host in hosts}
