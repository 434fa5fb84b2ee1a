"""An index checked against the files just before a hook uses it: what changed is read again.

Checked are the folders' times (where one changed: its new, removed and changed files), the event files'
sizes (for flags and purges), and the files of the lines about to be shown. A hidden card that is written
over in place, without its folder's time changing, is noticed by the next refresh only. What
cannot be verified is held back, never guessed.
"""

# A hook has no time for pathlib.
# ruff: noqa: PTH116, PTH118, PTH119, PTH123, PTH208
from __future__ import annotations

import json
import os
from typing import Any

from memtui import reasons
from memtui.safety.digest import sha256
from memtui.safety.ruleset import name_of

MAX_NEW = 64
"""So many new files are read by a hook; more are left to the next refresh, and said."""

ABSENT = -1
"""The time of a folder that was not there (see `memtui.index.files`)."""

MAX_FILE = 4 * 1024 * 1024
"""Bytes of a memory file that are read, as in `memtui.bank.load`."""

HANDLE, NAME, TITLE, LAYER, TAGS, TIER, SCORE, USED, ORIGIN, STATES = (
    0,
    1,
    2,
    3,
    5,
    6,
    7,
    10,
    14,
    15,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtui.index.reader import Ingredients, Reader
    from memtui.index.reread import Before


class Rechecked:
    """A `Reader` whose answers are corrected by what the files say now.

    `notes` say what could not be brought up to date. `verified` are the row ids whose file was looked at.
    """

    def __init__(self, reader: Reader, today: int, patterns: Sequence[str] = ()) -> None:
        """Check folders and events. `patterns` are the user's own of secrets. Raises sqlite3.Error.

        Where the index was made under other redaction rules, each line is looked at before it counts.
        """
        self.reader = reader
        self.today = today
        self.root = os.fsencode(reader.meta["root"])
        self.notes: list[str] = []
        self.verified: set[int] = set()
        self.only_verified = False
        self._gone: set[int] = set()
        self._new: dict[bytes, tuple[Any, ...]] = {}
        self._replaced: set[str] = set()
        self._links: dict[str, tuple[str, ...]] = {}
        self._judged: dict[str, str] = json.loads(reader.meta["judged"])
        self._known_judged = frozenset(self._judged)
        self._audit = reader.meta.get("rules") != name_of(patterns)
        self._check_events()
        self._check_folders()

    def head(self) -> Ingredients:
        """Everything but items."""
        return self.reader.head()

    def size(self) -> int:
        """How many items there are."""
        return self.reader.size() - len(self._gone) + len(self._new)

    def best(
        self,
        scope: tuple[str, str, int],
        weights: tuple[float, float, float, float],
        wanted: tuple[int, int, float, int, int],
    ) -> list[tuple[int, float]]:
        """See `Reader.best`. Rows that are gone or replaced may be among them; `items` leaves them out."""
        return self.reader.best(scope, weights, wanted)

    def total(self, scope: tuple[str, str, int]) -> int:
        """How many rows hold in the scope; `extras` are not counted."""
        words = (*self._replaced, *(self._judged.keys() - self._known_judged))
        rows = self.reader.words(words)
        hit = {seq for seq, handle, name in rows if self._state_of(handle, name)}
        return self.reader.total(scope) - self.reader.live(scope, self._gone | hit)

    def items(self, seqs: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """The candidates of those row ids that still stand."""
        found = self.reader.items(seq for seq in seqs if self._stands(seq))
        return {seq: self._adjusted(row) for seq, row in found.items()}

    def extras(self) -> tuple[tuple[Any, ...], ...]:
        """Candidates read again or found new."""
        return tuple(self._adjusted(row) for row in self._new.values())

    def everything(self) -> Ingredients:
        """The whole bank, every file checked."""
        seqs = self.reader.seqs()
        self.recheck(seqs)
        rows = [*self.items(seqs).values(), *self.extras()]
        rows.sort(key=lambda row: (row[LAYER], row[NAME]))
        return self.head()._replace(items=tuple(rows))

    def recheck(self, seqs: Iterable[int]) -> bool:
        """Look at the files of these rows; whether any of them is not as indexed."""
        before = len(self._gone)
        wanted = [seq for seq in seqs if seq > 0 and seq not in self.verified]
        for seq, path, mtime_ns, size, digest in self.reader.files(wanted):
            self.verified.add(seq)
            self._check(seq, path, (mtime_ns, size), digest)
        return len(self._gone) > before

    def _stands(self, seq: int) -> bool:
        return seq not in self._gone and (not self.only_verified or seq in self.verified)

    def _check(self, seq: int, path: bytes, seen: tuple[int, int], digest: str) -> None:
        place = os.path.join(self.root, path)
        try:
            stat = os.stat(place)
            if (stat.st_mtime_ns, stat.st_size) == seen:
                return
            data = _content(place)
        except FileNotFoundError:
            self._gone.add(seq)
            return
        except OSError as error:
            self._gone.add(seq)
            self.notes.append(f"{os.fsdecode(path)}: {error.strerror or error}")
            return
        if sha256(data).hexdigest() == digest:
            return
        row = self.reader.items([seq])[seq]
        self._gone.add(seq)
        self._read(path, data, row)

    def _read(self, path: bytes, data: bytes, row: tuple[Any, ...] | None) -> None:
        from memtui.index.reread import reread

        name = os.fsdecode(os.path.basename(path))
        layer = "page" if path.startswith(b"pages/") else "card"
        made = reread(name, layer, data, _before(row), self.today)
        if row is None:
            before = self._same_id(made.candidate[HANDLE])
            if before is not None:
                made = reread(name, layer, data, before, self.today)
        self._new[path] = _audited(made.candidate)
        states = made.candidate[STATES]
        outside = made.candidate[ORIGIN].strip().casefold().startswith("external")
        trusted = made.candidate[TIER] == "confirmed" or not outside
        words = (made.candidate[HANDLE], made.candidate[NAME])
        self._links.update(dict.fromkeys(words, made.supersedes))
        is_root = trusted and not {reasons.STALE, reasons.RETIRED, reasons.CONFLICT} & set(states)
        if is_root or not self._replaced.isdisjoint(words):
            self._replace(made.supersedes, words)

    def _replace(self, supersedes: tuple[str, ...], by: tuple[str, str]) -> None:
        """Take out what is superseded by an item (its handle and name), and what that superseded."""
        waiting = list(supersedes)
        while waiting:
            word = waiting.pop()
            if word not in by and word not in self._replaced:
                self._replaced.add(word)
                waiting += self._links[word] if word in self._links else self._links_of(word)

    def _links_of(self, word: str) -> list[str]:
        """What the items of a handle or name supersede, whose files are as indexed."""
        from memtui.index.reread import reread

        rows = [row for row in self.reader.words((word,)) if row[0] not in self._gone]
        links: list[str] = []
        for _, path, *_ in self.reader.files([row[0] for row in rows]):
            try:
                data = _content(os.path.join(self.root, path))
            except OSError:
                continue  # `recheck` notes it where the item is about to be shown
            name = os.fsdecode(os.path.basename(path))
            links += reread(name, "card", data, None, self.today).supersedes
        if len(rows) == 1:
            # An item is named by its handle here and by its name there: its file is read once.
            self._links.update(dict.fromkeys(rows[0][1:], tuple(links)))
        return links

    def _same_id(self, handle: str) -> Before | None:
        """What is known of a new file's id: another file's that is gone (it was renamed), or nothing.

        Where the other file still stands, the new one is a copy, listed under an id of its own.
        """
        from memtui.index.reread import STRANGER

        rows = [seq for seq, found, _ in self.reader.words((handle,)) if found == handle]
        for seq in rows:
            if seq in self._gone:
                return _before(self.reader.items([seq])[seq])
        return STRANGER if rows else None

    def _adjusted(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A candidate with the state that a new event or a changed file gives it, first."""
        if self._audit:
            row = _audited(row)
        state = self._state_of(row[HANDLE], row[NAME])
        if not state or state in row[STATES]:
            return row
        states = sorted((state, *row[STATES]), key=_ORDER.index)
        return (*row[:STATES], tuple(states), *row[STATES + 1 :])

    def _state_of(self, handle: str, name: str) -> str:
        if handle in self._judged:
            return self._judged[handle]
        return reasons.SUPERSEDED if not self._replaced.isdisjoint((handle, name)) else ""

    def _check_folders(self) -> None:
        known: dict[bytes, int] | None = None
        for folder, mtime_ns in json.loads(self.reader.meta["folders"]).items():
            place = os.path.join(self.root, os.fsencode(folder))
            try:
                if mtime_ns and os.stat(place).st_mtime_ns == mtime_ns:
                    continue
                present = _listed(place, os.fsencode(folder))
            except FileNotFoundError:
                if mtime_ns == ABSENT:
                    continue
                present = set()
            except OSError as error:
                self.notes.append(f"{folder or 'the bank'}: {error.strerror or error}")
                continue
            known = self.reader.paths() if known is None else known
            inside = os.path.join(os.fsencode(folder), b"")
            listed = {path for path in known if path.startswith(inside)}
            self._gone.update(known[path] for path in listed - present)
            self._read_new(sorted(present - listed))
            self._check_others([known[path] for path in listed & present])

    def _check_others(self, seqs: list[int]) -> None:
        """Files of a changed folder that no line shows: one may now supersede a line that is."""
        changed = [file for file in self.reader.files(seqs) if not self._as_seen(file)]
        if len(changed) > MAX_NEW:
            self.notes.append(
                f"the index is behind: {len(changed)} changed files, {MAX_NEW} were read"
            )
        for seq, path, mtime_ns, size, digest in changed[:MAX_NEW]:
            self.verified.add(seq)
            self._check(seq, path, (mtime_ns, size), digest)

    def _as_seen(self, file: tuple[int, bytes, int, int, str]) -> bool:
        """Whether a file has the time and size that the index saw; what cannot be read is checked later."""
        try:
            stat = os.stat(os.path.join(self.root, file[1]))
        except OSError:
            return False
        return (stat.st_mtime_ns, stat.st_size) == file[2:4]

    def _read_new(self, paths: list[bytes]) -> None:
        if len(paths) > MAX_NEW:
            self.notes.append(f"the index is behind: {len(paths)} new files, {MAX_NEW} were read")
        for path in paths[:MAX_NEW]:
            try:
                self._read(path, _content(os.path.join(self.root, path)), None)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.notes.append(f"{os.fsdecode(path)}: {error.strerror or error}")

    def _check_events(self) -> None:
        """Flags and purges that were written since: they hold an item back at once."""
        folder = os.fsencode(self.reader.meta["events_folder"])
        if not folder:
            return
        seen = json.loads(self.reader.meta["events"])
        lines: list[bytes] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    start = seen.get(os.fsdecode(entry.name), 0)
                    if entry.name.endswith(b".jsonl") and entry.stat().st_size != start:
                        lines += _tail(entry.path, start)
        except FileNotFoundError:
            return
        except OSError as error:
            self.notes.append(f"events: {error.strerror or error}")
        self._judge(lines)

    def _judge(self, lines: list[bytes]) -> None:
        events = sorted(event for event in map(_event, lines) if event is not None)
        undone: set[str] = set()
        for _, verb, _, _, _, _, of in events:
            if verb in ("undo", "revert"):
                undone.add(of)
            elif verb == "redo":
                undone.discard(of)
        for _, verb, item, by, kind, act, _ in events:
            handle = item.partition(":")[2]
            if kind == "tombstone":
                self._judged[handle] = reasons.TOMBSTONED
            elif self._judged.get(handle) == reasons.TOMBSTONED or (act and act in undone):
                continue
            elif verb == "flag" and by == "human":
                self._judged[handle] = reasons.DISPUTED
            elif verb == "confirm" and by == "human":
                self._judged.pop(handle, None)


def _audited(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A candidate that is held back where its line would say a secret. Slow: the rules are imported."""
    from memtui.safety.redact import redact

    states = row[STATES]
    line = "\n".join((row[NAME], row[TITLE], *row[TAGS]))  # as in `memtui.index.secrets`
    if reasons.SECRET in states or not redact(line).count:
        return row
    held = tuple(sorted((reasons.SECRET, *states), key=_ORDER.index))
    return (*row[:STATES], held, *row[STATES + 1 :])


def _before(row: tuple[Any, ...] | None) -> Before | None:
    from memtui.index.reread import Before

    if row is None:
        return None
    return Before(row[HANDLE], row[TIER], row[SCORE], row[USED], row[STATES])


_ORDER = (*reasons.ABSENT, *reasons.WARNINGS)


def _listed(place: bytes, folder: bytes) -> set[bytes]:
    """The memory files of a folder, relative to the bank."""
    return {
        os.path.join(folder, name)
        for name in os.listdir(place)
        if name.endswith(b".md") and name != b"MEMORY.md" and not name.startswith(b".")
    }


def _content(place: bytes) -> bytes:
    """A file's bytes. Raises OSError, also for one that is too large for a memory file."""
    with open(place, "rb") as stream:
        data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise OSError(f"larger than {MAX_FILE} bytes")
    return data


def _tail(place: bytes, start: int) -> list[bytes]:
    """The lines of a file after byte `start`; all of them when it has become shorter."""
    with open(place, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(start if size >= start else 0)
        return stream.read().split(b"\n")


def _event(line: bytes) -> tuple[str, ...] | None:
    """(at, verb, item, by, kind, act, act it is about) of an event's line; None for what is no event."""
    try:
        event = json.loads(line)
        data = event.get("data") or {}
        by = event.get("by") or "human"
        said = (event["at"], event["verb"], event.get("item") or "", by, event["kind"])
        fields = (*said, data.get("act") or "", data.get("of") or "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # `memtui.bank.events` reports what does not read
    return fields if all(isinstance(field, str) for field in fields) else None
