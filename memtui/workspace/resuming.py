"""What a session that is resumed has already, so that the preview shows only what is new to it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.agents import context
from memtui.workspace.model import PreviewOptions

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace

_NEWEST = (
    "SELECT session FROM sessions WHERE host = ? AND agent = '' AND n_all > 0 AND project IN ({})"
    " ORDER BY ended DESC NULLS LAST LIMIT 1"
)


def resumed(workspace: Workspace, options: PreviewOptions, session: str = "") -> PreviewOptions:
    """`options` for resuming `session` (`host:session`), or the newest of this project and host.

    Unchanged for a source that continues nothing, for a host that forgets, and without a bank.
    Raises sqlite3.Error.
    """
    root = workspace.bank_root
    if root is None:
        return options
    if not context.continues(options.host, options.source):
        return options
    wanted = session.removeprefix(f"{options.host}:") or _newest(workspace, options.host)
    places = workspace.setting.places
    state = places.bank_state(workspace.config.id, root)
    ask = context.Ask(str(places.spool), str(state), workspace.agents.key, options.host, wanted)
    key = context.session_key(options.host, wanted) if wanted else ""
    return replace(options, seen=context.seen_lines(ask), resumes=key)


def _newest(workspace: Workspace, host: str) -> str:
    keys = workspace.project_keys
    with closing(workspace.catalogue.reader()) as db:
        marks = ", ".join("?" * len(keys))
        row = db.execute(_NEWEST.format(marks), (host, *keys)).fetchone()
    return str(row[0]) if row else ""
