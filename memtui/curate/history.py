"""What happened to the bank, newest first, with diffs; and what it said at a given moment.

The list comes from the events, which everybody has. Diffs come from this ledger's bytes where it has
them, else from the lines that the event keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.bank.model import BankContents, Event, Item
from memtui.bank.standing import CORRECTIONS, OF, act_of, undone_acts
from memtui.curate.act import CurateError
from memtui.curate.curator import EXTERNAL, Curator
from memtui.curate.file_data import FILES
from memtui.curate.file_records import changed_lines
from memtui.curate.files import is_item, parse_item, path_of
from memtui.curate.hunks import Hunk, load, unified
from memtui.ledger.model import FileRecord


@dataclass(frozen=True, slots=True)
class Entry:
    """One act of the bank's history. `act` names it for `preview_revert` and `diffs`.

    `about` is the act that an undo, redo or revert is about; `undone` tells that it was taken back.
    """

    act: str
    at: datetime
    writer: str
    by: str
    verb: str
    items: tuple[str, ...]
    title: str
    reason: str
    about: str
    undone: bool
    events: tuple[Event, ...]

    @property
    def external(self) -> bool:
        """Whether the change was made outside memtui."""
        return self.writer == EXTERNAL or self.writer.startswith(f"{EXTERNAL}-")

    @property
    def revertible(self) -> bool:
        """Whether `preview_revert` may be asked for it."""
        return not self.undone and self.verb not in ("purge", *CORRECTIONS)


def history(events: Sequence[Event]) -> list[Entry]:
    """All acts, newest first; events of one act are one entry."""
    undone = undone_acts(events)
    groups: dict[str, list[Event]] = {}
    for event in events:
        groups.setdefault(act_of(event), []).append(event)
    found = [_entry(act, group, act in undone) for act, group in groups.items()]
    return sorted(found, key=lambda e: (e.at, e.events[-1].id), reverse=True)


def diffs(curator: Curator, entry: Entry) -> dict[str, str]:
    """Unified diffs of the files that the act changed, by path; empty when nobody kept any."""
    record = curator.ledger.act(entry.act)
    if record is not None and record.files:
        return {file.path: _diff(file) for file in record.files}
    found: dict[str, str] = {}
    for event in entry.events:
        files = event.data.get(FILES)
        for path, kept in files.items() if isinstance(files, Mapping) else ():
            found[str(path)] = _diff_from_lines(str(path), kept)
    return found


@dataclass(frozen=True, slots=True)
class AsOf:
    """A file at a moment: `data` None means that it was not there. Without `exact`, no act of this
    ledger covers that moment, and `data` is the nearest text that is known."""

    path: str
    data: bytes | None
    exact: bool


def item_as_of(curator: Curator, item: Item, moment: datetime) -> AsOf:
    """What a card or page said at `moment`, under whatever name it had then."""
    path = path_of(curator, item)
    versions = [
        (seq, at, file)
        for known in _paths_of(curator, item, path)
        for seq, at, file in _versions(curator, known)
        if _is_of(curator, file, item)
    ]
    return _at(sorted(versions, key=lambda v: v[0]), moment, path, curator.read(path))


def bank_as_of(curator: Curator, contents: BankContents, moment: datetime) -> dict[str, AsOf]:
    """Every card and page file that existed at `moment`, by path."""
    now = {path_of(curator, item) for item in (*contents.cards, *contents.pages)}
    known = {path for path in curator.ledger.paths() if is_item(curator, path)}
    found = {}
    for path in sorted(now | known):
        then = _at(_versions(curator, path), moment, path, curator.read(path))
        if then.data is not None:
            found[path] = then
    return found


def find_entry(events: Sequence[Event], word: str) -> Entry:
    """The entry whose act id begins with `word`. Raises CurateError when none or several do."""
    found = [entry for entry in history(events) if entry.act.startswith(word)]
    if len(found) != 1:
        many = "several acts begin" if found else "no act begins"
        raise CurateError(f"{many} with {word}", "`memtui history` lists them")
    return found[0]


def _entry(act: str, group: Sequence[Event], undone: bool) -> Entry:
    first = group[0]
    items = dict.fromkeys(event.item for event in group if event.item)
    return Entry(
        act=act,
        at=first.at,
        writer=first.writer,
        by=first.by,
        verb=first.verb,
        items=tuple(items),
        title=first.title,
        reason=first.reason,
        about=str(first.data.get(OF, "")),
        undone=undone,
        events=tuple(group),
    )


def _diff(file: FileRecord) -> str:
    if file.start is None:
        return unified(file.before, file.after, file.path)
    return _rows(file.path, changed_lines(file))


def _diff_from_lines(path: str, kept: Any) -> str:
    if not isinstance(kept, Mapping) or not kept.get("lines"):
        before = isinstance(kept, Mapping) and kept.get("before")
        return f"{path}: {'removed' if before else 'created'}"
    try:
        return _rows(path, load(kept["lines"]))
    except ValueError:
        return f"{path}: the event is damaged"


def _rows(path: str, changes: Iterable[Hunk]) -> str:
    rows = [f"--- {path}", f"+++ {path}"]
    for hunk in changes:
        rows.append(f"@@ line {hunk.line + 1} @@")
        rows += [f" {hunk.above.rstrip()}"] if hunk.above.strip() else []
        rows += [f"-{line.rstrip()}" for line in hunk.old]
        rows += [f"+{line.rstrip()}" for line in hunk.new]
    return "\n".join(rows)


def _paths_of(curator: Curator, item: Item, path: str) -> set[str]:
    """The paths under which the item was ever kept: its own, and those that renames took it from."""
    found = {path}
    for other in curator.ledger.paths():
        if other != path and is_item(curator, other):
            files = [file for _, _, file in _versions(curator, other)]
            if any(_is_of(curator, file, item) for file in files):
                found.add(other)
    return found


def _versions(curator: Curator, path: str) -> list[tuple[int, datetime, FileRecord]]:
    return [(act.seq, act.at, file) for act, file in curator.ledger.versions(path)]


def _is_of(curator: Curator, file: FileRecord, item: Item) -> bool:
    data = file.after if file.after is not None else file.before
    if data is None or item.assigned:
        return curator.place(file.path) == item.path
    return parse_item(curator, file.path, data).id == item.id


def _at(
    versions: Sequence[tuple[int, datetime, FileRecord]],
    moment: datetime,
    path: str,
    current: bytes | None,
) -> AsOf:
    if not versions:
        return AsOf(path, current, False)
    past = [file for _, at, file in versions if at <= moment]
    if not past:
        first = versions[0][2]
        return AsOf(first.path, first.before, True)
    # A rename is two changes of one act: the last of them that leaves a file is where the item is.
    last_act = max(seq for seq, at, _ in versions if at <= moment)
    last = [file for seq, _, file in versions if seq == last_act]
    kept = next((file for file in last if file.after is not None), last[-1])
    return AsOf(kept.path, kept.after, True)
