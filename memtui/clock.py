"""The clock that everything asks for the time, so that demo, tests and replays can pin it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime in UTC."""


def system_clock() -> datetime:
    """The machine's time in UTC."""
    return datetime.now(UTC)


def parse_time(text: str) -> datetime:
    """Parse an ISO 8601 time; a missing offset means UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def format_time(moment: datetime) -> str:
    """ISO 8601 in UTC to the second with a trailing Z, the form used in every file of a bank."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def fixed_clock(moment: datetime) -> Clock:
    """A clock that always shows `moment`."""
    return lambda: moment


def clock_from(environ: Mapping[str, str] = os.environ) -> Clock:
    """The system clock, or the fixed time in `MEMTUI_NOW`. Raises ValueError when that is no time."""
    pinned = environ.get("MEMTUI_NOW")
    return fixed_clock(parse_time(pinned)) if pinned else system_clock
