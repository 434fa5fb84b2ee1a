"""`MEMORY.md` when an act is taken back after others: no line comes back of what was put away since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath

from memtui.bank.events import read_all
from memtui.bank.layout import INDEX
from memtui.bank.memory_index import parse_index
from memtui.bank.model import Item, Status
from memtui.bank.standing import ACT, standing
from memtui.curate.act import FileChange, digest
from memtui.curate.curator import Curator
from memtui.curate.files import is_item, parse_item
from memtui.curate.following import target_of
from memtui.curate.index_lines import Index, follow_into
from memtui.curate.replacing import Turned, turned
from memtui.index.states import key_of
from memtui.ledger.model import ActRecord

_RECENT = 1000
"""Acts that are looked through for one that stands."""


def settled(
    curator: Curator,
    changes: Sequence[FileChange],
    act_id: str,
    left: str = "",
    free: Collection[str] = (),
) -> tuple[FileChange, ...]:
    """The changes that take the act back, or do it again, with an index that lists what holds after them.

    `left` is the digest with which the index was left, if the act wrote it. What nobody touched since
    comes back to the byte, right or wrong. `free` are paths whose new bytes are not those that the act
    knew: the index follows them.
    """
    known = next((change for change in changes if change.path == INDEX), None)
    current = known.base if known else curator.read(INDEX)
    made = known.new if known else current
    if made is None:
        return tuple(changes)
    index = Index(curator, made)
    others = turned(curator, changes)
    since = _Since(curator, act_id, _moved(curator, act_id, current, left))
    listed = {target_of(entry) for entry in parse_index(current or b"")}
    back = {target_of(entry) for entry in parse_index(made)} - listed
    for path in back - {change.path for change in changes}:
        if _put_away(curator, path, others, since):
            index.remove(path)
    for item in others.covered:
        if since.touched(item):
            index.remove(curator.relative(item.path))
    for item in others.released:
        path = curator.relative(item.path)
        if since.touched(item):
            index.update(path, None, path, item)
    if since.moved:
        _bring_up_to_date(curator, index, changes, others)
    follow_into(curator, index, [change for change in changes if change.path in free])
    rest = [change for change in changes if change is not known]
    if index.data == (current or b""):
        return tuple(rest)
    return (*rest, FileChange(INDEX, current, index.data, follows=True))


def left_by(record: ActRecord | None, *, forward: bool = False) -> str:
    """The digest that the index has if nothing happened since the act, or since it was taken back."""
    found = next((f for f in record.files if f.path == INDEX), None) if record else None
    return "" if found is None else found.before_digest if forward else found.after_digest


def _moved(curator: Curator, act_id: str, current: bytes | None, left: str) -> bool:
    """Whether the index was written since the act, or what later acts did to the bank still stands."""
    if left and digest(current) != left:
        return True
    turns: Counter[str] = Counter()
    for act in takewhile(lambda act: act.id > act_id, curator.ledger.history(_RECENT)):
        if act.undoes is None and act.undone_by is None:
            return True
        if act.undoes is not None and act.undoes < act_id:
            turns[act.undoes] += 1
    # Undone and done again is as if nothing had been.
    return any(count % 2 for count in turns.values())


def _bring_up_to_date(
    curator: Curator, index: Index, changes: Sequence[FileChange], others: Turned
) -> None:
    """List the items of the changes that hold after them, and no others: each line may be another by now."""
    for change in changes:
        if not is_item(curator, change.path):
            continue
        new = None if change.new is None else parse_item(curator, change.path, change.new)
        if new is None or new.status is not Status.ACTIVE:
            index.remove(change.path)
        elif curator.place(change.path) not in others.replaced:
            index.update(change.path, None, change.path, new)


@dataclass
class _Since:
    """What other acts did after this one; ids sort by time. `moved`: see `_moved`."""

    curator: Curator
    act_id: str
    moved: bool

    def touched(self, item: Item) -> bool:
        """Whether the item's place in the index may be another one since."""
        path = self.curator.relative(item.path)
        return self.moved or self.wrote(path) or key_of(item) in self._replaced

    def wrote(self, path: str) -> bool:
        """Whether an act wrote the file."""
        return any(act.id > self.act_id for act, _ in self.curator.ledger.versions(path))

    @cached_property
    def _replaced(self) -> set[str]:
        events = standing(read_all(self.curator.files.events)[0])
        later = [e for e in events if e.id > self.act_id and e.data.get(ACT) != self.act_id]
        return {event.item for event in later if event.verb == "supersede"}


def _put_away(curator: Curator, path: str, others: Turned, since: _Since) -> bool:
    """Whether the item of a line that would come back was put away since."""
    if not is_item(curator, path) or not _inside(path):
        return False
    data = curator.read(path)
    item = None if data is None else parse_item(curator, path, data)
    if item is None or item.status is not Status.ACTIVE:
        return since.wrote(path)
    return curator.place(path) in others.replaced and since.touched(item)


def _inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts
