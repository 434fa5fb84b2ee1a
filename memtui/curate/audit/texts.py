"""The texts of a stored file, each with where it stands, without the store's own code: as bytes lie."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from memtui.curate.purging.needles import unpacked

_SHADOWS = ("_data", "_idx", "_docsize", "_config", "_content")
_JSON = (".json", ".jsonl")

Text = tuple[str, str]
"""Where it stands, and the text."""


def texts_of(path: Path) -> Iterator[Text]:
    """The texts of one file: of a database its rows, of JSON its values, else the whole. Raises OSError,
    sqlite3.Error for a database that cannot be read.
    """
    if path.suffix == ".db":
        yield from rows_of(path)
        return
    text = unpacked(path).decode("utf-8", "replace")
    if path.suffix not in _JSON:
        yield "", text
        return
    for number, line in enumerate(text.split("\n") if path.suffix == ".jsonl" else [text], start=1):
        for value in strings_of(line):
            yield f"line {number}" if path.suffix == ".jsonl" else "", value


def rows_of(path: Path) -> Iterator[Text]:
    """The texts of a database's tables, those of full-text indexes aside: they hold words, no text."""
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=5)) as db:
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        listed = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        virtual = [name for name, sql in listed if (sql or "").upper().startswith("CREATE VIRTUAL")]
        hidden = {*virtual, *(name + shadow for name in virtual for shadow in _SHADOWS)}
        for table in (name for name, _ in listed if name not in hidden):
            name = table.replace('"', '""')
            for number, row in enumerate(db.execute(f'SELECT * FROM "{name}"'), start=1):
                for value in row:
                    if isinstance(value, bytes):
                        yield f"{table} row {number}", value.decode("utf-8", "replace")
                    elif isinstance(value, str):
                        yield from ((f"{table} row {number}", one) for one in strings_of(value))


def strings_of(text: str) -> Iterator[str]:
    """The texts in a JSON value, keys too; a text that is no JSON as it is."""
    if not text.lstrip().startswith(("{", "[")):
        yield text
        return
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        yield text
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for key, member in value.items():
                # A name and its value are told together: `password: ...` is one only so.
                if isinstance(member, str):
                    yield f"{key}: {member}"
                else:
                    waiting += [key, member]
        elif isinstance(value, list):
            waiting += value
