"""`memtui projects`: every project over all hosts; on a terminal the screen that opens one."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from memtui.cli.app import run_app
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.found import notes_to_stderr
from memtui.cli.scanning import scan_first
from memtui.cli.sessions import iso
from memtui.safety.redact import redact
from memtui.safety.sanitize import one_line
from memtui.workspace.everywhere import Anywhere
from memtui.workspace.projects import Found


def configure(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--list", action="store_true", help="print the list also on a terminal")
    parser.add_argument(
        "--matching", metavar="WORDS", help="only with these words in name, folder, remote or host"
    )
    parser.add_argument(
        "--search", metavar="WORDS", help="search cards, pages and sessions of all projects"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Open the screen, or print the projects, newest last. Exit code 1 when there is none."""
    listed = arguments.list or arguments.matching or arguments.search or context.json
    if not listed and sys.stdin.isatty() and sys.stdout.isatty():
        return run_app(
            context, None, ascii_only=arguments.ascii, theme=arguments.theme, projects=True
        )
    with context.open() as workspace:
        scan_first(workspace)
        try:
            if arguments.search:
                workspace.finding.fill()
                found = workspace.everywhere.search(arguments.search)
                answer(context, _found_json(found), _found_lines(found))
                if not context.json:
                    notes_to_stderr(found.notes)
                return OK if found.cards or found.turns else NOT_FOUND
            rows = workspace.projects.found(lambda _: None)
        except sqlite3.Error as error:
            raise CommandError(
                f"the catalogue cannot be read: {error}", "`memtui doctor` says where it lies"
            ) from error
    words = (arguments.matching or "").casefold().split()
    rows = [row for row in rows if row.matches(words)]
    rows.sort(key=lambda row: (row.last or 0, row.name))
    answer(context, [_json(row) for row in rows], map(_line, rows))
    return OK if rows else NOT_FOUND


def _json(row: Found) -> dict[str, Any]:
    told = asdict(row)
    del told["looked"], told["key"], told["by_itself"]
    return {
        **told,
        "bank": str(row.bank) if row.bank is not None else None,
        "hosts": dict(row.hosts),
        "last": iso(row.last),
        "health": row.health,
    }


def _line(row: Found) -> str:
    waiting = "?" if row.waiting is None else str(row.waiting)
    memory = f"{row.cards} cards, {row.pages} pages, {waiting} waiting" if row.bank else "no bank"
    folder = row.folders[0] if row.folders else str(row.bank)
    health = "" if row.health in ("ok", "no bank") else f"({row.health})"
    what = f"{row.sessions:>4} sessions"
    parts = (f"{iso(row.last) or '-':<20}", what, memory, row.name or "(no folder)", folder, health)
    return "  ".join(filter(None, map(_flat, parts))).rstrip()


def _flat(text: str) -> str:
    """Text that stays on its line: names of folders may hold anything."""
    return text if text.isprintable() else one_line(text)


def _found_json(found: Anywhere) -> dict[str, Any]:
    folders = found.folders or {}
    return {
        "query": found.query,
        "cards": [
            {
                "project": card.project,
                "bank": str(card.bank),
                "id": card.hit.document.id,
                "layer": card.hit.document.layer,
                "name": card.hit.document.name,
                "title": card.hit.document.title,
                "score": round(card.hit.score, 4),
            }
            for card in found.cards
        ],
        "turns": [
            {
                "folder": folders.get(turn.session, ""),
                "ref": turn.ref,
                "at": iso(turn.at),
                "session_title": redact(turn.title).text,
                "passage": redact(turn.passage).text,
            }
            for turn in found.turns
        ],
        "notes": [asdict(note) for note in found.notes],
    }


def _found_lines(found: Anywhere) -> Iterator[str]:
    folders = found.folders or {}
    for card in found.cards:
        document = card.hit.document
        yield _flat(f"{document.id}  {document.title or document.name}  [{card.project}]")
    for turn in found.turns:
        folder = folders.get(turn.session, "")
        yield _flat(f"{iso(turn.at) or '-':<20}  {redact(turn.passage).text}  [{folder}]")
        yield f"{'':<20}  {turn.ref}"
