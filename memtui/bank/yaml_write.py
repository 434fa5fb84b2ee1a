"""Values as YAML text that every YAML reader, 1.1 or 1.2, reads back as the same value."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

WIDTH = 100
"""A nested map is written on one line up to this many columns."""

RESERVED = frozenset(("", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"))
MARKS = (": ", " #", "[", "]", "{", "}", '"')
"""What a plain scalar must not hold; a comma only matters inside brackets."""

ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(value: Any) -> str:
    """A scalar for one line: plain where that is safe in every place, else double-quoted."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        return text if text.replace(".", "").lstrip("-").isdigit() else quoted(text)
    text = str(value)
    return text if _is_plain(text) else quoted(text)


def quoted(text: str) -> str:
    """A double-quoted scalar. Lone surrogates become U+FFFD: no file can hold them."""
    out = []
    for char in text:
        if char in ESCAPED:
            out.append(ESCAPED[char])
        elif char.isprintable():
            out.append(char)
        else:
            out.append(_escape(ord(char)))
    return '"' + "".join(out) + '"'


def _escape(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_plain(text: str) -> bool:
    if text.lower() in RESERVED or not text.isprintable():
        return False
    first = text[0]
    if not (first.isalnum() or first in "_/.(") or text[-1] in ": ":
        return False
    return not (any(mark in text for mark in MARKS) or _like_number(text))


def _like_number(text: str) -> bool:
    """Whether some YAML reader would take the text for a number (decimal, hex, octal, base 60)."""
    lower = text.lower()
    if lower.startswith((".inf", ".nan", "0x", "0o", "0b")):
        return True
    return lower[0] in "0123456789." and not lower.strip("0123456789_.:eE+-")


def flow(value: Any) -> str:
    """Any value on one line, collections in brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_inner(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _inner(value)


def _inner(value: Any) -> str:
    text = scalar(value)
    return quoted(text) if text[0] != '"' and "," in text else text


def entry(key: str, value: Any, indent: int) -> list[str]:
    """The lines of one key: scalars and short collections on one line, the rest as indented blocks."""
    head = " " * indent + scalar(key) + ":"
    if isinstance(value, dict):
        return [head, *block(value, indent + 2)] if _needs_block(value, head) else _one(head, value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, (dict, list, tuple)) for v in value):
        return [head, *(" " * (indent + 2) + "- " + flow(item) for item in value)]
    return _one(head, value)


def block(mapping: Mapping[str, Any], indent: int) -> list[str]:
    """The lines of a map, each key at `indent`."""
    return [line for key, value in mapping.items() for line in entry(key, value, indent)]


def _needs_block(value: Mapping[str, Any], head: str) -> bool:
    return bool(value) and (head[0] != " " or len(head) + len(flow(value)) >= WIDTH)


def _one(head: str, value: Any) -> list[str]:
    is_collection = isinstance(value, (dict, list, tuple))
    return [f"{head} {flow(value) if is_collection else scalar(value)}"]
