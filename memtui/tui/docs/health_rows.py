"""Findings of the linter and touched cards as rows of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from memtui.curate.rules.host import CUT_LINES, CUT_UNITS
from memtui.curate.rules.source import Finding
from memtui.index.touched import Touch
from memtui.tui.docs.clean import line_of
from memtui.tui.docs.columns import highlight, row
from memtui.tui.docs.item_rows import cited_row, state_of, trust_span
from memtui.tui.docs.spans import Line, Span
from memtui.tui.glyphs import Glyphs
from memtui.tui.rows import Row
from memtui.workspace.health import Size
from memtui.workspace.model import BankView, ItemView

_NEARLY = 0.8
"""From here on the index nears what a host loads of it."""

Key = tuple[str, tuple[str, ...], str, str]
"""What identifies a row over reloads: rule, items, message, and the item of a row below a finding."""


def severity_span(severity: str, glyphs: Glyphs) -> Span:
    """The sign of a severity, toned; the word stands in the text."""
    return {
        "error": (glyphs.error, "error"),
        "warning": (glyphs.warning, "state-warn"),
    }.get(severity, (glyphs.note, "muted"))


def key_of_finding(finding: Finding, item: str = "") -> Key:
    """The key of a finding's row, or of the row of one of its items."""
    return finding.rule, finding.items, finding.message, item


def finding_rows(
    findings: Iterable[Finding], view: BankView, glyphs: Glyphs, words: Sequence[str] = ()
) -> list[Row]:
    """Each finding; below one about several items a row for each of them."""
    rows: list[Row] = []
    for finding in findings:
        draw = partial(_finding_line, finding, words, glyphs)
        rows.append(Row(key_of_finding(finding), draw, (finding.severity, tuple(words))))
        found = items_of(finding, view)
        for item in found if len(found) > 1 else ():
            key = key_of_finding(finding, item.item.id)
            rows.append(Row(key, partial(cited_row, item, glyphs=glyphs), item))
    return rows


def items_of(finding: Finding, view: BankView) -> tuple[ItemView, ...]:
    """The items of a finding that are in the bank."""
    found = (view.find(key.partition(":")[2]) for key in finding.items)
    return tuple(item for item in found if item is not None)


def touched_row(view: ItemView, touches: Sequence[Touch], width: int, glyphs: Glyphs) -> Line:
    """`● 0.92 Title                    order/server.py +1  drifted`."""
    paths = tuple(dict.fromkeys(touch.path for touch in touches))
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    left: Line = [
        *trust_span(view, glyphs),
        (" ", ""),
        (line_of(view.item.title or view.item.name), "text"),
    ]
    state = state_of(view)
    right: list[Sequence[Span]] = [[state]] if state else []
    right.append([(f"{line_of(paths[0], 40)}{more}", "muted")])
    return row(left, right, width, 25, glyphs.ellipsis)


def touched_rows(
    touched: Sequence[tuple[ItemView, tuple[Touch, ...]]], glyphs: Glyphs
) -> list[Row]:
    """A row for each touched card, by its id."""
    return [
        Row(view.item.id, partial(touched_row, view, touches, glyphs=glyphs), (view, touches))
        for view, touches in touched
    ]


def matches(finding: Finding, words: Sequence[str], facets: frozenset[str]) -> bool:
    """Whether a finding holds all the words and is of one of the facets (severities, classes)."""
    group = finding.rule.partition("/")[0]
    if facets and not facets & {finding.severity, group}:
        return False
    text = f"{finding.severity} {finding.rule} {finding.message} {' '.join(finding.items)}"
    folded = text.casefold()
    return all(word in folded for word in words)


def facet_counts(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """Severities, then classes, with how many findings each has."""
    kept = tuple(findings)
    severities = Counter(finding.severity for finding in kept)
    groups = Counter(finding.rule.partition("/")[0] for finding in kept)
    order = [name for name in ("error", "warning", "info") if severities[name]]
    return [*((name, severities[name]) for name in order), *groups.most_common()]


def size_spans(size: Size) -> list[Span]:
    """`index 33/200 lines`, `2 in, 1 out this week`, `3 cold`: how the bank grows, and its limit."""
    tone = "error" if size.fill >= 1 else "warn" if size.fill >= _NEARLY else "muted"
    by_lines = size.lines / CUT_LINES >= size.characters / CUT_UNITS
    lines = f"{size.lines}/{CUT_LINES} lines"
    characters = f"{size.characters / 1000:.1f}/{CUT_UNITS // 1000} k characters"
    found: list[Span] = [(f"index {lines if by_lines else characters}", tone)]
    if size.came or size.went:
        found.append((f"{size.came} in, {size.went} out this week", "muted"))
    if size.cold:
        found.append((f"{len(size.cold)} cold", "warn"))
    return found


def summary(findings: Iterable[Finding]) -> str:
    """`2 errors, 5 warnings, 4 hints`."""
    counts = Counter(finding.severity for finding in findings)
    words = (("error", "error"), ("warning", "warning"), ("info", "hint"))
    parts = [
        f"{counts[severity]} {word}{'' if counts[severity] == 1 else 's'}"
        for severity, word in words
        if counts[severity]
    ]
    return ", ".join(parts) or "nothing found"


def _finding_line(finding: Finding, words: Sequence[str], glyphs: Glyphs, width: int) -> Line:
    sign, tone = severity_span(finding.severity, glyphs)
    left: Line = [(f"{sign} ", tone), (line_of(finding.message), "text")]
    right: list[Sequence[Span]] = [[(line_of(finding.rule, 40), "faint")]]
    return row(highlight(left, words), right, width, 44, glyphs.ellipsis)
