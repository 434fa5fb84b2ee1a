"""A host's own memory folder: what its cut hides, lists without a file, files without a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.bank.layout import INDEX
from memtui.bank.memory_index import IndexLine, parse_index
from memtui.bank.model import Item
from memtui.curate.following import target_of
from memtui.curate.rules.contradiction import differ, statement
from memtui.curate.rules.source import ERROR, INFO, WARNING, Finding, Source, keys
from memtui.curate.similar import NEAR, similarity

CUT_LINES = 200
CUT_UNITS = 25_000
"""UTF-16 code units of whole lines that Claude Code loads (measured; not bytes)."""
_CORRECTS = re.compile(
    r"\b(?:no longer|instead of|not any more|anymore|correction|corrected|was wrong|replaces|supersedes|"
    r"outdated|changed to|now uses?|rather than)\b",
    re.IGNORECASE,
)


def cut_after(index: bytes) -> int:
    """How many lines of the index the host loads."""
    units = 0
    lines = index.decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines):
        units += len(line.encode("utf-16-le", "surrogatepass")) // 2 + (number > 0)
        if number >= CUT_LINES or units > CUT_UNITS:
            return number
    return len(lines)


def unlisted_files(source: Source) -> Iterator[Finding]:
    """A live topic file that no index line names: the host never loads it."""
    if not source.is_host_folder:
        return
    listed = {target_of(line) for line in parse_index(source.index or b"")}
    for item in (*source.live, *source.pages):
        path = source.relative(item)
        if path not in listed and not source.put_away(item):
            message = f"no line of {INDEX} names {path}: the host does not know it"
            yield Finding(
                "host/unlisted", WARNING, keys(item), message, "add its line", "index", path=INDEX
            )


def lines_without_file(source: Source) -> Iterator[Finding]:
    """An index line whose file is gone, or whose item was put away."""
    if not source.is_host_folder:
        return
    items = _by_path(source)
    for line in parse_index(source.index or b""):
        path = target_of(line)
        item = items.get(path)
        if "/" in path:
            continue
        if item is None:
            message = f"{INDEX} names {path}, which is gone"
        elif put_away := source.put_away(item):
            message = f"{INDEX} names {path}, which is {put_away}"
        else:
            continue
        found = keys(item) if item else ()
        yield Finding(
            "host/gone", WARNING, found, message, "remove the line", "index", INDEX, line.number + 1
        )


def beyond_the_cut(source: Source) -> Iterator[Finding]:
    """Index lines that the host does not load, and corrections among them whose error is loaded."""
    if not source.is_host_folder or source.index is None:
        return
    cut = cut_after(source.index)
    lines = parse_index(source.index)
    loaded = [line for line in lines if line.number < cut]
    items = _by_path(source)
    for line in lines:
        if line.number < cut:
            continue
        item = items.get(target_of(line))
        wrong = next((other for other in loaded if _corrects(line, other, items)), None)
        found = keys(item) if item else ()
        if wrong is None:
            message = f"line {line.number + 1} of {INDEX} is not loaded: {line.title}"
            yield Finding(
                "host/beyond",
                INFO,
                found,
                message,
                "move it up, or demote others",
                "raise" if item else "",
                INDEX,
                line.number + 1,
            )
            continue
        other_item = items.get(target_of(wrong))
        message = (
            f'"{line.title}" (line {line.number + 1}, not loaded) corrects "{wrong.title}" '
            f"(line {wrong.number + 1}, loaded)"
        )
        both = (*found, *(keys(other_item) if other_item else ()))
        yield Finding(
            "host/correction",
            ERROR,
            both,
            message,
            "demote what it corrects",
            "demote",
            INDEX,
            line.number + 1,
        )


def _corrects(line: IndexLine, other: IndexLine, items: dict[str, Item]) -> bool:
    item, older = items.get(target_of(line)), items.get(target_of(other))
    if item and older and older.id in item.supersedes:
        return True
    text, theirs = f"{line.title}. {line.hook}", f"{other.title}. {other.hook}"
    if differ(statement(line.title), statement(other.title)):
        return True
    return bool(_CORRECTS.search(text)) and similarity(text, theirs) >= NEAR


def _by_path(source: Source) -> dict[str, Item]:
    items = (*source.contents.cards, *source.contents.pages)
    return {source.relative(item): item for item in items}
