"""The scan that commands do before they answer, with its progress on standard error."""

from __future__ import annotations

import sqlite3
import sys
import time

from memtui.cli.command import CommandError
from memtui.workspace.model import ScanProgress
from memtui.workspace.workspace import Workspace

QUIET_SECONDS = 1.0


def scan_first(workspace: Workspace) -> None:
    """Catalogue what is new; a long scan shows how far it is. Raises CommandError."""
    begin = time.monotonic()
    shown = False

    def tell(step: ScanProgress) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - begin > QUIET_SECONDS:
            share = 100 * step.bytes_done // max(1, step.bytes_total)
            sys.stderr.write(f"\rreading transcripts: {share} %, {step.files_done} files ")
            shown = True

    try:
        workspace.scan(tell)
    except (sqlite3.Error, OSError) as error:
        raise CommandError(
            f"the catalogue cannot be updated: {error}", "`memtui doctor` says where it lies"
        ) from error
    finally:
        if shown:
            sys.stderr.write("\n")
