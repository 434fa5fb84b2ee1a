"""Front matter of memory files: read, and edited a key at a time with every other byte left alone.

The one reader for the app and the hook, so it imports the standard library's strings and nothing else.
"""

from __future__ import annotations

from memtui.bank.yaml_block import Reader
from memtui.bank.yaml_write import entry, flow, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memtui.bank.yaml_block import Spans

BOM = "\ufeff"


class _Remove:
    __slots__ = ()

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE = _Remove()
"""As a value in `set_keys`: the key goes, with its value."""


class FrontMatterError(ValueError):
    """An edit that would destroy what the file says, such as a key below a text."""


def split(text: str) -> tuple[str, str]:
    """Front matter without its `---` lines, and the body after them. Without any, ("", text).

    A byte-order mark before the first line is dropped. Line endings stay as they are.
    """
    start, end, body = _bounds(text)
    if start < 0:
        return "", text[1:] if text[:1] == BOM else text
    return text[start:end], text[body:]


def has_front(text: str) -> bool:
    """Whether the text begins with a front matter that is closed."""
    return _bounds(text)[0] >= 0


def parse(front: str, first_line: int = 2) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """The keys of a front matter and what could not be read: (line number, message), at most 20.

    Values are None, bool, int, float, str, list and dict; times stay text. `first_line` is the number
    of the front matter's first line in its file. Never raises.
    """
    reader = Reader(_lines(front), first_line)
    return reader.read(), reader.problems


def as_text(value: Any) -> str:
    """A value of the front matter as the text that stood there."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def as_texts(value: Any) -> tuple[str, ...]:
    """A list of texts; one text alone is a list of one, or of its parts between commas."""
    if not value or isinstance(value, dict):
        return ()
    if isinstance(value, list):
        return tuple(as_text(v) for v in value if v is not None and not isinstance(v, (dict, list)))
    return tuple(part for word in as_text(value).split(",") if (part := word.strip()))


def set_keys(text: str, changes: Mapping[tuple[str, ...], Any]) -> str:
    """`text` with the keys at the given paths set or, for `REMOVE`, taken away.

    Only lines of keys whose value differs change. A missing key is added at the end of its map, a
    missing map at the end of the front matter, a missing front matter at the top. Raises
    FrontMatterError where a path runs through something that is no map, and where lines that cannot be
    read stand in the way: a key is set as asked with all others as they were, or not at all.
    """
    changes = {path: value for path, value in changes.items() if path}
    if not has_front(text):
        if all(value is REMOVE for value in changes.values()):
            return text
        text = _with_empty_front(text)
    start, end, _ = _bounds(text)
    newline = "\r\n" if text[start - 2 : start] == "\r\n" else "\n"
    front = text[start:end]
    for path, value in changes.items():
        front = _set_one(front, path, value, newline)
    return text[:start] + front + text[end:]


def set_keys_bytes(data: bytes, changes: Mapping[tuple[str, ...], Any]) -> bytes:
    """`set_keys` on a file's bytes; bytes that are not UTF-8 stay what they are."""
    text = data.decode("utf-8", "surrogateescape")
    return set_keys(text, changes).encode("utf-8", "surrogateescape")


def _bounds(text: str) -> tuple[int, int, int]:
    """Start and end of the front matter and start of the body; -1 three times without any."""
    begin = 1 if text[:1] == BOM else 0
    if text[begin : begin + 3] != "---":
        return -1, -1, -1
    start = text.find("\n", begin) + 1
    if not start or text[begin + 3 : start].strip(" \t\r\n"):
        return -1, -1, -1
    at = start - 1  # the break before the line that closes
    while True:
        dashes = text.find("\n---", at)
        dots = text.find("\n...", at, None if dashes < 0 else dashes)
        at = dots if dots >= 0 else dashes
        if at < 0:
            return -1, -1, -1
        at += 1
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        if not text[at + 3 : stop].strip(" \t\r"):
            return start, at, min(stop + 1, len(text))


def _lines(front: str) -> list[str]:
    lines = front.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines] if "\r" in front else lines


def _with_empty_front(text: str) -> str:
    mark, rest = (BOM, text[1:]) if text[:1] == BOM else ("", text)
    newline = "\r\n" if "\r\n" in rest[:10_000] else "\n"
    return f"{mark}---{newline}---{newline}{rest}"


def _set_one(front: str, path: tuple[str, ...], value: Any, newline: str) -> str:
    spans: Spans = {}
    data = Reader(_lines(front), 1, spans).read()
    old = _value_at(data, path)
    if value is REMOVE and old is REMOVE:
        return front
    if old is not REMOVE and value is not REMOVE and _same(old, value):
        return front
    lines = front.split("\n")[:-1] if front.endswith("\n") else front.split("\n")
    lines = [] if not front else lines
    if path in spans:
        _replace(lines, spans[path], path[-1], value, newline)
    else:
        _add(lines, spans, data, path, value, newline)
    front = "\n".join(lines) + "\n" if lines else ""
    made = Reader(_lines(front)).read()
    if value is REMOVE and _value_at(made, path) is not REMOVE:
        return _set_one(front, path, value, newline)  # of two equal keys the last counted
    if _normal(made) != _normal(_nested(data, path, value)):
        raise FrontMatterError(f"`{'.'.join(path)}` cannot be set among lines that do not read")
    return front


def _same(old: Any, new: Any) -> bool:
    """Equal in value and kind: `true` is not `1`, a tuple is the list that it reads back as."""
    return bool(flow(old) == flow(new))


def _normal(value: Any) -> Any:
    """A value as it compares after reading: tuples are lists, an empty map is nothing."""
    if isinstance(value, dict):
        return {key: _normal(inner) for key, inner in value.items()} or None
    if isinstance(value, (list, tuple)):
        return [_normal(inner) for inner in value]
    return value


def _value_at(data: Any, path: tuple[str, ...]) -> Any:
    for number, key in enumerate(path):
        if not isinstance(data, dict):
            if data is None:
                return REMOVE
            raise FrontMatterError(f"`{'.'.join(path[:number])}` is not a map")
        if key not in data:
            return REMOVE
        data = data[key]
    return data


def _replace(
    lines: list[str], span: tuple[int, int, int], key: str, value: Any, newline: str
) -> None:
    start, end, indent = span
    if value is REMOVE:
        del lines[start : _after_deeper(lines, end, indent)]
        return
    new = entry(key, value, indent)
    if _after_deeper(lines, end, indent) != end:
        # Unreadable lines follow that a bare value or a map would take in: a comment ends the value.
        new = [f"{' ' * indent}{scalar(key)}: {flow(value)} #"]
    elif len(new) == 1 and end == start + 1:
        new = [_keep_comment(lines[start], new[0])]
    tail = "\r" if newline == "\r\n" else ""
    lines[start:end] = [line + tail for line in new]


def _keep_comment(old: str, new: str) -> str:
    """`new` with the comment that ended the `old` line, where that line is plainly `key: value # ...`."""
    old = old.rstrip("\r")
    at = old.find(" # ")
    if at < 0 or any(mark in old for mark in "\"'") or "# " in new:
        return new
    head = old[:at]
    return new + head[len(head.rstrip(" \t")) :] + old[at:]


def _add(
    lines: list[str], spans: Spans, data: Any, path: tuple[str, ...], value: Any, newline: str
) -> None:
    """Write a key that has no line of its own yet, below the deepest of its maps that has."""
    depth = len(path) - 1
    while depth and path[:depth] not in spans:
        depth -= 1
    parent, rest = path[:depth], path[depth:]
    existing = _value_at(data, parent) if parent else data
    children = [s for p, s in spans.items() if len(p) == depth + 1 and p[:depth] == parent]
    if existing and not children:  # a map in brackets: written again as a whole
        _replace(lines, spans[parent], parent[-1], _nested(existing, rest, value), newline)
        return
    if value is REMOVE:
        return
    if children:
        indent = max(children)[2]
        at = len(lines)
        if parent:
            at = _after_deeper(lines, max(span[1] for span in children), indent)
    elif parent:
        at, indent = spans[parent][0] + 1, spans[parent][2] + 2
        lines[at - 1] = _opened(lines[at - 1], parent[-1], spans[parent][2], newline)
    else:
        at, indent = len(lines), 0
    for key in reversed(rest[1:]):
        value = {key: value}
    tail = "\r" if newline == "\r\n" else ""
    lines[at:at] = [line + tail for line in entry(rest[0], value, indent)]


def _after_deeper(lines: list[str], at: int, indent: int) -> int:
    """The index after the lines from `at` on that stand deeper than `indent`."""
    for number in range(at, len(lines)):
        text = lines[number].strip(" \t\r")
        if text and text[0] != "#":
            if len(lines[number]) - len(lines[number].lstrip(" \t")) <= indent:
                break
            at = number + 1
    return at


def _opened(line: str, key: str, indent: int, newline: str) -> str:
    """The line of an empty map (`key:`, `key: {}`, `key: null`), ready for keys below it."""
    tail = "\r" if newline == "\r\n" else ""
    bare = line.rstrip(" \t\r")
    return line if bare.endswith(":") else " " * indent + key + ":" + tail


def _nested(mapping: Any, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """`mapping` with `value` at `path`; maps on the way are made."""
    result = dict(mapping or {})
    if len(path) > 1:
        result[path[0]] = _nested(result.get(path[0]), path[1:], value)
    elif value is REMOVE:
        result.pop(path[0], None)
    else:
        result[path[0]] = value
    return result
