"""Rows of a session, a block of 256 sequence numbers at a time."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from memtui.sessions.rows import BLOCK_BITS, KINDS, MAX_SEQ, Facet, split_id, turn_id
from memtui.sessions.timeline_rows import TurnRow

_KEPT_PAGES = 256
_KEPT_MAPS = 512

_CHILD = (
    "(SELECT c.id FROM sessions o JOIN sessions c ON c.host = o.host WHERE o.id = t.id >> 24 "
    "AND c.agent = t.agent AND c.agent <> '' AND (c.parent_id = o.session OR c.parent = o.id) LIMIT 1)"
)
_CHILD_BY_NAME = (
    "(SELECT c.id FROM sessions o JOIN sessions c ON c.host = o.host WHERE o.id = t.id >> 24 "
    "AND c.session = t.agent AND c.agent <> '' LIMIT 1)"
)
_ROWS = (
    "SELECT t.id, t.kind, t.flags, t.record, t.part, t.at, t.preview, t.tool, t.exit_code, t.calls, "
    "t.failed, t.tokens_in, t.tokens_out, "
    f"CASE WHEN t.agent IS NULL THEN NULL ELSE COALESCE({_CHILD}, {_CHILD_BY_NAME}) END "
    "FROM turns t WHERE t.id BETWEEN ? AND ? AND t.facets & ? ORDER BY t.id"
)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The blocks of a session that hold rows of the facet; `starts` has one more at its end."""

    numbers: list[int]
    starts: list[int]


class Pages:
    """Reads and keeps rows of one facet."""

    def __init__(self, db: sqlite3.Connection, facet: Facet) -> None:
        self._db = db
        self._bit = facet.bit
        self._count = f"n_{facet}"
        self._maps: OrderedDict[int, _Blocks] = OrderedDict()
        self._pages: OrderedDict[tuple[int, int], list[TurnRow]] = OrderedDict()

    def forget(self, sessions: set[int]) -> None:
        """Drop what is kept of sessions that changed."""
        for session in sessions:
            self._maps.pop(session, None)
        for key in [key for key in self._pages if key[0] in sessions]:
            del self._pages[key]

    def row(self, session: int, place: int) -> TurnRow | None:
        """The row at `place` (from 0) among the session's rows."""
        blocks = self._blocks(session)
        number = bisect_right(blocks.starts, place) - 1
        if not 0 <= number < len(blocks.numbers):
            return None
        page = self._page(session, blocks.numbers[number])
        inside = place - blocks.starts[number]
        return page[inside] if inside < len(page) else None

    def place_of(self, session: int, seq: int) -> int:
        """How many rows of the session come before or at `seq`, minus one; -1 if there is none."""
        blocks = self._blocks(session)
        block = seq >> BLOCK_BITS
        number = bisect_right(blocks.numbers, block) - 1
        if number < 0:
            return -1
        if blocks.numbers[number] != block:
            return blocks.starts[number + 1] - 1
        page = self._page(session, block)
        return blocks.starts[number] + bisect_right([row.seq for row in page], seq) - 1

    def _blocks(self, session: int) -> _Blocks:
        found = self._maps.get(session)
        if found is None:
            rows = self._db.execute(
                f"SELECT block, {self._count} FROM blocks WHERE session = ? AND {self._count} > 0 "
                "ORDER BY block",
                (session,),
            ).fetchall()
            starts = list(accumulate((row[1] for row in rows), initial=0))
            found = self._maps[session] = _Blocks([row[0] for row in rows], starts)
            _trim(self._maps, _KEPT_MAPS)
        else:
            self._maps.move_to_end(session)
        return found

    def _page(self, session: int, block: int) -> list[TurnRow]:
        key = (session, block)
        found = self._pages.get(key)
        if found is None:
            first = turn_id(session, block << BLOCK_BITS)
            last = first + (1 << BLOCK_BITS) - 1
            rows = self._db.execute(_ROWS, (first, last, self._bit))
            found = self._pages[key] = [_turn(row) for row in rows]
            _trim(self._pages, _KEPT_PAGES)
        else:
            self._pages.move_to_end(key)
        return found

    def near(
        self,
        session: int,
        seq: int,
        condition: str,
        values: tuple[int, ...] = (),
        *,
        back: bool = False,
    ) -> int | None:
        """The sequence number of the nearest row before or after `seq` that fulfils an SQL condition.

        -1 stands before the first row, `MAX_SEQ` behind the last.
        """
        if back:
            span, order = (turn_id(session, 0), turn_id(session, max(seq, 0)) - 1), "DESC"
        else:
            span, order = (turn_id(session, 0) + seq + 1, turn_id(session, MAX_SEQ)), "ASC"
        found = self._db.execute(
            f"SELECT id FROM turns WHERE {condition} AND id BETWEEN {span[0]} AND {span[1]} "
            f"ORDER BY id {order} LIMIT 1",
            values,
        ).fetchone()
        return split_id(found[0])[1] if found else None


def _turn(row: tuple[Any, ...]) -> TurnRow:
    session, seq = split_id(row[0])
    return TurnRow(session, seq, KINDS[row[1]], *row[2:])


def _trim(kept: OrderedDict[Any, Any], limit: int) -> None:
    while len(kept) > limit:
        kept.popitem(last=False)
