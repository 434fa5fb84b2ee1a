"""Scalars, quotes and bracketed collections of the YAML subset. Standard library, str methods only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DEPTH = 24
"""Collections may nest this deep: deeper text is a problem, not a recursion error."""

CONSTANTS: dict[str, bool | None] = {
    "null": None, "Null": None, "NULL": None, "~": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip

ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


class FlowError(ValueError):
    """A bracketed collection that does not read as one."""


class Unfinished(FlowError):  # noqa: N818 - it says what is the case
    """The text ended inside a collection or quote: more lines may complete it."""


def resolve(text: str) -> Any:
    """The value of a plain scalar: null, a boolean, a number, or the text itself.

    A number becomes one only where printing it gives the same text again, so that an id such as
    `012345` or `1e5678` and a version such as `1.50` lose nothing.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[:1] in "-0123456789" and text:
        return _number(text)
    return text


def _number(text: str) -> Any:
    if len(text) > 18 or not text.isascii():
        return text
    try:
        whole = int(text)
        return whole if str(whole) == text else text
    except ValueError:
        pass
    try:
        real = float(text)
    except ValueError:
        return text
    return real if repr(real) == text else text


def quote_end(text: str, start: int) -> int:
    """Index of the quote that closes the one at `start`, or -1."""
    mark = text[start]
    at = start + 1
    while True:
        at = text.find(mark, at)
        if at < 0:
            return -1
        if mark == "'":
            if text[at + 1 : at + 2] != "'":
                return at
            at += 2
        else:
            slash = at - 1
            while slash > start and text[slash] == "\\":
                slash -= 1
            if (at - slash) % 2:
                return at
            at += 1


def unquote(inner: str, mark: str) -> str:
    """The text between two quotes of kind `mark`, with line breaks folded and escapes resolved."""
    if "\n" in inner:
        inner = _fold_quoted(inner.split("\n"), mark)
    if mark == "'":
        return inner.replace("''", "'")
    return _unescape(inner) if "\\" in inner else inner


def _fold_quoted(lines: list[str], mark: str) -> str:
    last = len(lines) - 1
    out: list[str] = []
    blanks = 0
    glue = ""
    for number, line in enumerate(lines):
        text = line if number == 0 else line.lstrip(" \t")
        text = text if number == last else text.rstrip(" \t")
        if not text and 0 < number < last:
            blanks += 1
            continue
        if number:
            out.append("\n" * blanks if blanks else glue)
        blanks = 0
        glue = " "
        if mark == '"' and number < last and _odd_slashes(text):
            text, glue = text[:-1], ""
        out.append(text)
    return "".join(out)


def _odd_slashes(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _unescape(text: str) -> str:
    parts = text.split("\\")
    out = [parts[0]]
    at, count = 1, len(parts)
    while at < count:
        part = parts[at]
        at += 1
        if not part:  # an escaped backslash: the next part is plain text
            out.append("\\")
            if at < count:
                out.append(parts[at])
                at += 1
            continue
        width = HEX_ESCAPES.get(part[0])
        if width is not None:
            out.append(_code_point(part, width))
        elif part[0] in ESCAPES:
            out.append(ESCAPES[part[0]] + part[1:])
        else:
            out.append("\\" + part)
    result = "".join(out)
    if result.isascii():
        return result
    # JSON writes characters beyond the BMP as two escapes: join them, drop what has no partner.
    return result.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _code_point(part: str, width: int) -> str:
    digits = part[1 : 1 + width]
    try:
        if len(digits) == width and digits.isalnum():
            return chr(int(digits, 16)) + part[1 + width :]
    except (ValueError, OverflowError):
        pass
    return "\\" + part


def parse_flow(text: str) -> tuple[Any, int]:
    """The collection at the start of `text` and the index after it. Raises FlowError, Unfinished."""
    simple = _simple_list(text)
    if simple is not None:
        return simple
    return _collection(text, 0, 0)


def _simple_list(text: str) -> tuple[list[Any], int] | None:
    """Fast path for `[a, b]` without quotes, nesting, comments or keys."""
    end = text.find("]")
    if end < 0 or text[0] != "[":
        return None
    inner = text[1:end]
    for char in "\"'[{}#:\n":
        if char in inner:
            return None
    words = [word.strip(" \t") for word in inner.split(",")]
    if not words[-1]:
        words.pop()
    if "" in words:
        return None
    return [resolve(word) for word in words], end + 1


def _collection(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise FlowError("nested too deeply")
    return (_list if text[at] == "[" else _map)(text, at + 1, depth)


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at] == "]":
            return items, at + 1
        value, at = _value(text, at, depth)
        items.append(value)
        at = _separator(text, at, "]")


def _map(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    result: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at] == "}":
            return result, at + 1
        key, at = _key(text, at)
        at = _skip(text, at)
        value: Any = None
        if text[at] == ":":
            at = _skip(text, at + 1)
            if text[at] not in ",}":
                value, at = _value(text, at, depth)
        result[key] = value
        at = _separator(text, at, "}")


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at] in "\"'":
        return _quoted(text, at)
    end = _plain_end(text, at)
    if end == at:
        raise FlowError(f"unexpected {text[at]!r}")
    return text[at:end].strip(" \t\n"), end


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if text[at] in "[{":
        return _collection(text, at, depth + 1)
    if text[at] in "\"'":
        return _quoted(text, at)
    end = _plain_end(text, at)
    if end == at:
        raise FlowError(f"unexpected {text[at]!r}")
    return resolve(" ".join(text[at:end].split())), end


def _quoted(text: str, at: int) -> tuple[str, int]:
    end = quote_end(text, at)
    if end < 0:
        raise Unfinished("a quote is never closed")
    return unquote(text[at + 1 : end], text[at]), end + 1


def _plain_end(text: str, at: int) -> int:
    """Index after a plain scalar: before a bracket, a comma, `: `, ` #` or the end."""
    end = text.find(",", at)
    for bracket in "}][{":
        found = text.find(bracket, at, None if end < 0 else end)
        if found >= 0:
            end = found
    stop = len(text) if end < 0 else end
    colon = text.find(":", at, stop)
    while colon >= 0:
        if colon + 1 == len(text) or text[colon + 1] in " \t\n,[]{}":
            end = stop = colon
            break
        colon = text.find(":", colon + 1, stop)
    hash_mark = text.find("#", at, stop)
    while hash_mark >= 0:
        if text[hash_mark - 1] in " \t\n":
            return hash_mark
        hash_mark = text.find("#", hash_mark + 1, stop)
    if end < 0:
        raise Unfinished("a bracket is never closed")
    return end


def _separator(text: str, at: int, end: str) -> int:
    at = _skip(text, at)
    if text[at] == ",":
        return at + 1
    if text[at] != end:
        raise FlowError(f"unexpected {text[at]!r}")
    return at


def _skip(text: str, at: int) -> int:
    """Index of the next character that is neither space nor comment."""
    size = len(text)
    while at < size:
        char = text[at]
        if char == "#" and text[at - 1] in " \t\n":
            at = text.find("\n", at)
            if at < 0:
                break
        elif char not in " \t\n":
            return at
        at += 1
    raise Unfinished("a bracket is never closed")
