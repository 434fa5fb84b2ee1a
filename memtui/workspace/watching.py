"""What changes under an open workspace, told as soon as the system tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.workspace.model import Changed

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

STEP_MS = 20
POLL_MS = 500
_IGNORED = (".tmp", ".swp", ".swx", "~", "-shm", "-journal", ".lock")


def relevant(path: str) -> bool:
    """Whether a change of this file can matter: not a temporary, swap or side file."""
    name = path.rpartition("/")[2]
    return not name.endswith(_IGNORED) and not name.startswith((".#", "#", ".memtui-", "4913"))


def watched_folders(workspace: Workspace) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """(folders of the bank, folders of transcripts) that exist."""
    bank: list[Path] = []
    files = workspace.files
    if files is not None:
        bank.append(files.root)
        if files.state is not None and files.own == files.state:
            bank.append(files.events)
    setting = workspace.setting
    sessions = [folder for host in setting.hosts for folder in host.folders(setting.home)]
    return _existing(bank), _existing(sessions)


async def watch(workspace: Workspace) -> AsyncIterator[Changed]:
    """Changes of the bank and of transcripts, each batch once, for as long as it is listened to."""
    from watchfiles import awatch

    bank, sessions = watched_folders(workspace)
    if not bank and not sessions:
        await asyncio.Event().wait()
    settings = workspace.settings.watch
    async for batch in awatch(
        *bank,
        *sessions,
        watch_filter=lambda _, path: relevant(path),
        debounce=max(1, settings.debounce_ms),
        step=min(STEP_MS, max(1, settings.debounce_ms)),
        force_polling=settings.polling or None,
        poll_delay_ms=POLL_MS,
        ignore_permission_denied=True,
    ):
        paths = sorted({Path(path) for _, path in batch})
        for kind, folders in (("bank", bank), ("sessions", sessions)):
            found = tuple(p for p in paths if any(p.is_relative_to(f) for f in folders))
            if found:
                yield Changed(kind, found)


def _existing(folders: list[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.exists()))
