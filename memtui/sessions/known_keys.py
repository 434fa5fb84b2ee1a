"""Which records the catalogue may hold, in memory: most records that are read are new."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_BITS = 26
_MASK = (1 << _BITS) - 1


class KnownKeys:
    """A bit for each place that the keys of `records` fall on, hashes that they are: 8 MB, and one in
    40 new keys falls on the place of another at 1,600,000.

    A key that it does not have is not in the table as of the last `catch_up` and what was added since.
    """

    def __init__(self) -> None:
        self._bits = bytearray(1 << (_BITS - 3))
        self._seen = 0

    def catch_up(self, db: sqlite3.Connection) -> None:
        """Take in the records written since the last time, by anyone."""
        last = _last(db)
        found = db.execute("SELECT key FROM records WHERE id > ? AND id <= ?", (self._seen, last))
        self.add(key for (key,) in found)
        self._seen = last

    def written(self, db: sqlite3.Connection) -> None:
        """All that was written since the last time was given to `add`."""
        self._seen = _last(db)

    def add(self, keys: Iterable[int]) -> None:
        """Remember these."""
        bits = self._bits
        for key in keys:
            place = key & _MASK
            bits[place >> 3] |= 1 << (place & 7)

    def may_have(self, key: int) -> bool:
        """Whether the key may be known."""
        place = key & _MASK
        return self._bits[place >> 3] >> (place & 7) & 1 == 1


def _last(db: sqlite3.Connection) -> int:
    found = db.execute("SELECT MAX(id) FROM records").fetchone()
    return int(found[0] or 0)
