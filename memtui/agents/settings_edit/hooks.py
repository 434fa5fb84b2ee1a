"""Our entries among the hooks of a host's settings: `hooks.<Event>[{matcher, hooks: [...]}]`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from memtui.agents.settings_edit.jsonc import BrokenError, Node, parse
from memtui.agents.settings_edit.splice import (
    Insertion,
    inserting,
    rendered,
    style_of,
    without,
)

PROGRAM = "memtui-hook"
SECTION = "hooks"
BOM = "\ufeff"
_FIRST_WORD = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))""")


class ShapeError(ValueError):
    """The file is JSON but holds something else where hooks belong; the text says what and where."""


@dataclass(frozen=True, slots=True)
class Span:
    """What was put in: `text` stands at `at` of the text after the edit."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Own:
    """One of our entries: the host's event, its group and its place there, and its command.

    `member` is the event's number in the section: a key may stand there twice.
    """

    member: int
    event: str
    group: int
    place: int
    command: str


def add(text: str, groups: Mapping[str, Any], comments: bool) -> tuple[str, list[Span]]:
    """`text` with one more group under each event, and what was put in.

    A text without any value gets an object that holds nothing else. Raises BrokenError, ShapeError.
    """
    spans: list[Span] = []
    root = _root(text, comments)
    if root is None:
        style = style_of(text)
        settings = {SECTION: {event: [group] for event, group in groups.items()}}
        return _insert(
            text, [Insertion(len(text), rendered(settings, style, 0) + style.newline)], spans
        )
    if _section(text, root) is None:
        whole = {event: [group] for event, group in groups.items()}
        return _insert(text, inserting(text, root, whole, style_of(text), 0, SECTION), spans)
    for event, group in groups.items():
        text, spans = _insert(text, _adding(text, event, group, comments), spans)
    return text, spans


def _adding(text: str, event: str, group: Any, comments: bool) -> list[Insertion]:
    root = _root(text, comments)
    section = _section(text, root) if root else None
    if section is None:
        raise ShapeError(f"{SECTION} is gone")
    array = section.get(event)
    if array is None:
        return inserting(text, section, [group], style_of(text), 1, event)
    return inserting(text, array, group, style_of(text), 2)


def _insert(text: str, insertions: list[Insertion], spans: list[Span]) -> tuple[str, list[Span]]:
    """`text` with the insertions, and all spans as they stand then."""
    for one in sorted(insertions, key=lambda insertion: insertion.at, reverse=True):
        text = text[: one.at] + one.text + text[one.at :]
        spans = _merged(spans, one)
    return text, sorted(spans, key=lambda span: span.at)


def _merged(spans: list[Span], one: Insertion) -> list[Span]:
    for number, span in enumerate(spans):
        if span.at < one.at < span.at + len(span.text):
            cut = one.at - span.at
            grown = Span(span.at, span.text[:cut] + one.text + span.text[cut:])
            rest = [*spans[:number], *spans[number + 1 :]]
            return [grown, *(_moved(other, one) for other in rest)]
    return [Span(one.at, one.text), *(_moved(span, one) for span in spans)]


def _moved(span: Span, one: Insertion) -> Span:
    return Span(span.at + len(one.text), span.text) if span.at >= one.at else span


def take_back(text: str, spans: Collection[Span]) -> str | None:
    """`text` without what was put in, wherever it has moved; None when it is no longer there once each."""
    for span in sorted(spans, key=lambda one: one.at, reverse=True):
        if text[span.at : span.at + len(span.text)] == span.text:
            at = span.at
        elif len(span.text) > 1 and text.count(span.text) == 1:
            at = text.index(span.text)
        else:
            return None
        text = text[:at] + text[at + len(span.text) :]
    return text


def own_entries(text: str, comments: bool) -> list[Own]:
    """Our entries in a settings text. Raises BrokenError; odd shapes have none."""
    root = _root(text, comments)
    section = root.get(SECTION) if root else None
    return list(_own(section)) if section else []


def _own(section: Node) -> Iterator[Own]:
    for member, (event, _, array) in enumerate(section.members):
        for number, group in enumerate(array.items):
            hooks = group.get(SECTION)
            for place, entry in enumerate(hooks.items if hooks else ()):
                command = entry.get("command")
                if command and isinstance(command.value, str) and is_ours(command.value):
                    yield Own(member, event, number, place, command.value)


def is_ours(command: str) -> bool:
    """Whether a hook's command runs our program, wherever it is installed."""
    return PurePath(program_of(command)).name == PROGRAM


def program_of(command: str) -> str:
    """The program that a shell command runs, without its quotes."""
    found = _FIRST_WORD.match(command)
    if found is None:
        return ""
    double, single, bare = found.groups()
    if single is not None:
        return single
    return re.sub(r"\\(.)", r"\1", double if double is not None else bare)


def remove(text: str, comments: bool, kept: Collection[str] = ()) -> str:
    """`text` without our entries. Raises BrokenError, ShapeError.

    Groups, arrays and the section that this empties go too, but not what `kept` names (a path such as
    `hooks` or `hooks.SessionStart`): that was there, empty, before we came.
    """
    while own := own_entries(text, comments):
        text = _remove_one(text, own[-1], comments, kept)
    return text


def _remove_one(text: str, own: Own, comments: bool, kept: Collection[str]) -> str:
    root = _root(text, comments)
    section = _section(text, root) if root else None
    array = section.members[own.member][2] if section else None
    hooks = array.items[own.group].get(SECTION) if array else None
    if root is None or section is None or array is None or hooks is None:
        raise ShapeError(f"{own.event}: the entry is gone")
    if len(hooks.items) > 1:
        return without(text, hooks, own.place)
    if len(array.items) > 1 or f"{SECTION}.{own.event}" in kept:
        return without(text, array, own.group)
    if len(section.members) > 1 or SECTION in kept:
        return without(text, section, own.member)
    return without(text, root, _index(root, SECTION))


def _index(node: Node, key: str) -> int:
    return max(at for at, (name, _, _) in enumerate(node.members) if name == key)


def empty_places(text: str, comments: bool) -> list[str]:
    """The paths of an empty section or event array: `remove` must leave them. Raises BrokenError."""
    root = _root(text, comments)
    section = root.get(SECTION) if root else None
    if section is None:
        return []
    found = [SECTION] if not section.members else []
    for event, _, array in section.members:
        if array.kind == "array" and not array.items:
            found += [SECTION, f"{SECTION}.{event}"]
    return list(dict.fromkeys(found))


def _root(text: str, comments: bool) -> Node | None:
    if text.startswith(BOM):
        # A place-holder of the same length keeps every position true.
        text = " " + text[1:]
    root = parse(text, comments)
    if root is not None and root.kind != "object":
        raise BrokenError("settings must be an object", text, root.start)
    return root


def _section(text: str, root: Node) -> Node | None:
    section = root.get(SECTION)
    if section is None:
        return None
    if section.kind != "object":
        raise ShapeError(f"line {_line(text, section)}: {SECTION} is no object")
    for event, _, array in section.members:
        if array.kind != "array":
            raise ShapeError(f"line {_line(text, array)}: {SECTION}.{event} is no list")
    return section


def _line(text: str, node: Node) -> int:
    return text.count("\n", 0, node.start) + 1
