"""Reading values of unknown shape: every function takes anything and never raises."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_MAX_MILLIS = 253_402_300_799_999
"""The last millisecond of the year 9999: larger numbers are not times."""

_MILLIS_FROM = 100_000_000_000
"""Numbers from here on are milliseconds; smaller ones are seconds (up to the year 5138)."""

_SPACE = re.compile(r"\s+")


def text_of(value: Any) -> str:
    """`value` if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def text_or_none(value: Any) -> str | None:
    """`value` if it is a string that is not empty, else None."""
    return value if isinstance(value, str) and value else None


def map_of(value: Any) -> dict[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def int_or_none(value: Any) -> int | None:
    """`value` as an integer if it is a finite number (booleans are not), else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if math.isfinite(value) else None


def count_of(value: Any) -> int:
    """`value` if it is a number above zero and below 2^53, else 0."""
    if type(value) is int:
        return value if 0 < value < 2**53 else 0
    number = int_or_none(value)
    return number if number is not None and 0 < number < 2**53 else 0


def millis(value: Any) -> int | None:
    """Milliseconds since the epoch of an ISO string (no zone = UTC) or of a Unix number."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            number: int | None = round(moment.timestamp() * 1000)
        except (ValueError, OverflowError):
            return None
    else:
        number = int_or_none(value)
        if number is not None and number < _MILLIS_FROM:
            number = int(value * 1000)
    return number if number is not None and 0 <= number <= _MAX_MILLIS else None


def first_line(text: str, limit: int = 200) -> str:
    """The first line of `text` that is not blank, its spaces collapsed, at most `limit` characters.

    Looks at the first 4,000 characters only.
    """
    for line in text[:4000].split("\n"):
        if stripped := _SPACE.sub(" ", line).strip():
            return stripped[:limit]
    return ""


def joined_text(content: Any) -> str:
    """The text of message content: a string, or the texts of its blocks joined by line feeds.

    A block that is not text shows as its type in brackets: "[image]".
    """
    if isinstance(content, str):
        return content
    return "\n".join(part for block in list_of(content) if (part := block_text(block)))


def block_text(block: Any) -> str:
    """The text of one content block, or "[type]" of a block that holds none."""
    if isinstance(block, str):
        return block
    fields = map_of(block)
    text = fields.get("text")
    if isinstance(text, str):
        return text
    kind = text_of(fields.get("type")).removeprefix("input_").removesuffix("_url")
    return f"[{kind}]" if kind else ""


def pick(record: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The fields of `record` named in `keys` that are present and not None."""
    return {key: record[key] for key in keys if record.get(key) is not None}
