"""Puts a value into an object or array of a JSON text, and takes one out, touching nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from memtui.agents.settings_edit.jsonc import Node


@dataclass(frozen=True, slots=True)
class Insertion:
    """`text` goes in at `at` (an index into the text without any of the insertions)."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is written: its line end and one step of its indentation."""

    newline: str
    indent: str


def style_of(text: str) -> Style:
    """The style of a text: that of its first line end and its first indented line."""
    first = text.find("\n")
    newline = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
    for line in text.split("\n")[1:]:
        content = line.lstrip(" \t")
        if content.strip() and content != line and content[0] not in "/*":
            return Style(newline, line[: len(line) - len(content)])
    return Style(newline, "  ")


def rendered(value: Any, style: Style, depth: int) -> str:
    """`value` as JSON over several lines, its first line not indented."""
    lines = json.dumps(value, indent=style.indent, ensure_ascii=False).split("\n")
    return (style.newline + style.indent * depth).join(lines)


def inserting(
    text: str, container: Node, value: Any, style: Style, depth: int, key: str | None = None
) -> list[Insertion]:
    """What puts `value` at the end of an object (under `key`) or array that is `depth` levels deep."""
    head = f"{json.dumps(key)}: " if key is not None else ""
    children = _children(container)
    inner = text[container.start + 1 : container.end - 1]
    if children and "\n" not in inner:
        compact = json.dumps(value, ensure_ascii=False)
        return [Insertion(children[-1][1], f", {head}{compact}")]
    item = head + rendered(value, style, depth + 1)
    line = style.newline + style.indent * (depth + 1) + item
    if not children:
        closing = "" if "\n" in inner else style.newline + style.indent * depth
        return [Insertion(container.start + 1, line + closing)]
    end = children[-1][1]
    after = _after_comment(text, end)
    if after == end:
        return [Insertion(end, "," + line)]
    return [Insertion(end, ","), Insertion(after, line)]


def without(text: str, container: Node, index: int) -> str:
    """`text` without the child `index` of a container, the comma that went with it, and its white space."""
    children = _children(container)
    start, end = children[index]
    begin = start
    while text[begin - 1] in " \t\r\n":
        begin -= 1
    if index + 1 < len(children):
        comma = _comma(text, end, children[index + 1][0])
        return text[:begin] + text[comma + 1 :]
    if index > 0:
        comma = _comma(text, children[index - 1][1], start)
        return text[:comma] + text[comma + 1 : max(begin, comma + 1)] + text[end:]
    rest = text[end : container.end - 1]
    return (
        text[:begin]
        + (rest.lstrip(" \t\r\n") if not rest.strip() else rest)
        + text[container.end - 1 :]
    )


def _children(container: Node) -> list[tuple[int, int]]:
    if container.kind == "object":
        return [(at, value.end) for _, at, value in container.members]
    return [(item.start, item.end) for item in container.items]


def _after_comment(text: str, at: int) -> int:
    """Behind a comment that stands on the same line as what ends at `at`, else `at`."""
    line_end = text.find("\n", at)
    line = text[at : len(text) if line_end < 0 else line_end]
    if line.lstrip(" \t").startswith("//"):
        return at + len(line.rstrip("\r"))
    if line.lstrip(" \t").startswith("/*") and line.rstrip().endswith("*/"):
        return at + len(line.rstrip())
    return at


def _comma(text: str, start: int, end: int) -> int:
    """The comma between two children, comments left out."""
    at = start
    while at < end:
        if text.startswith("//", at):
            at = text.index("\n", at)
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 2
        elif text[at] == ",":
            return at
        else:
            at += 1
    raise ValueError(f"no comma between {start} and {end}")
