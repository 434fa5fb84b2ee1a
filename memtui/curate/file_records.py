"""What the ledger keeps of a file that an act changes, and how that change is made again or taken back."""

from __future__ import annotations

from memtui.curate.act import FileChange, digest
from memtui.curate.curator import Curator
from memtui.curate.following import follow
from memtui.curate.hunks import Hunk, bytes_of, hunks, text_of, turned
from memtui.ledger.model import FileRecord


def record_of(curator: Curator, change: FileChange) -> FileRecord:
    """The record of one change; of the index only the lines that differ, against what it holds now."""
    return _followed(curator, change) if change.follows else _whole(change)


def follows(curator: Curator, file: FileRecord) -> bool:
    """Whether the file is changed line by line in whatever it holds by then."""
    return file.start is not None or file.path == curator.files.index.name


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
