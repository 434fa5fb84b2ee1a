"""Times as people write and read them: ages, clocks, and what `@` understands."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_STEPS = (
    (365 * 86400, "y"),
    (30 * 86400, "mo"),
    (7 * 86400, "w"),
    (86400, "d"),
    (3600, "h"),
    (60, "m"),
)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_CLOCK = re.compile(
    r"^(?:(?P<date>\S+)[ T])?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?$"
)
_BACK = re.compile(r"^-\s*(?P<count>\d+)\s*(?P<unit>[mhdw])$")
_DATE = re.compile(r"^(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})$")


def moment(ms: int) -> datetime:
    """Milliseconds since the epoch as a local time."""
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone()


def milliseconds(at: datetime) -> int:
    """An aware time as milliseconds since the epoch."""
    return int(at.timestamp() * 1000)


def age(ms: int | None, now: datetime) -> str:
    """How long ago, in one unit: `now`, `5m`, `3h`, `2d`, `6w`, `1y`; empty when not known."""
    if ms is None:
        return ""
    seconds = now.timestamp() - ms / 1000
    for size, unit in _STEPS:
        if seconds >= size * (2 if unit in ("w", "mo") else 1):
            return f"{int(seconds // size)}{unit}"
    return "now"


def days(count: int) -> str:
    """An age in days, short: `0d`, `14d`, `9w`, `14mo`."""
    if count < 28:
        return f"{max(count, 0)}d"
    if count < 180:
        return f"{count // 7}w"
    return f"{count // 30}mo" if count < 730 else f"{count // 365}y"


def clock(ms: int | None) -> str:
    """Hour and minute, five cells."""
    return moment(ms).strftime("%H:%M") if ms is not None else "     "


def full(ms: int | None) -> str:
    """Date and time to the second."""
    return moment(ms).strftime("%Y-%m-%d %H:%M:%S") if ms is not None else "at an unknown time"


def parse_when(text: str, now: datetime, near: datetime | None = None) -> datetime:
    """The time meant by `14:02`, `2026-11-05`, `2026-11-05 14:02`, `yesterday` or `-2h`.

    A clock alone is of the day of `near`. Raises ValueError with what is understood.
    """
    word = text.strip().lower()
    local = now.astimezone()
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if back := _BACK.match(word):
        return local - timedelta(**{_UNITS[back["unit"]]: int(back["count"])})
    if match := _CLOCK.match(word):
        start = (near or now).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        if match["date"]:
            start = _day(match["date"], midnight)
        hour, minute = int(match["hour"]), int(match["minute"])
        if hour < 24 and minute < 60:
            return start.replace(
                hour=hour, minute=minute, second=min(59, int(match["second"] or 0))
            )
    elif word:
        return _day(word, midnight)
    raise ValueError(_UNDERSTOOD.format(text.strip()))


_UNDERSTOOD = "{!r} is no time: write 14:02, 2026-11-05, yesterday or -2h"


def _day(word: str, midnight: datetime) -> datetime:
    if word in ("now", "today"):
        return midnight
    if word == "yesterday":
        return midnight - timedelta(days=1)
    if match := _DATE.match(word):
        try:
            return midnight.replace(
                year=int(match["year"]), month=int(match["month"]), day=int(match["day"])
            )
        except ValueError as error:
            raise ValueError(f"{word!r} is no date of the calendar") from error
    raise ValueError(_UNDERSTOOD.format(word))
