"""`memtui sessions`: the sessions of this project, or of every project."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from memtui.cli.command import OK, Context, answer, remark
from memtui.cli.scanning import scan_first
from memtui.clock import format_time
from memtui.sessions.rows import FACETS
from memtui.sessions.timeline_rows import SessionRow


def configure(parser: argparse.ArgumentParser) -> None:
    """Options that narrow the list."""
    parser.add_argument("--all", action="store_true", help="every project, not only this one")
    parser.add_argument("--host", help="only this host")
    parser.add_argument(
        "--matching", metavar="WORDS", help="only with these words in title or outcome"
    )
    parser.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="only with this tag (repeatable)"
    )
    parser.add_argument("--hidden", action="store_true", help="hidden ones too")
    parser.add_argument("-n", "--last", type=int, metavar="N", help="only the newest N")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Catalogue what is new, then print the list, newest last."""
    with context.open() as workspace:
        workspace.read()
        scan_first(workspace)
        timeline = workspace.timeline(
            "turns", every_project=arguments.all, with_hidden=arguments.hidden
        )
        try:
            outcomes = workspace.upkeep.inbox().outcomes
            rows = [row for row in timeline.sessions() if arguments.host in (None, row.host)]
            tags, hidden = workspace.tags, workspace.hidden
        finally:
            timeline.close()
    wanted = {tag.lstrip("#").casefold() for tag in arguments.tag}
    rows = [row for row in rows if wanted <= set(tags.get(row.ref, ()))]
    words = (arguments.matching or "").casefold().split()
    rows = [row for row in rows if _matches(row, outcomes, words)]
    if arguments.last is not None:
        rows = rows[-arguments.last :] if arguments.last > 0 else []
    data = [
        {
            **session_json(row),
            "outcome": _outcome(row, outcomes),
            "tags": list(tags.get(row.ref, ())),
            "hidden": row.ref in hidden,
        }
        for row in rows
    ]
    if not rows:
        remark(context, "no session of this project is known; `memtui hosts` says what was found")
    answer(context, data, (line for row in rows for line in _lines(row, outcomes, tags)))
    return OK


def _outcome(row: SessionRow, outcomes: Mapping[str, str]) -> str:
    """How the session went, as sleep found it; "" where it was not read yet."""
    return outcomes.get(row.ref, "")


def _matches(row: SessionRow, outcomes: Mapping[str, str], words: Sequence[str]) -> bool:
    text = f"{row.title} {_outcome(row, outcomes)}".casefold()
    return all(word in text for word in words)


def session_json(row: SessionRow) -> dict[str, Any]:
    """One session with its counts by facet."""
    data = asdict(row)
    data["ref"] = row.ref
    data["started"] = iso(row.started)
    data["ended"] = iso(row.ended)
    data["counts"] = {str(facet): row.counts[at] for at, facet in enumerate(FACETS)}
    for internal in ("session", "count", "collapsed"):
        del data[internal]
    return data


def iso(ms: int | None) -> str | None:
    """A time in milliseconds as ISO 8601, None where the host stores none."""
    return None if ms is None else format_time(datetime.fromtimestamp(ms / 1000, UTC))


def _lines(
    row: SessionRow, outcomes: Mapping[str, str], tags: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    own = "" if row.agent else "".join(f"  #{tag}" for tag in tags.get(row.ref, ()))
    yield _line(row) + own
    outcome = _outcome(row, outcomes)
    if outcome:
        yield f"{'':<22}{outcome}"


def _line(row: SessionRow) -> str:
    counts = {str(facet): row.counts[at] for at, facet in enumerate(FACETS)}
    what = f"{counts['prompts']}p {counts['calls']}c {counts['errors']}e"
    gone = "  (transcript gone)" if row.gone else ""
    indent = "  " * row.depth
    return f"{iso(row.ended) or '-':<20}  {row.host:<11}  {what:<14}  {indent}{row.title}{gone}  [{row.id}]"
