"""What hosts have in common unless they say otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memtui.hosts.documents import Document
from memtui.hosts.model import HostHome, SourceFile
from memtui.hosts.protocol import Part


class HostBase:
    """A host whose transcripts are files of lines that hold everything."""

    lacks: frozenset[Part] = frozenset()

    def document(self, source: SourceFile) -> Document | None:
        """See `Host.document`."""
        return None

    def touched(self, home: HostHome, path: Path) -> Iterator[SourceFile]:
        """See `Host.touched`."""
        return iter(())

    def resume(self, session: str) -> str | None:
        """See `Host.resume`."""
        return None
