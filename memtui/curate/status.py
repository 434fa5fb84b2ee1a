"""Up is up and down is down: promote, demote and pin set a key of the file and the index line follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.bank.model import Card, Item, Page, Status
from memtui.curate.act import Act, ActResult, CurateError, FileChange, NothingToDoError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.file_data import file_data
from memtui.curate.files import read_now, with_keys
from memtui.curate.index_lines import follow_items
from memtui.index.states import key_of

_DOWN = {Status.ACTIVE: Status.STALE, Status.STALE: Status.RETIRED}


@dataclass(frozen=True, slots=True)
class _Step:
    """What a verb does to one item: the keys it sets, and what its event says of it."""

    keys: Mapping[str, Any]
    data: Mapping[str, Any]


def promote(curator: Curator, items: Sequence[Item], reason: str = "") -> ActResult:
    """Stale or retired items become active. Items that are active are left alone.

    Raises CurateError when none can go up, or a file cannot be changed.
    """

    def up(item: Card | Page) -> _Step | None:
        return _status(item, Status.ACTIVE)

    return _set(curator, "promote", "active", items, reason, up)


def demote(curator: Curator, items: Sequence[Item], reason: str = "") -> ActResult:
    """Cards go from active to stale to retired, pages are retired. Raises like `promote`."""

    def down(item: Card | Page) -> _Step | None:
        last = Status.RETIRED
        return _status(item, last if isinstance(item, Page) else _DOWN.get(item.status, last))

    return _set(curator, "demote", "retired", items, reason, down)


def pin(curator: Curator, items: Sequence[Item], on: bool | None = None) -> ActResult:
    """Pin or unpin; with `on` None, pin all unless all are pinned. Raises like `promote`."""
    wanted = not (items and all(item.pinned for item in items)) if on is None else on

    def keys(item: Card | Page) -> _Step | None:
        return None if item.pinned == wanted else _Step({"pinned": wanted}, {"pinned": wanted})

    verb, already = ("pin", "pinned") if wanted else ("unpin", "not pinned")
    return _set(curator, verb, already, items, "", keys)


def _status(item: Card | Page, to: Status) -> _Step | None:
    if item.status is to:
        return None
    return _Step({"status": to.value}, {"from": item.status.value, "to": to.value})


def _set(
    curator: Curator,
    verb: str,
    already: str,
    items: Sequence[Item],
    reason: str,
    step: Callable[[Card | Page], _Step | None],
) -> ActResult:
    if not items:
        raise CurateError(f"nothing to {verb}", "put the cursor on a card or page, or mark some")

    def build(_act_id: str) -> Act:
        changes: list[FileChange] = []
        events = []
        told: list[str] = []
        for item in items:
            path, data, now = read_now(curator, item)
            todo = step(now)
            if todo is None:
                continue
            change = with_keys(path, data, todo.keys)
            changes.append(change)
            kept = {**todo.data, **file_data(curator, [change])}
            key = key_of(item)
            events.append(
                curator.event(
                    "act", verb, key, name=now.name, title=now.title, reason=reason, data=kept
                )
            )
            told.append(str(todo.data.get("to", "")))
        if not changes:
            raise NothingToDoError(f"already {already}", "nothing was changed")
        return Act(
            verb=verb,
            items=tuple(event.item for event in events),
            title=events[0].title,
            summary=_summary(verb, [event.title for event in events], told),
            changes=(*changes, *follow_items(curator, changes)),
            events=tuple(events),
        )

    return perform(curator, build)


_PAST = {"promote": "promoted", "demote": "demoted", "pin": "pinned", "unpin": "unpinned"}


def _summary(verb: str, titles: Sequence[str], told: Sequence[str]) -> str:
    what = titles[0] if len(titles) == 1 else f"{len(titles)} items"
    to = f" to {told[0]}" if told[0] and len(set(told)) == 1 else ""
    return f"{_PAST[verb]}{to}: {what}"
