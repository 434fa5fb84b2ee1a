"""What may be stored of a text: redacted, and one line where it is shown in a list."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line

PREVIEW = 200
"""Characters of a preview."""

WORDS = 8 * 1024
"""Characters of a record that the full text covers."""

_WINDOW = 320
_WIDE_WINDOW = 16 * 1024
_ID = re.compile(r"[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def redacted_head(text: str, window: int) -> str:
    """The first `window` characters, redacted. A secret cut in two at the end is left out whole."""
    if len(text) <= window:
        return redact(text).text
    cut = max(text.rfind(" ", 0, window), text.rfind("\n", 0, window), text.rfind("\t", 0, window))
    return redact(text[: cut if cut > 0 else window]).text


def preview(text: str, limit: int = PREVIEW) -> str:
    """The beginning of `text`, redacted, as one line of at most `limit` characters."""
    if not text:
        return ""
    window = _WINDOW if "-----BEGIN" not in text[:_WINDOW] else _WIDE_WINDOW
    return one_line(redacted_head(text, window), limit)


def words(text: str) -> str:
    """What of `text` goes into the full text."""
    return redacted_head(text, WORDS)


@lru_cache(maxsize=1024)
def clean(text: str | None, limit: int = PREVIEW) -> str | None:
    """A short value (title, branch, tool) as it may be stored."""
    return preview(text, limit) or None if text else None


@lru_cache(maxsize=4096)
def _clean_text(value: str) -> str:
    return redact(value).text


def clean_state(value: Any) -> Any:
    """A parser's state with every text in it redacted, except plain identifiers."""
    if isinstance(value, str):
        return value if _ID.fullmatch(value) else _clean_text(value)
    if isinstance(value, list):
        known = _ID.fullmatch
        return [
            item if isinstance(item, str) and known(item) else clean_state(item) for item in value
        ]
    if isinstance(value, dict):
        return {clean_state(key): clean_state(item) for key, item in value.items()}
    return value
