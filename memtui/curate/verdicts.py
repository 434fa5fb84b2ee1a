"""Verdicts are events, not counters: confirm and flag by a person, validated by a check that passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memtui.bank.model import Item
from memtui.curate.act import Act, ActResult, CurateError
from memtui.curate.acts import perform
from memtui.curate.curator import Curator
from memtui.curate.files import read_now
from memtui.curate.index_lines import follow_items
from memtui.index.states import is_external, key_of


def confirm(
    curator: Curator, items: Sequence[Item], note: str = "", data: Mapping[str, Any] | None = None
) -> ActResult:
    """Say that items are true. Only a person may: raises CurateError for an agent or a job.

    `data` may hold the commit at which the cited files were looked at.
    """
    if curator.by != "human":
        raise CurateError("only a person confirms", "propose it to the inbox instead")
    return _judge(curator, "confirm", "confirmed", items, note, data)


def flag(curator: Curator, items: Sequence[Item], reason: str) -> ActResult:
    """Say that items are wrong or doubtful, and why. Raises CurateError without a reason."""
    if not reason.strip():
        raise CurateError("a flag needs a reason", "say what is wrong with it")
    return _judge(curator, "flag", "flagged", items, reason.strip(), None)


def validated(curator: Curator, items: Sequence[Item], ref: str, check: str) -> ActResult:
    """Record that a test or build passed after the fact: `ref` cites the turn, `check` names it."""
    if not ref:
        raise CurateError("a validation cites the turn in which the check passed")
    return _judge(curator, "validated", "validated", items, check, {"ref": ref})


def _judge(
    curator: Curator,
    verb: str,
    past: str,
    items: Sequence[Item],
    reason: str,
    data: Mapping[str, Any] | None,
) -> ActResult:
    if not items:
        raise CurateError(f"nothing to {verb}", "put the cursor on a card or page, or mark some")

    def build(_act_id: str) -> Act:
        events = []
        outsiders = []
        for item in items:
            _, _, now = read_now(curator, item)
            kept = {"digest": now.digest, **(data or {})}
            key = key_of(item)
            if is_external(now.origin) and now.supersedes:
                outsiders.append(now)
            events.append(
                curator.event(
                    "verdict", verb, key, name=now.name, title=now.title, reason=reason, data=kept
                )
            )
        what = events[0].title if len(events) == 1 else f"{len(events)} items"
        return Act(
            verb=verb,
            items=tuple(event.item for event in events),
            title=events[0].title,
            summary=f"{past}: {what}",
            # A card from outside supersedes what it names from its first confirmation on.
            changes=follow_items(curator, (), events) if outsiders else (),
            events=tuple(events),
        )

    return perform(curator, build)
