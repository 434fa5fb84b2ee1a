"""Whether the bank's files fit together: readable, without conflicts, in step with the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memtui.bank.layout import INDEX
from memtui.bank.memory_index import parse_index
from memtui.curate.following import target_of
from memtui.curate.rules.source import ERROR, WARNING, Finding, Source, keys

MOST_PAGES = 40
INDEX_LINES = 200
INDEX_BYTES = 25_000
BLOCK = 9_000
"""Characters of an injection; hosts cut or drop what is longer than 10,000."""
_NEAR = 0.8
_SMALLER = {"size/block": "lower the budget of the policy in bank.toml"}
_EDITS = 3


def unreadable(source: Source) -> Iterator[Finding]:
    """Files and event lines that do not read as meant."""
    by_path = {item.path: item for item in (*source.contents.cards, *source.contents.pages)}
    for problem in source.contents.problems:
        item = by_path.get(problem.path)
        yield Finding(
            "integrity/file",
            ERROR,
            keys(item) if item else (),
            f"{problem.path.name}: {problem.message}",
            "mend the file",
            "edit" if item else "",
            path=problem.path.name,
            line=problem.line,
        )


def half_done(source: Source) -> Iterator[Finding]:
    """Acts that a killed process left half done; opening the bank for writing heals them."""
    for act in source.unfinished:
        yield Finding(
            "integrity/act", ERROR, (), f"act {act} is half done", "any act heals it", "heal"
        )


def log_reconciles(source: Source) -> Iterator[Finding]:
    """Acts that this machine did and that the bank's log does not tell."""
    if source.unlogged:
        count = len(source.unlogged)
        acts = "1 act of this machine is" if count == 1 else f"{count} acts of this machine are"
        message = f"{acts} not in the bank's events ({min(source.unlogged)})"
        fix = "take events/ from git again; after a git reset that was meant, nothing is wrong"
        yield Finding("integrity/log", WARNING, (), message, fix)


def index_in_step(source: Source) -> Iterator[Finding]:
    """memtui's own index lists every live item once and nothing else."""
    if source.is_host_folder:
        return
    listed = Counter(target_of(line) for line in parse_index(source.index or b""))
    items = (*source.contents.cards, *source.contents.pages)
    by_path = {source.relative(item): item for item in items}
    for path in sorted(listed):
        item = by_path.get(path)
        message = ""
        if item is None:
            message = f"{INDEX} lists {path}, which does not exist"
        elif put_away := source.put_away(item):
            message = f"{INDEX} lists {path}, which is {put_away}"
        elif listed[path] > 1:
            message = f"{INDEX} lists {path} {listed[path]} times"
        if message:
            found = keys(item) if item else ()
            yield Finding(
                "integrity/index",
                ERROR,
                found,
                message,
                "write the index again",
                "index",
                path=INDEX,
            )
    for path, item in sorted(by_path.items()):
        if path not in listed and not item.conflict and not source.put_away(item):
            message = f"{INDEX} does not list {path}"
            yield Finding(
                "integrity/index",
                ERROR,
                keys(item),
                message,
                "write the index again",
                "index",
                path=INDEX,
            )


def sizes(source: Source) -> Iterator[Finding]:
    """How near the bank is to what can still be trusted and read."""
    text = source.index or b""
    measures = (
        ("size/lines", "lines in the index", text.count(b"\n"), INDEX_LINES),
        ("size/bytes", "bytes in the index", len(text), INDEX_BYTES),
        ("size/block", "characters for the next session", source.block, BLOCK),
        ("size/pages", "pages", len(source.pages), MOST_PAGES),
    )
    for rule, what, value, limit in measures:
        if value >= limit * _NEAR:
            severity = ERROR if value > limit else WARNING
            message = f"{value} {what}, {limit} are the limit"
            yield Finding(
                rule,
                severity,
                (),
                message,
                _SMALLER.get(rule, "demote or merge what is not used"),
                path=INDEX if rule in ("size/lines", "size/bytes") else "",
            )


def rewritten_pages(source: Source) -> Iterator[Finding]:
    """A page that was patched by hand instead of rebuilt."""
    edits: dict[str, int] = {}
    for event in source.contents.events:
        if event.item.startswith("page:") and event.verb in ("edit", "compile"):
            edits[event.item] = edits.get(event.item, 0) + 1 if event.verb == "edit" else 0
    for page in source.pages:
        count = edits.get(keys(page)[0], 0)
        if count >= _EDITS:
            message = f"{page.name} was edited {count} times since it was compiled"
            yield Finding(
                "rewrite/edits",
                WARNING,
                keys(page),
                message,
                "rebuild it from its cards",
                "compile",
            )
