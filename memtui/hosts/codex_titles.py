"""Titles that a person gave to Codex threads, kept outside the rollouts."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from memtui.hosts.decode import decode_line
from memtui.hosts.jsonl import LineReader
from memtui.hosts.model import Skipped
from memtui.hosts.shape import map_of, text_of


def session_titles(root: Path) -> dict[str, str]:
    """Thread id to title: `session_index.jsonl` of older versions, then `state_*.sqlite`.

    Whatever cannot be read counts as absent. The database is opened immutable, which neither
    locks nor writes anything, but does not see what is still in its write-ahead log.
    """
    titles: dict[str, str] = {}
    try:
        for line in LineReader(root / "session_index.jsonl"):
            if not isinstance(line, Skipped):
                for piece in decode_line(line.data).pieces:
                    _put(
                        titles,
                        map_of(piece.value).get("id"),
                        map_of(piece.value).get("thread_name"),
                    )
    except OSError:
        titles.clear()
    try:
        databases = sorted(root.glob("state_*.sqlite"))
    except OSError:
        databases = []
    for database in databases:
        for thread, title in _rows(database):
            _put(titles, thread, title)
    return titles


def _rows(database: Path) -> list[tuple[Any, Any]]:
    try:
        connection = sqlite3.connect(
            f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True
        )
    except sqlite3.Error:
        return []
    try:
        return connection.execute("SELECT id, name FROM threads WHERE name <> ''").fetchall()
    except sqlite3.Error:
        return []
    finally:
        connection.close()


def _put(titles: dict[str, str], thread: Any, title: Any) -> None:
    if text_of(thread) and text_of(title).strip():
        titles[text_of(thread)] = text_of(title).strip()
