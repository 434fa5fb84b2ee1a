"""Hiding a session: its heading goes from lists and search, what cites it still opens."""

from __future__ import annotations

from memtui.bank.standing import SESSION
from memtui.curate.act import Act, ActResult
from memtui.curate.acts import perform
from memtui.curate.curator import Curator


def hide_session(
    curator: Curator, host: str, session: str, title: str = "", *, hidden: bool = True
) -> ActResult:
    """Hide a session of a host, or show it again."""
    verb = "hide" if hidden else "unhide"
    item = f"{SESSION}{host}:{session}"

    def build(_act_id: str) -> Act:
        event = curator.event("act", verb, item, title=title)
        past = "hid" if hidden else "showed"
        return Act(verb, (item,), title, f"{past} session: {title or session}", events=(event,))

    return perform(curator, build)
