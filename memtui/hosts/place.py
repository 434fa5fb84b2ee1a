"""Records whose id is their place in a file: found by counting lines, whether they make an entry or not.

A host may tell one text in two records; the catalogue keeps one of them, and a citation may name either.
"""

from __future__ import annotations

import json

from memtui.hosts.access import open_lines
from memtui.hosts.model import Skipped, SourceFile, Span


def span_at(source: SourceFile, record: str) -> Span | None:
    """The place of the record called `<line>` or `<line>@<timestamp>`; None when it is not there.

    Raises OSError when the file cannot be read.
    """
    number, _, stamp = record.partition("@")
    if not number.isdecimal():
        return None
    wanted = int(number)
    for line in open_lines(source):
        if isinstance(line, Skipped):
            continue
        if line.ordinal == wanted and _stamp(line.data) == stamp:
            return Span(source.path, line.offset, len(line.data))
        if line.ordinal > wanted:
            return None
    return None


def _stamp(data: bytes) -> str:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    stamp = value.get("timestamp") if isinstance(value, dict) else None
    return stamp if isinstance(stamp, str) else ""
