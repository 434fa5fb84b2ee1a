"""Whole files and single records, whatever the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memtui.hosts.access import open_lines, read_span
from memtui.hosts.model import Entry, Kind, RawLine, Skipped, SourceFile, Span
from memtui.hosts.protocol import Event
from memtui.hosts.registry import host


def parse_file(source: SourceFile) -> Iterator[Event]:
    """The events of a whole file, in file order; a half-written last line is left out.

    Raises KeyError for an unknown host and OSError when the file cannot be read; never for what
    the file holds.
    """
    parser = host(source.host).parser(source)
    for line in open_lines(source):
        if isinstance(line, Skipped):
            yield line
        else:
            yield from parser.feed(line)


def read_record(
    source: SourceFile, span: Span, ordinal: int = 0, state: Mapping[str, Any] | None = None
) -> tuple[bytes, list[Entry]]:
    """The raw bytes at `span` of `source`, and their entries.

    `ordinal` is the line's number, which ids of records without one of their own need. `state` (see
    `Parser.state`) is what the parser knew before that line: without it, entries that depend on
    earlier lines (the tool of a result, a text told twice) are read as if there were none. Raises
    OSError, and EOFError when the file has become shorter.
    """
    data = read_span(source, span)
    parser = host(source.host).parser(source, state)
    events = parser.feed(RawLine(ordinal, span.offset, data))
    return data, [event for event in events if isinstance(event, Entry)]


def without_rolled_back(entries: Iterable[Entry]) -> list[Entry]:
    """`entries` without what the host itself forgot when a person went back in the conversation."""
    kept: list[Entry] = []
    for entry in entries:
        if entry.kind is Kind.NOTICE and entry.tool == "thread_rolled_back":
            turns = (entry.input or {}).get("num_turns")
            starts = [
                n for n, old in enumerate(kept) if old.kind is Kind.PROMPT and old.agent is None
            ]
            if isinstance(turns, int) and turns > 0 and starts:
                del kept[starts[max(0, len(starts) - turns)] :]
        elif entry.kind is Kind.NOTICE and entry.tool == "rewound":
            to = (entry.input or {}).get("record")
            del kept[
                next((n for n, old in enumerate(kept) if old.record.partition("/")[0] == to), 0) :
            ]
        kept.append(entry)
    return kept
