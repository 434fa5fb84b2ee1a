"""The one way to change a bank, in an order that survives kill -9 at any instant.

1. The intent, with the bytes before and after of every file and the events, is committed to the ledger.
2. The files are written, each by temporary file, fsync and rename.
3. The events are appended.
4. The ledger marks the act as done; only then is it acknowledged.

`heal` looks at intents that a process left behind and knows one rule: if an event of the act is in the
bank, or every file still is as it was before or already as it shall be, the act is carried through; else
(somebody edited a file in between) the files that were written get their old bytes, and it never was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from memtui.bank import events as bank_events
from memtui.bank.standing import ACT
from memtui.curate.act import Act, ActResult, Conflict, ConflictError, FileChange, digest
from memtui.curate.curator import Curator, new_id
from memtui.curate.hunks import Hunk, bytes_of, follow, hunks, text_of, turned
from memtui.ledger.model import ActRecord, FileRecord

Build = Callable[[str], Act]
"""Given the id of the act, says what to do. Runs under the lock, so what it reads is current."""


@dataclass(frozen=True, slots=True)
class Healed:
    """What `heal` found: acts carried through and acts taken back, by id."""

    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()


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
            _write(curator, record)
            _append(curator, record)
        except (OSError, ConflictError):
            # With an event in the bank there is no way back: the next `heal` carries the act through.
            if not _appended(curator, record):
                _roll_back(curator, record)
            raise
        curator.ledger.finish(record)
    return ActResult(act_id, act.verb, act.summary, act.items, undoable)


def record_only(curator: Curator, record: ActRecord) -> None:
    """Keep an act that is in the bank's files already; the caller holds the lock."""
    curator.ledger.intend(record)
    _append(curator, record)
    curator.ledger.finish(record)


def heal(curator: Curator) -> Healed:
    """Finish or take back what a killed process left half done. Safe at any time, cheap when clean."""
    with curator.locked():
        return heal_locked(curator)


def heal_locked(curator: Curator) -> Healed:
    """`heal` for a caller that holds the lock."""
    done, undone = [], []
    for record in curator.ledger.unfinished():
        _sweep(curator, record)
        appended = bool(_appended(curator, record))
        if appended or _untouched(curator, record):
            if not appended:
                _write(curator, record)
            _append(curator, record)
            curator.ledger.finish(record)
            done.append(record.id)
        else:
            _roll_back(curator, record)
            undone.append(record.id)
    return Healed(tuple(done), tuple(undone))


def changed_lines(record: FileRecord) -> list[Hunk]:
    """What a record did, line by line, within the part of the file that it holds."""
    return hunks(text_of(record.before or b""), text_of(record.after or b""))


def moved(record: FileRecord, current: bytes | None, *, forward: bool) -> bytes | None:
    """`current` as it is after the record's change (or, backward, before it), for a file that follows.

    To the byte where the file is as the change expects it, else line by line.
    """
    old, new = (record.before, record.after) if forward else (record.after, record.before)
    expected = record.before_digest if forward else record.after_digest
    if digest(current) == expected:
        if record.start is None:
            return new
        whole = current or b""
        return whole[: record.start] + (new or b"") + whole[record.start + len(old or b"") :]
    changes = changed_lines(record)
    made = follow(text_of(current or b""), changes if forward else turned(changes))
    return bytes_of(made)


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
        record = _followed(curator, change) if change.follows else _whole(change)
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
        items=act.items,
        title=act.title,
        summary=act.summary,
        files=tuple(records),
        events=events,
        undoes=act.undoes,
    )


def _whole(change: FileChange) -> FileRecord:
    return FileRecord(change.path, change.base, change.new, digest(change.base), digest(change.new))


def _followed(curator: Curator, change: FileChange) -> FileRecord:
    """A record of only the lines that change, against what the file holds now."""
    current, new = curator.read(change.path), change.new
    if current != change.base:
        made = follow(
            text_of(current or b""), hunks(text_of(change.base or b""), text_of(new or b""))
        )
        new = bytes_of(made)
    if current is None or new is None:
        return FileRecord(change.path, current, new, digest(current), digest(new))
    start, old_end, new_end = _different(current, new)
    return FileRecord(
        change.path,
        current[start:old_end],
        new[start:new_end],
        digest(current),
        digest(new),
        start,
    )


def _same(a: bytes, b: bytes) -> int:
    """How many bytes two texts have in common from their start."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _different(old: bytes, new: bytes) -> tuple[int, int, int]:
    """The lines that differ with one more on each side, to find their place again: start and both ends."""
    start = _same(old, new)
    start = old.rfind(b"\n", 0, start) + 1
    back = _same(old[start:][::-1], new[start:][::-1])
    tail = old[len(old) - back :]
    line = tail.find(b"\n")
    # Whole lines only, and never past a line that both share in part.
    back = 0 if line < 0 else back - line - 1
    start = old.rfind(b"\n", 0, max(start - 1, 0)) + 1
    after = old.find(b"\n", len(old) - back)
    back = 0 if after < 0 else len(old) - after - 1
    return start, len(old) - back, len(new) - back


def _sweep(curator: Curator, record: ActRecord) -> None:
    """Remove temporary files of the killed process: only acts write there, and we hold their lock."""
    for folder in {curator.place(file.path).parent for file in record.files}:
        for left in folder.glob(".memtui-*.tmp"):
            left.unlink(missing_ok=True)


def _untouched(curator: Curator, record: ActRecord) -> bool:
    """Whether every file is as it was before the act or as it shall be after it."""
    return not any(_foreign(file, curator.read(file.path)) for file in record.files)


def _foreign(file: FileRecord, current: bytes | None) -> bool:
    known = (file.before_digest, file.after_digest)
    return file.start is None and digest(current) not in known


def _write(curator: Curator, record: ActRecord) -> None:
    for file in record.files:
        current = curator.read(file.path)
        if _foreign(file, current):
            raise ConflictError((Conflict(file.path, current, file.after, file.before),))
        if digest(current) != file.after_digest:
            curator.write(file.path, moved(file, current, forward=True))


def _roll_back(curator: Curator, record: ActRecord) -> None:
    for file in record.files:
        current = curator.read(file.path)
        if digest(current) == file.after_digest != file.before_digest:
            curator.write(file.path, moved(file, current, forward=False))
    curator.ledger.abort(record.id)


def _append(curator: Curator, record: ActRecord) -> None:
    there = _appended(curator, record)
    for line in record.events:
        if line["id"] not in there:
            curator.append_event(bank_events.from_json(line))


def _appended(curator: Curator, record: ActRecord) -> set[str]:
    """The ids of the act's events that are in the bank already."""
    ids = {str(line["id"]) for line in record.events}
    return ids & bank_events.ids(curator.files.events, {str(w["writer"]) for w in record.events})
