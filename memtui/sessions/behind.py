"""Records that the catalogue has not read yet, looked for in the files themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from memtui.hosts.access import open_lines
from memtui.hosts.model import Entry, HostHome, Skipped, SourceFile, Span
from memtui.hosts.protocol import Host
from memtui.sessions.files import FileRow, file_at, has_marks, load_file


def find_behind(
    db: sqlite3.Connection, host: Host, session: str, record: str, home: HostHome | None
) -> tuple[SourceFile, Span] | None:
    """The place of a record in what the catalogue has not read of a session's files.

    Files that it does not know are looked for below `home`. A file that cannot be read holds nothing.
    """
    for source, row in _candidates(db, host, session, home):
        try:
            found = _search(host, source, row, record)
        except OSError:
            continue
        if found is not None:
            return source, found
    return None


def _candidates(
    db: sqlite3.Connection, host: Host, session: str, home: HostHome | None
) -> Iterator[tuple[SourceFile, FileRow | None]]:
    known = db.execute(
        "SELECT sf.file FROM session_files sf JOIN sessions s ON s.id = sf.session "
        "WHERE s.host = ? AND s.session = ? ORDER BY sf.file",
        (host.name, session),
    ).fetchall()
    for (file,) in known:
        row = load_file(db, file)
        yield row.source, row if has_marks(row) else None
    if home is not None and not known:
        for source in host.discover(home):
            if source.session in (None, session) and file_at(db, source.path) is None:
                yield source, None


def _search(host: Host, source: SourceFile, row: FileRow | None, record: str) -> Span | None:
    """Read on from where the catalogue stands in the file, or all of it where there is no such place."""
    state = (row.parser_state() or {}) if row else {}
    parser = host.parser(source, state.get("parser"))
    for line in open_lines(source, row.offset if row else 0, row.ordinal if row else 0):
        if isinstance(line, Skipped):
            continue
        for event in parser.feed(line):
            if isinstance(event, Entry) and event.record == record:
                return event.span
    return None
