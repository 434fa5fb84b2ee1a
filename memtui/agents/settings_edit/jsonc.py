"""Reads JSON, with or without comments, into nodes that know where in the text they stand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = " \t\n\r"
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_DEPTH = 200
_DECODER = json.JSONDecoder()


class BrokenError(ValueError):
    """The text is no JSON: `line` and `column` (from 1) say where, `what` says why."""

    def __init__(self, what: str, text: str, at: int) -> None:
        self.what = what
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"line {self.line}, column {self.column}: {what}")


@dataclass(frozen=True, slots=True)
class Node:
    """A value at `start:end` of the text. `kind` is object, array or plain.

    `members` of an object are (key, key's start, value); `items` those of an array; `value` of a plain
    one is what it stands for.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    members: tuple[tuple[str, int, Node], ...] = field(default=())
    items: tuple[Node, ...] = field(default=())

    def get(self, key: str) -> Node | None:
        """The last member called `key`, which is the one that counts; None where there is none."""
        return next((value for name, _, value in reversed(self.members) if name == key), None)

    def plain(self) -> Any:
        """The value in Python's types."""
        if self.kind == "object":
            return {name: value.plain() for name, _, value in self.members}
        return [item.plain() for item in self.items] if self.kind == "array" else self.value


def parse(text: str, comments: bool) -> Node | None:
    """The value of `text`, None where there is nothing but white space. Raises BrokenError.

    `comments` allows `//` and `/* */`; trailing commas are never allowed, since no host takes them.
    """
    reader = _Reader(text, comments)
    at = reader.skip(0)
    if at == len(text):
        return None
    node = reader.value(at, 0)
    at = reader.skip(node.end)
    if at < len(text):
        raise BrokenError("more text after the end of the value", text, at)
    return node


class _Reader:
    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments

    def skip(self, at: int) -> int:
        """The next place that is neither white space nor comment."""
        text = self.text
        while at < len(text):
            if text[at] in _SPACE:
                at += 1
            elif text[at] == "/" and text[at + 1 : at + 2] in ("/", "*"):
                at = self._comment(at)
            else:
                break
        return at

    def _comment(self, at: int) -> int:
        if not self.comments:
            raise BrokenError("a comment, which this file may not have", self.text, at)
        if self.text[at + 1] == "/":
            end = self.text.find("\n", at)
            return len(self.text) if end < 0 else end
        end = self.text.find("*/", at + 2)
        if end < 0:
            raise BrokenError("a comment that does not end", self.text, at)
        return end + 2

    def value(self, at: int, depth: int) -> Node:
        """The value that starts at `at`."""
        if depth > _DEPTH:
            raise BrokenError("nested too deeply", self.text, at)
        char = self.text[at : at + 1]
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._array(at, depth)
        if char == '"':
            value, end = self._string(at)
            return Node("plain", at, end, value)
        return self._word(at)

    def _object(self, start: int, depth: int) -> Node:
        members: list[tuple[str, int, Node]] = []
        at = self.skip(start + 1)
        while self._peek(at, "a closing }") != "}" or members:
            if self._peek(at, "a key") != '"':
                raise BrokenError("a key in double quotes is missing", self.text, at)
            key_at = at
            key, at = self._string(at)
            at = self.skip(at)
            if self._peek(at, "a colon") != ":":
                raise BrokenError(f"no colon after the key {key!r:.60}", self.text, at)
            value = self.value(self.skip(at + 1), depth + 1)
            members.append((key, key_at, value))
            at = self.skip(value.end)
            if self._peek(at, "a closing }") == "}":
                break
            at = self._after_comma(at, "}")
        return Node("object", start, at + 1, members=tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = self.skip(start + 1)
        while self._peek(at, "a closing ]") != "]" or items:
            items.append(self.value(at, depth + 1))
            at = self.skip(items[-1].end)
            if self._peek(at, "a closing ]") == "]":
                break
            at = self._after_comma(at, "]")
        return Node("array", start, at + 1, items=tuple(items))

    def _after_comma(self, at: int, closing: str) -> int:
        if self.text[at] != ",":
            raise BrokenError("a comma is missing", self.text, at)
        after = self.skip(at + 1)
        if self._peek(after, f"a closing {closing}") == closing:
            raise BrokenError(f"a comma before {closing}", self.text, at)
        return after

    def _peek(self, at: int, wanted: str) -> str:
        if at >= len(self.text):
            raise BrokenError(f"the text ends where {wanted} should be", self.text, len(self.text))
        return self.text[at]

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value: str
            value, end = _DECODER.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            raise BrokenError(error.msg.lower(), self.text, error.pos) from error
        return value, end

    def _word(self, at: int) -> Node:
        for word, value in _WORDS.items():
            if self.text.startswith(word, at):
                return Node("plain", at, at + len(word), value)
        found = _NUMBER.match(self.text, at)
        if found is None:
            raise BrokenError(f"no value at {self.text[at : at + 10]!r}", self.text, at)
        return Node("plain", at, found.end(), json.loads(found.group()))
