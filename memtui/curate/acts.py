"""The one way to change a bank, in an order that survives kill -9 at any instant.

1. The intent, with the bytes before and after of every file and the events, is committed to the ledger.
2. The files are written, each by temporary file, fsync and rename.
3. The events are appended.
4. The ledger marks the act as done; only then is it acknowledged.

`healing` finishes or takes back what a killed process left half done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from memtui.bank import events as bank_events
from memtui.bank.standing import ACT
from memtui.curate.act import Act, ActResult, Conflict, ConflictError, FileChange
from memtui.curate.curator import Curator, new_id
from memtui.curate.file_records import record_of
from memtui.curate.healing import append, appended, carry_through, heal_locked, take_back
from memtui.ledger.model import ActRecord, ActState

Build = Callable[[str], Act]
"""Given the id of the act, says what to do. Runs under the lock, so what it reads is current."""


def perform(curator: Curator, build: Build, *, undoable: bool = True) -> ActResult:
    """Do one act, wholly or not at all. Raises ConflictError, CurateError, OSError: then nothing changed."""
    with curator.locked():
        heal_locked(curator)
        act_id = new_id()
        act = build(act_id)
        _check(curator, act.changes)
        record = _record(curator, act_id, act)
        curator.ledger.intend(record)
        try:
            carry_through(curator, record)
        except (OSError, ConflictError):
            # With an event in the bank there is no way back: the next `heal` carries the act through.
            if not appended(curator, record):
                take_back(curator, record)
            raise
        curator.ledger.finish(record)
    return ActResult(act_id, act.verb, act.summary, act.items, undoable)


def record_only(curator: Curator, record: ActRecord) -> None:
    """Keep an act that is in the bank's files already; the caller holds the lock."""
    noted = replace(record, state=ActState.NOTED)
    curator.ledger.intend(noted)
    append(curator, noted)
    curator.ledger.finish(noted)


def _check(curator: Curator, changes: Iterable[FileChange]) -> None:
    """Compare before replace. Raises ConflictError."""
    found = []
    for change in changes:
        current = curator.read(change.path)
        if current != change.base and not change.follows:
            found.append(Conflict(change.path, current, change.new, change.base))
    if found:
        raise ConflictError(tuple(found))


def _record(curator: Curator, act_id: str, act: Act) -> ActRecord:
    records = []
    for change in act.changes:
        record = record_of(curator, change)
        if record.before_digest != record.after_digest:
            records.append(record)
    events = tuple(
        bank_events.to_json(replace(event, data={**event.data, ACT: act_id}))
        for event in act.events
    )
    return ActRecord(
        id=act_id,
        at=curator.clock(),
        writer=act.events[0].writer if act.events else curator.writer,
        verb=act.verb,
        items=(*act.items, *curator.deciding),
        title=act.title,
        summary=act.summary,
        files=tuple(records),
        events=events,
        undoes=act.undoes,
    )
