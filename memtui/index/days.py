"""Days: the grain of time in which an injection is planned, so that a replay needs no clock.

Expiry counts in whole UTC days too: on the day of its expiry an item no longer holds.
"""

from __future__ import annotations

import math
from datetime import datetime

DAY = 86_400
"""Seconds of a day."""


def day_of(moment: datetime | None) -> int:
    """The number of the UTC day since 1970-01-01, 0 for none."""
    return 0 if moment is None else math.floor(moment.timestamp() / DAY)


def expiry_day(expires: datetime | None) -> int:
    """The first day on which an item no longer holds, 0 for none."""
    return 0 if expires is None else max(1, day_of(expires))
