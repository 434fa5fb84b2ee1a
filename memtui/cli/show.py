"""`memtui show`: one card, page, session, turn or cited record."""

from __future__ import annotations

import argparse
from typing import Any

from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.items import item_json, item_line
from memtui.cli.scanning import scan_first
from memtui.cli.sessions import iso, session_json
from memtui.safety.redact import redact
from memtui.sessions.timeline_rows import TimelineRow
from memtui.sessions.turn import TurnDetail
from memtui.workspace.model import ItemView
from memtui.workspace.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """What to show."""
    parser.add_argument(
        "ref", help="handle or name of a card or page, host:session, or host:session#record"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print it. Exit code 1 when there is no such thing."""
    ref: str = arguments.ref
    with context.open() as workspace:
        item = workspace.load().find(ref)
        if item is not None:
            answer(context, {**item_json(item), "body": item.item.body}, _item_lines(item))
            return OK
        if ":" in ref:
            scan_first(workspace)
            return _show_session(workspace, ref, context)
    raise CommandError(
        f"nothing is called {ref}",
        "`memtui cards`, `pages` and `sessions` list what there is",
        NOT_FOUND,
    )


def _item_lines(view: ItemView) -> list[str]:
    lines = [item_line(view)]
    lines += [f"{state.reason}: {state.cause}" for state in view.states]
    lines += ["", *view.item.body.splitlines(), ""]
    lines += [f"evidence: {cited.ref}  {cited.quote!r}" for cited in view.item.evidence]
    return lines


def _show_session(workspace: Workspace, ref: str, context: Context) -> int:
    session_ref, _, record = ref.partition("#")
    timeline = workspace.timeline("all", every_project=True)
    try:
        row = next((r for r in timeline.sessions() if r.ref == session_ref), None)
        if row is None:
            raise CommandError(
                f"no session {session_ref}", "`memtui sessions --all` lists them", NOT_FOUND
            )
        at = timeline.position_of(row.session, record=record or None)
        if at is None:
            raise CommandError(f"{session_ref} has no record {record}", code=NOT_FOUND)
        if record:
            return _show_turn(workspace, timeline.row(at), record, context)
        rows = [r for r in timeline.rows(at + 1, at + 1 + row.count) if r.turn is not None]
    finally:
        timeline.close()
    data = {**session_json(row), "turns": [_row_json(found) for found in rows]}
    answer(context, data, [row.title, *map(_row_line, rows)])
    return OK


def _show_turn(workspace: Workspace, row: TimelineRow, record: str, context: Context) -> int:
    if row.turn is None:
        raise CommandError(f"{row.ref} has no record {record}", code=NOT_FOUND)
    detail = workspace.turn(row.session.session, row.turn.seq)
    answer(context, turn_json(detail), _turn_lines(detail))
    return OK


def turn_json(detail: TurnDetail) -> dict[str, Any]:
    """One row in full. Secrets are masked: what is printed is often pasted."""
    return {
        "ref": detail.ref,
        "kind": detail.kind,
        "at": iso(detail.at),
        "text": redact(detail.text.text).text,
        "tool": detail.tool,
        "result": redact(detail.result.text).text if detail.result else None,
        "exit_code": detail.exit_code,
        "is_error": detail.is_error,
        "diff": redact(detail.diff.text).text if detail.diff else None,
        "paths": list(detail.paths),
        "model": detail.model,
        "problem": detail.problem,
        "spans": [
            {"path": str(span.path), "offset": span.offset, "length": span.length}
            for span in detail.spans
        ],
    }


def _turn_lines(detail: TurnDetail) -> list[str]:
    data = turn_json(detail)
    failed = "  FAILED" if detail.is_error else ""
    lines = [f"{data['at'] or '-'}  {detail.kind}  {detail.tool or ''}{failed}".rstrip()]
    for key in ("problem", "text", "result", "diff"):
        if data[key]:
            lines += ["", *str(data[key]).splitlines()]
    return lines


def _row_json(row: TimelineRow) -> dict[str, Any]:
    turn = row.turn
    if turn is None:
        return {}
    return {
        "ref": row.ref,
        "kind": turn.kind,
        "at": iso(turn.at),
        "tool": turn.tool,
        "exit_code": turn.exit_code,
        "preview": turn.preview,
    }


def _row_line(row: TimelineRow) -> str:
    turn = row.turn
    return f"{iso(turn.at) or '-':<20}  {turn.kind:<10}  {turn.preview}" if turn else ""
