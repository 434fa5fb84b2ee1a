"""What a host sends before memtui's block, as rows: sizes only, a group opens to its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtui.agents.costs import MEMORY
from memtui.agents.instructions import INSTRUCTIONS, Part
from memtui.inject.limits import delivered
from memtui.tui.docs.clean import homely, line_of
from memtui.tui.docs.columns import row
from memtui.tui.docs.spans import Line, Span, clip, fit, spread, width_of, wrap
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.workspace.model import Preview

WITH_MEMORY = ("claude-code",)
"""The hosts that keep a memory of their own."""

_NAMES = {INSTRUCTIONS: "instruction files", MEMORY: "MEMORY.md"}


@dataclass(frozen=True, slots=True)
class Place:
    """The folders whose names are shortened in paths."""

    home: Path | None = None
    project: Path | None = None

    def short(self, path: Path | None) -> str:
        """A path from the project, from home as `~/`, or whole."""
        if path is None:
            return ""
        if self.project is not None and path.is_relative_to(self.project):
            return str(path.relative_to(self.project))
        return homely(path, self.home) if self.home is not None else str(path)


@dataclass(frozen=True, slots=True)
class Before:
    """What comes before the block: parts of the host, the groups that are open, and short names."""

    host: str
    parts: tuple[Part, ...] | None
    open: frozenset[str] = frozenset()
    place: Place = Place()
    aligned: bool = False
    """Whether a host without a memory of its own has a row for it, to stand beside one that has."""


def before_rows(before: Before, width: int, glyphs: Glyphs) -> list[Row]:
    """The rows at `width` cells. Keys: `("part", kind)` for a group, `("file", kind, n, ...)` below it."""
    if before.parts is None:
        line: Line = [("reading the instruction files", "faint")]
        return [_plain(("rule", "reading"), line, glyphs)]
    kinds = [INSTRUCTIONS, *([MEMORY] if before.aligned or before.host in WITH_MEMORY else [])]
    rows: list[Row] = []
    for kind in kinds:
        parts = [part for part in before.parts if part.kind == kind]
        rows.append(_group(kind, parts, kind in before.open, glyphs))
        if kind in before.open:
            for number, part in enumerate(parts):
                rows += _file(kind, number, part, before.place, width, glyphs)
    return rows


def _group(kind: str, parts: Sequence[Part], is_open: bool, glyphs: Glyphs) -> Row:
    sign = (glyphs.open if is_open else glyphs.closed) if parts else glyphs.note
    name = _NAMES[kind]
    if not parts:
        left: Line = [(f"{sign} ", "faint"), (name, "muted")]
        note: Line = [("none ", "faint")]
        return Row(("part", kind), partial(_two, left, [note], glyphs=glyphs), (kind, "none"))
    left = [(f"{sign} ", "heading"), (name, "heading")]
    sent = sum(bool(part.sent) for part in parts)
    notes: list[Line] = [[(f"{sent} ", "muted")]] if kind == INSTRUCTIONS else []
    cut = next((part.cut for part in parts if part.cut is not None), None)
    if cut is not None:
        notes = [[(f"cut at character {cut:,} ", "cut")], [(f"cut at {cut:,} ", "cut")]]
    tokens = f"~{_tokens(parts):,} "
    draw = partial(_noted, left, notes, tokens, glyphs=glyphs)
    return Row(("part", kind), draw, (kind, is_open, tuple(parts)))


def _noted(left: Line, notes: Sequence[Line], tokens: str, width: int, *, glyphs: Glyphs) -> Line:
    """The tokens at the end, before them the first of the notes that has room."""
    room = width - width_of(left) - len(tokens) - 2
    note = next((note for note in notes if width_of(note) <= room), [])
    return spread(left, [*note, (tokens, "faint")], width, glyphs.ellipsis)


def _file(
    kind: str, number: int, part: Part, place: Place, width: int, glyphs: Glyphs
) -> Iterator[Row]:
    """A file with its size, then what is to say about it, then the text around its cut."""
    pad = "  " * (part.depth + 1)
    tone = "text" if part.sent else "muted"
    left: Line = [(pad, ""), (line_of(place.short(part.path), 300), tone)]
    if part.depth == 0 and part.label not in ("project", "auto memory"):
        left.append((f"  {part.label}", "faint"))
    tokens: Line = [(f"~{part.tokens:,} ", "faint")]
    key = ("file", kind, number)
    yield Row((*key, "name"), partial(_two, left, [tokens], glyphs=glyphs), part)
    if part.note:
        yield from _wrapped(
            (*key, "note"), [(line_of(part.note), "state-warn")], pad, width, glyphs
        )
    if part.cut is None:
        return
    if part.before:
        last: Line = [(line_of(part.before, 200), "muted")]
        yield from _wrapped((*key, "before"), last, pad, width, glyphs)
    yield Row((*key, "cut"), partial(_cut, part.cut, glyphs=glyphs), part.cut)
    if part.after:
        first: Line = [(line_of(part.after, 200), "faint")]
        yield from _wrapped((*key, "after"), first, pad, width, glyphs)


def block_heading(preview: Preview, glyphs: Glyphs) -> Row:
    """`memtui                 ~412`: what follows is memtui's own."""
    left: Line = [(f"{glyphs.open} ", "heading"), ("memtui", "heading")]
    tokens: Line = [(f"~{block_tokens(preview):,} ", "faint")]
    return Row(("rule", "block"), partial(_two, left, [tokens], glyphs=glyphs), tokens[0][0])


def block_tokens(preview: Preview) -> int:
    """About what memtui's block costs as its host passes it on."""
    text = preview.plan.text
    return -(-len(delivered(text, preview.plan.limit).encode()) // 4) if text else 0


def total_line(parts: Sequence[Part] | None, preview: Preview, width: int, glyphs: Glyphs) -> Line:
    """`at start ~5,312`: what all of it costs together."""
    if parts is None:
        return []
    text = f"at start ~{at_start(parts, preview):,} in all"
    return spread([(text, "muted")], [], width, glyphs.ellipsis)


def at_start(parts: Sequence[Part], preview: Preview) -> int:
    """About how many tokens a session starts with."""
    return _tokens(parts) + block_tokens(preview)


def hosts_table(
    previews: Mapping[str, Preview],
    files: Mapping[str, tuple[Part, ...]],
    chosen: str,
    width: int,
    glyphs: Glyphs,
) -> list[Line]:
    """The hosts side by side: a column each, a row for every part and one for all."""
    hosts = list(previews)
    label = 9
    room = max(6, (width - label) // max(1, len(hosts)))

    def line(name: str, values: Sequence[str], tone: str) -> Line:
        cells: Line = [(fit(name, label, glyphs.ellipsis), "muted")]
        for host, value in zip(hosts, values, strict=True):
            text = clip(value, room, glyphs.ellipsis)
            cells.append((fit(text, room, right=True), "accent" if host == chosen else tone))
        return cells

    def cost(kind: str, host: str) -> int | None:
        if kind == MEMORY and host not in WITH_MEMORY:
            return None
        return _tokens([part for part in files.get(host, ()) if part.kind == kind])

    rows = [[cost(kind, host) for host in hosts] for kind in (INSTRUCTIONS, MEMORY)]
    rows.append([block_tokens(previews[host]) for host in hosts])
    total = [sum(value or 0 for value in column) for column in zip(*rows, strict=True)]
    return [
        line("", hosts, "title"),
        line("files", [_said(value) for value in rows[0]], "text"),
        line("MEMORY.md", [_said(value) for value in rows[1]], "text"),
        line("memtui", [_said(value) for value in rows[2]], "text"),
        line("at start", [_said(value) for value in total], "strong"),
    ]


def _said(value: int | None) -> str:
    return "-" if value is None else f"~{value:,}"


def _tokens(parts: Sequence[Part]) -> int:
    return sum(part.tokens for part in parts)


def _wrapped(
    key: tuple[object, ...], line: Line, pad: str, width: int, glyphs: Glyphs
) -> Iterator[Row]:
    indent: Span = (f"{pad}  ", "")
    for number, piece in enumerate(wrap([indent, *line], width - 1, [indent])):
        yield Row((*key, number), partial(_left, piece, glyphs=glyphs), tuple(piece))


def _cut(at: int, width: int, *, glyphs: Glyphs) -> Line:
    text = f"{glyphs.cut * 2} cut at character {at:,} "
    return [(text + glyphs.cut * max(0, width - len(text) - 1), "cut")]


def _left(line: Line, width: int, *, glyphs: Glyphs) -> Line:
    return spread(line, [], width, glyphs.ellipsis)


def _plain(key: tuple[str, str], line: Line, glyphs: Glyphs) -> Row:
    return Row(key, partial(_left, line, glyphs=glyphs), tuple(line))


def _two(left: Line, right: Sequence[Line], width: int, *, glyphs: Glyphs) -> Line:
    return row(left, right, width, 12, glyphs.ellipsis)
