"""`MEMORY.md` follows every act: one line per live card and page, every other byte left alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memtui.bank.layout import INDEX
from memtui.bank.memory_index import IndexLine, index_line, parse_index
from memtui.bank.model import BankContents, Event, Item, Layout, Page, Status
from memtui.curate.act import FileChange
from memtui.curate.curator import Curator
from memtui.curate.files import is_item, parse_item
from memtui.curate.following import target_of
from memtui.curate.hunks import lines_of
from memtui.curate.replacing import turned

_HEADING = {True: b"## pages", False: b"## cards"}


def follow_items(
    curator: Curator, changes: Sequence[FileChange], events: Sequence[Event] = ()
) -> tuple[FileChange, ...]:
    """The change of `MEMORY.md` that goes with changes of items; none where no line is touched.

    Items that the changed ones supersede leave it, and come back when nothing supersedes them any more;
    `events` are those of the act, where they are verdicts.
    """
    current = curator.read(INDEX)
    index = Index(curator, current or b"")
    follow_into(curator, index, changes)
    others = turned(curator, changes, events)
    for item in others.covered:
        index.remove(curator.relative(item.path))
    for item in others.released:
        path = curator.relative(item.path)
        index.update(path, None, path, item)
    made = index.data
    if made == (current or b""):
        return ()
    start = _header(curator) if current is None else b""
    return (FileChange(INDEX, current, start + made, follows=True),)


def mended(
    curator: Curator, contents: BankContents, absent: Collection[str] = ()
) -> tuple[FileChange, ...]:
    """The change that brings the index in step with the bank: missing lines added, others removed.

    `absent` are ids of active items that still do not belong there (superseded, tombstoned). The line of
    a file with conflict markers stays as it is: nobody knows yet what it says.
    """
    current = curator.read(INDEX)
    index = Index(curator, current or b"")
    items = (*contents.pages, *contents.cards)
    live = {
        curator.relative(item.path): item
        for item in items
        if item.status is Status.ACTIVE and not item.conflict and item.id not in absent
    }
    unknown = {curator.relative(item.path) for item in items if item.conflict}
    index.keep_only({*live, *unknown})
    for path, item in live.items():
        index.update(path, None, path, item)
    if index.data == (current or b""):
        return ()
    start = _header(curator) if current is None else b""
    return (FileChange(INDEX, current, start + index.data, follows=True),)


def raised(curator: Curator, path: str) -> tuple[FileChange, ...]:
    """The change that moves the line of a file above all other lines; none where it is there already."""
    current = curator.read(INDEX) or b""
    rows = lines_of(current)
    entries = parse_index(current)
    line = next((entry.number for entry in entries if target_of(entry) == path), None)
    if line is None or line == entries[0].number:
        return ()
    row = rows.pop(line)
    if not row.endswith(b"\n"):
        row += b"\n"
        rows[-1:] = [rows[-1].rstrip(b"\n")]
    rows.insert(entries[0].number, row)
    return (FileChange(INDEX, current, b"".join(rows), follows=True),)


def follow_into(curator: Curator, index: Index, changes: Sequence[FileChange]) -> None:
    """Bring the lines of all items among the changes in step."""
    items = [change for change in changes if is_item(curator, change.path)]
    old = {c.path: parse_item(curator, c.path, c.base) for c in items if c.base is not None}
    for change in items:
        if change.new is not None:
            new = parse_item(curator, change.path, change.new)
            before = change.path if change.path in old else _renamed_from(items, old, new)
            index.update(before, old.get(before or ""), change.path, new)
    for change in items:
        if change.new is None:
            index.remove(change.path)


def _renamed_from(items: Sequence[FileChange], old: Mapping[str, Item], new: Item) -> str | None:
    """The old path of a renamed item: a file that goes, of the same id."""
    gone = (change.path for change in items if change.new is None)
    return next((path for path in gone if path in old and new.id == old[path].id != ""), None)


class Index:
    """The lines of one index while it is edited."""

    def __init__(self, curator: Curator, data: bytes) -> None:
        self._layout = curator.layout
        self._lines = lines_of(data)

    @property
    def data(self) -> bytes:
        return b"".join(self._lines)

    def remove(self, path: str) -> None:
        gone = {entry.number for entry in self._entries() if target_of(entry) == path}
        self._lines = [line for at, line in enumerate(self._lines) if at not in gone]

    def keep_only(self, live: Collection[str]) -> None:
        """Remove the lines of other files of this bank, and second lines of one file."""
        seen: set[str] = set()
        gone: set[int] = set()
        for entry in self._entries():
            path = target_of(entry)
            ours = "/" not in path or path.startswith(("cards/", "pages/"))
            if ours and (path not in live or path in seen):
                gone.add(entry.number)
            seen.add(path)
        self._lines = [line for at, line in enumerate(self._lines) if at not in gone]

    def update(self, before: str | None, old: Item | None, path: str, new: Item) -> None:
        """Bring the line of an item in step: `before` is the path under which it was listed."""
        listed = [entry for entry in self._entries() if target_of(entry) == (before or path)]
        if new.status is not Status.ACTIVE:
            self.remove(before or path)
        elif listed and old is not None:
            self._rewrite(listed[0], old, before, path, new)
        elif not listed and (old is None or old.status is not Status.ACTIVE):
            self._insert(new)

    def _rewrite(
        self, entry: IndexLine, old: Item, before: str | None, path: str, new: Item
    ) -> None:
        """Change the title and the target where they changed; the words behind them are the owner's."""
        fresh = parse_index(index_line(new, self._layout, isinstance(new, Page)).encode())
        retitled = bool(fresh) and old.title != new.title
        title = fresh[0].title if retitled else entry.title
        target = path if before not in (None, path) else entry.target
        link = f"[{entry.title}]({entry.target})".encode()
        line = self._lines[entry.number]
        self._lines[entry.number] = line.replace(link, f"[{title}]({target})".encode(), 1)

    def _insert(self, item: Item) -> None:
        is_page = isinstance(item, Page)
        section = self._section(is_page) if self._layout is Layout.MEMTUI else None
        newline = b"\r\n" if self._lines and self._lines[0].endswith(b"\r\n") else b"\n"
        line = index_line(item, self._layout, is_page).encode() + newline
        if self._lines and not self._lines[-1].endswith(b"\n"):
            self._lines[-1] += newline
        if self._layout is Layout.MEMTUI and section is None:
            blank = [newline] if self._lines and self._lines[-1].strip() else []
            heading = b"## Pages" if is_page else b"## Cards"
            self._lines += [*blank, heading + newline, newline]
            section = len(self._lines) - 2
        self._lines.insert(self._end_of_list(section), line)

    def _section(self, is_page: bool) -> int | None:
        places = (
            at for at, line in enumerate(self._lines) if line.strip().lower() == _HEADING[is_page]
        )
        return next(places, None)

    def _end_of_list(self, section: int | None) -> int:
        """Behind the last index line (of the section, if there is one), else where a list begins."""
        start = 0 if section is None else section + 1
        stop = len(self._lines)
        if section is not None:
            heads = (at for at in range(start, stop) if self._lines[at].startswith(b"#"))
            stop = next(heads, stop)
        ends = [entry.number + 1 for entry in self._entries() if start <= entry.number < stop]
        if ends:
            return ends[-1]
        if section is None:
            return stop
        return start + 1 if start < stop and not self._lines[start].strip() else start

    def _entries(self) -> list[IndexLine]:
        return parse_index(self.data)


def _header(curator: Curator) -> bytes:
    if curator.layout is Layout.CLAUDE:
        return b""
    return f"# {curator.config.project or curator.config.id}: what we remember\n\n".encode()
