"""Hiding a session: its heading goes from lists and search, what cites it still opens."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.bank.model import Event
from memtui.bank.standing import standing
from memtui.curate.act import Act, ActResult
from memtui.curate.acts import perform
from memtui.curate.curator import Curator

PREFIX = "session:"


def hide_session(
    curator: Curator, host: str, session: str, title: str = "", *, hidden: bool = True
) -> ActResult:
    """Hide a session of a host, or show it again."""
    verb = "hide" if hidden else "unhide"
    item = f"{PREFIX}{host}:{session}"

    def build(_act_id: str) -> Act:
        event = curator.event("act", verb, item, title=title)
        past = "hid" if hidden else "showed"
        return Act(verb, (item,), title, f"{past} session: {title or session}", events=(event,))

    return perform(curator, build)


def hidden_sessions(events: Iterable[Event]) -> frozenset[str]:
    """The sessions that are hidden now, as `<host>:<session id>`."""
    hidden: dict[str, bool] = {}
    for event in standing(events):
        if event.verb in ("hide", "unhide") and event.item.startswith(PREFIX):
            hidden[event.item.removeprefix(PREFIX)] = event.verb == "hide"
    return frozenset(session for session, is_hidden in hidden.items() if is_hidden)
