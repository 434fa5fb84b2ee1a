"""`MEMORY.md`: the index of a bank, read tolerantly and edited a line at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memtui.bank.model import Item, Layout, Status

_ENTRY = re.compile(
    r"^\s{0,8}(?:[-*+]|\d{1,4}[.)])\s+\[(?P<title>(?:\\.|[^\[\]\\]|\[[^\[\]]{0,400}\]){0,4000})\]"
    r"\((?P<target>[^()\s]{1,400}(?:\([^()]*\)[^()\s]*)?)\)(?:\s*(?:[—–:-]+\s*)?(?P<hook>.*))?$"
)
_ESCAPED = re.compile(r"\\([\[\]\\])")


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One line of the index that names a file. `number` counts lines from 0."""

    number: int
    title: str
    target: str
    hook: str

    @property
    def stem(self) -> str:
        """The name of the item that the line points to."""
        return Path(self.target).name.removesuffix(".md")


def parse_index(data: bytes) -> list[IndexLine]:
    """Every line that names a Markdown file; prose and anything else is passed over."""
    found = []
    for number, raw in enumerate(data.decode("utf-8", "replace").split("\n")):
        match = _ENTRY.match(raw.rstrip("\r"))
        if match and "://" not in match["target"]:
            hook = (match["hook"] or "").strip()
            found.append(
                IndexLine(number, _ESCAPED.sub(r"\1", match["title"]), match["target"], hook)
            )
    return found


def index_line(item: Item, layout: Layout, is_page: bool = False) -> str:
    """The line of one item, without its line end."""
    folder = "" if layout is Layout.CLAUDE else ("pages/" if is_page else "cards/")
    title = " ".join(item.title.split()) or item.name
    for mark in "\\[]":
        title = title.replace(mark, f"\\{mark}")
    return f"- [{title}]({folder}{item.name}.md) — {_hook(item)}"


def with_line(data: bytes, name: str, line: str | None) -> bytes:
    """The index with the line of the item `name` set to `line`, added at the end, or removed (None).

    All other bytes stay as they are; several lines of one item become one.
    """
    ours = [entry.number for entry in parse_index(data) if entry.stem == name]
    lines = data.split(b"\n")
    newline = b"\r" if lines and lines[0].endswith(b"\r") else b""
    if line is not None and ours:
        ending = b"\r" if lines[ours[0]].endswith(b"\r") else b""
        lines[ours[0]] = os.fsencode(line) + ending
        ours = ours[1:]
    elif line is not None:
        text = os.fsencode(line)
        if lines[-1:] == [b""]:
            lines[-1:] = [text + newline, b""]
        else:
            lines[-1] += newline
            lines += [text + newline, b""]
    gone = set(ours)
    return b"\n".join(raw for at, raw in enumerate(lines) if at not in gone)


def render_index(cards: Iterable[Item], pages: Iterable[Item], head: str = "# Memory") -> str:
    """memtui's own index: one line per live page and card, by name."""
    lines = [head, ""]
    for title, items, is_page in (("## Pages", pages, True), ("## Cards", cards, False)):
        live = [item for item in items if item.status is Status.ACTIVE]
        if live:
            lines += [title, ""]
            lines += [
                index_line(item, Layout.MEMTUI, is_page)
                for item in sorted(live, key=lambda item: item.name)
            ]
            lines.append("")
    return "\n".join(lines)


def _hook(item: Item) -> str:
    first = next((line for line in item.body.splitlines() if line.strip()), "")
    hook = " ".join(first.split())
    return hook if len(hook) <= 120 else hook[:119].rstrip() + "…"
