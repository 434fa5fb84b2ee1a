"""What a killed process left half done is carried through or taken back, whatever was edited meanwhile.

An act is carried through if an event of it is in the bank, or if each of its files is as before it, as
after it, or after it with somebody's edit on top. Else somebody edited a file that the act had not reached:
the files that it had reached lose its lines, and it never was. The index follows either way, line by line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memtui.bank import events as bank_events
from memtui.curate.act import Conflict, ConflictError, digest
from memtui.curate.curator import Curator
from memtui.curate.file_records import changed_lines, follows, moved
from memtui.curate.files import id_in
from memtui.curate.hunks import apply, bytes_of, text_of, turned
from memtui.ledger.model import ActRecord, ActState, FileRecord


class Stand(StrEnum):
    """How far an act has come with one file."""

    BEFORE = "before"
    AFTER = "after"
    ON_TOP = "on top"
    """Somebody edited what the act wrote."""
    FOLLOWS = "follows"
    """The index, changed by somebody: before or after the act, that makes no difference."""
    FOREIGN = "foreign"
    """Somebody edited what the act had not yet written."""


@dataclass(frozen=True, slots=True)
class Healed:
    """What `heal` found: acts carried through and acts taken back, by id."""

    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()


def heal(curator: Curator) -> Healed:
    """Finish or take back what a killed process left half done. Safe at any time, cheap when clean."""
    with curator.locked():
        return heal_locked(curator)


def heal_locked(curator: Curator) -> Healed:
    """`heal` for a caller that holds the lock."""
    done, undone = [], []
    for record in curator.ledger.unfinished():
        _sweep(curator, record)
        if _holds(curator, record):
            carry_through(curator, record)
            curator.ledger.finish(record)
            done.append(record.id)
        else:
            take_back(curator, record)
            undone.append(record.id)
    return Healed(tuple(done), tuple(undone))


def carry_through(curator: Curator, record: ActRecord) -> None:
    """Write what is not written yet, and then the events. Raises ConflictError before any event."""
    there = appended(curator, record)
    if not there and record.state is not ActState.NOTED:
        _write(curator, record)
    append(curator, record, there)


def take_back(curator: Curator, record: ActRecord) -> None:
    """Leave nothing of the act in the bank; lines of other people stay."""
    for file in record.files if record.state is not ActState.NOTED else ():
        current = curator.read(file.path)
        match stand(curator, file, current):
            case Stand.AFTER | Stand.FOLLOWS:
                _replace(curator, file, current, moved(file, current, forward=False))
            case Stand.ON_TOP if file.before is not None:
                _replace(curator, file, current, _without(file, current))
            case _:
                continue  # a new file that somebody edited is theirs by now
    curator.ledger.abort(record.id)


def append(
    curator: Curator, record: ActRecord, there: set[str] | frozenset[str] = frozenset()
) -> None:
    """Add the act's events, apart from those that are `there`."""
    for line in record.events:
        if line["id"] not in there:
            curator.append_event(bank_events.from_json(line))


def appended(curator: Curator, record: ActRecord) -> set[str]:
    """The ids of the act's events that are in the bank already."""
    ids = {str(line["id"]) for line in record.events}
    return ids & bank_events.ids(curator.files.events, {str(w["writer"]) for w in record.events})


def stand(curator: Curator, file: FileRecord, current: bytes | None) -> Stand:
    """How the file stands to the act."""
    now = digest(current)
    if now == file.after_digest:
        return Stand.AFTER if now != file.before_digest else Stand.BEFORE
    if now == file.before_digest:
        return Stand.BEFORE
    if follows(curator, file):
        return Stand.FOLLOWS
    return Stand.ON_TOP if _without(file, current) is not current else Stand.FOREIGN


def _holds(curator: Curator, record: ActRecord) -> bool:
    """Whether the act is to be carried through."""
    if appended(curator, record):
        return True
    if record.state is ActState.NOTED:
        return all(digest(curator.read(f.path)) == f.after_digest for f in record.files)
    stands = (stand(curator, file, curator.read(file.path)) for file in record.files)
    return Stand.FOREIGN not in stands


def _write(curator: Curator, record: ActRecord) -> None:
    for file in record.files:
        current = curator.read(file.path)
        match stand(curator, file, current):
            case Stand.BEFORE | Stand.FOLLOWS:
                _replace(curator, file, current, moved(file, current, forward=True))
            case Stand.FOREIGN:
                raise ConflictError((Conflict(file.path, current, file.after, file.before),))
            case Stand.AFTER | Stand.ON_TOP:
                continue


def _replace(curator: Curator, file: FileRecord, current: bytes | None, new: bytes | None) -> None:
    if new != current:
        curator.write(file.path, new)


def _without(file: FileRecord, current: bytes | None) -> bytes | None:
    """An edited file without what the act did to it; the same object when the act is not in it."""
    if current is None or file.after is None:
        return current
    if file.before is None:
        own = id_in(file.after)
        return None if own and own == id_in(current) else current
    made = apply(text_of(current), turned(changed_lines(file)))
    return current if made is None else bytes_of(made)


def _sweep(curator: Curator, record: ActRecord) -> None:
    """Remove temporary files of the killed process: only acts write there, and we hold their lock."""
    for folder in {curator.place(file.path).parent for file in record.files}:
        for left in folder.glob(".memtui-*.tmp"):
            left.unlink(missing_ok=True)
