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
from memtui.bank.model import Event, Item
from memtui.bank.standing import act_of, standing
from memtui.curate.act import FileChange, digest
from memtui.curate.curator import Curator
from memtui.curate.files import is_item, parse_item, refuse_twins
from memtui.curate.following import target_of
from memtui.curate.index_lines import Index, follow_into
from memtui.curate.replacing import holds, turned
from memtui.ledger.model import ActRecord

_RECENT = 1000
"""Acts that are looked through for one that stands."""


def settled(
    curator: Curator,
    changes: Sequence[FileChange],
    act_id: str,
    left: str = "",
    free: Collection[str] = (),
    events: Sequence[Event] = (),
) -> tuple[FileChange, ...]:
    """The changes that take the act back, or do it again, with an index that lists what holds after them.

    `left` is the digest with which the index was left, if the act wrote it. What nobody touched since
    comes back to the byte, right or wrong. `free` are paths whose new bytes are not those that the act
    knew: the index follows them. `events` are what the new act says. Raises CurateError where an item
    would be there twice.
    """
    refuse_twins(curator, changes)
    known = next((change for change in changes if change.path == INDEX), None)
    current = known.base if known else curator.read(INDEX)
    made = known.new if known else current
    if made is None:
        return tuple(changes)
    index = Index(curator, made)
    since = _Since(curator, act_id)
    if free or since.moved(current, left):
        follow_into(curator, index, [change for change in changes if change.path in free])
        _bring_up_to_date(curator, index, current, changes, since, events)
    rest = [change for change in changes if change is not known]
    if index.data == (current or b""):
        return tuple(rest)
    return (*rest, FileChange(INDEX, current, index.data, follows=True))


def left_by(record: ActRecord | None, *, forward: bool = False) -> str:
    """The digest that the index has if nothing happened since the act, or since it was taken back."""
    found = next((f for f in record.files if f.path == INDEX), None) if record else None
    return "" if found is None else found.before_digest if forward else found.after_digest


def _bring_up_to_date(
    curator: Curator,
    index: Index,
    current: bytes | None,
    changes: Sequence[FileChange],
    since: _Since,
    events: Sequence[Event],
) -> None:
    """List each item in question exactly if it holds after the changes: each line may be another by now.

    In question is what the changes touch, whatever stands or falls with it, and each line that would
    come or go.
    """
    paths = {change.path for change in changes if is_item(curator, change.path)}
    moving = _targets(curator, index.data) ^ _targets(curator, current or b"")
    others = turned(curator, changes, events, paths | moving)
    paths |= {curator.relative(item.path) for item in (*others.released, *others.covered)}
    given = {change.path: change.new for change in changes}
    for path in sorted(paths | moving):
        item: Item | None = others.items.get(curator.place(path))
        if item is None:
            data = given[path] if path in given else curator.read(path)
            item = None if data is None else parse_item(curator, path, data)
        if item is None and path not in paths and not since.wrote(path):
            continue  # a line of a file that never was comes back with the others
        if item is not None and holds(item) and curator.place(path) not in others.replaced:
            index.update(path, None, path, item)
        else:
            index.remove(path)


def _targets(curator: Curator, index: bytes) -> set[str]:
    """The items of this bank that an index lists."""
    named = {target_of(entry) for entry in parse_index(index)}
    return {path for path in named if _inside(path) and is_item(curator, path)}


@dataclass
class _Since:
    """What happened after an act, as far as the index is concerned; ids sort by time."""

    curator: Curator
    act_id: str

    def moved(self, current: bytes | None, left: str) -> bool:
        """Whether the index was written since the act, or what later acts did to the bank still stands."""
        if left and digest(current) != left:
            return True
        turns: Counter[str] = Counter()
        for act in takewhile(lambda act: act.id > self.act_id, self._later):
            if act.undoes is None and act.undone_by is None:
                return True
            if act.undoes is not None and act.undoes < self.act_id:
                turns[act.undoes] += 1
        # Undone and done again is as if nothing had been.
        return any(count % 2 for count in turns.values()) or self._somebody_else_acted

    def wrote(self, path: str) -> bool:
        """Whether an act wrote the file."""
        return any(act.id > self.act_id for act, _ in self.curator.ledger.versions(path))

    @cached_property
    def _later(self) -> list[ActRecord]:
        return self.curator.ledger.history(_RECENT)

    @property
    def _somebody_else_acted(self) -> bool:
        """Whether an act of another ledger, which came with git, stands that is newer."""
        own = {act.id for act in self._later} | {self.act_id}
        events = standing(read_all(self.curator.files.events)[0])
        return any(act_of(event) not in own and self._is_newer(event) for event in events)

    def _is_newer(self, event: Event) -> bool:
        """Whether an event came after the act; ids that another tool made say nothing about time."""
        if len(event.id) == len(self.act_id):
            return event.id > self.act_id
        record = self.curator.ledger.act(self.act_id)
        return record is None or event.at > record.at


def _inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts
