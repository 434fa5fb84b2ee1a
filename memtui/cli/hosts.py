"""`memtui hosts`: the agent hosts whose sessions are read, and what was found of each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from memtui.cli.command import OK, Context, answer
from memtui.cli.scanning import scan_first
from memtui.workspace.agent_hosts import HostView, agent_hosts

_SHOWN = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Which hosts to list."""
    parser.add_argument(
        "--all", action="store_true", help="also hosts of which nothing was found here"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print each host with its sessions, versions and skipped records, and what it does not store."""
    with context.open() as workspace:
        scan_first(workspace)
        views = agent_hosts(workspace)
    shown = [view for view in views if view.found or arguments.all or context.json]
    answer(context, [_data(view) for view in shown], _lines(shown, len(views)))
    return OK


def _data(view: HostView) -> dict[str, Any]:
    told = asdict(view)
    for key in ("folders", "there"):
        told[key] = [str(path) for path in told[key]]
    return {**told, "found": view.found}


def _lines(views: list[HostView], known: int) -> Iterator[str]:
    for view in views:
        versions = list(view.versions)
        between = ["…"] if len(versions) > _SHOWN else []
        kept = [*versions[:1], *between, *versions[-2:]] if between else versions
        parts = [f"{view.sessions} sessions", f"{view.records} rows"]
        parts += [f"{view.gone} gone"] * bool(view.gone)
        parts += [f"{view.skipped} records skipped"] * bool(view.skipped)
        yield f"{view.label:<20} {', '.join(parts)}"
        if kept:
            yield f"{'':<20} versions {' '.join(kept)}"
        if view.lacks:
            yield f"{'':<20} not stored: {', '.join(view.lacks)}"
        if view.watched.startswith("polling"):
            yield f"{'':<20} changes: {view.watched}"
        for folder in view.there or view.folders:
            yield f"{'':<20} {folder}{'' if view.there else ' (not there)'}"
    if len(views) < known:
        more = known - len(views)
        yield f"{more} more can be read but left nothing here: `memtui hosts --all`"
