"""Finding transcript files in folders that may be missing or change while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from memtui.hosts.model import SourceFile


def sub_folders(folder: Path) -> Iterator[Path]:
    """The folders inside `folder`; nothing if it is missing or may not be read."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return
    yield from (entry for entry in entries if entry.is_dir())


def newest_first(found: Iterable[SourceFile]) -> list[SourceFile]:
    """`found` by time of last change, newest first. Files that are gone are left out."""
    dated: list[tuple[int, str, SourceFile]] = []
    for source in found:
        try:
            changed = source.path.stat().st_mtime_ns
        except OSError:
            continue
        dated.append((-changed, str(source.path), source))
    dated.sort(key=lambda item: item[:2])
    return [source for _, _, source in dated]
