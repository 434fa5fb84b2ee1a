"""`memtui why CARD`: why it is shown or held back, next time and in past sessions."""

from __future__ import annotations

import argparse
import sqlite3
from typing import Any

from memtui.agents.payload import SOURCES
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.clock import format_time
from memtui.inject.limits import LIMITS
from memtui.inject.model import Decision
from memtui.ledger.access import LedgerError
from memtui.reasons import MEANING
from memtui.workspace.model import ItemView, PastDecision, PreviewOptions


def configure(parser: argparse.ArgumentParser) -> None:
    """Which card, and for which next session."""
    parser.add_argument("item", help="handle or name of a card or page")
    parser.add_argument("--host", choices=sorted(LIMITS), help="the agent host")
    parser.add_argument("--source", choices=SOURCES, help="how the session starts")
    parser.add_argument(
        "-n", "--last", type=int, metavar="N", default=20, help="only the newest N past sessions (20)"
    )  # fmt: skip


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the decision of the next plan, then those of the log, newest first."""
    with context.open() as workspace:
        view = workspace.load()
        found = view.find(arguments.item)
        if found is None:
            raise CommandError(
                f"no card or page is called {arguments.item}",
                "`memtui cards` and `memtui pages` list them",
                NOT_FOUND,
            )
        wanted = workspace.settings.inject
        options = PreviewOptions(
            arguments.host or wanted.host,
            arguments.source or wanted.source,
            branch=workspace.branch,
        )
        preview = workspace.preview(view, workspace.agents.resumed(options))
        try:
            workspace.agents.take_in()
            past = workspace.agents.past(found.item.id)
        except (OSError, sqlite3.Error, LedgerError) as error:
            raise CommandError(
                f"the log of past sessions cannot be read: {error}",
                "`memtui doctor` says where it lies",
            ) from error
    past = past[: max(0, arguments.last)]
    decision = next((one for one in preview.plan.decisions if one.handle == found.item.id), None)
    data = {
        "id": found.item.id,
        "name": found.item.name,
        "next": {"host": options.host, "source": options.source, **_decision_json(decision)},
        "past": [_past_json(one) for one in past],
    }
    where = f"next session of {options.host} ({options.source})"
    lines = [_title(found), f"{where}: {said(decision)}", *_details(found, decision)]
    lines += [_past_line(one) for one in past] or ["no past session of this bank is known"]
    answer(context, data, lines)
    return OK


def said(decision: Decision | None) -> str:
    """`shown, line 3` or `held back: over budget`."""
    if decision is None:
        return "not in the log"
    return f"shown, line {decision.rank}" if decision.rank else f"held back: {decision.reason}"


def _title(found: ItemView) -> str:
    return f"{found.item.id}  {found.item.title or found.item.name}"


def _details(found: ItemView, decision: Decision | None) -> list[str]:
    if decision is None or decision.rank:
        return []
    cause = next((state.cause for state in found.states if state.reason == decision.reason), "")
    texts = (MEANING.get(decision.reason, ""), decision.detail, cause)
    return [f"    {text}" for text in dict.fromkeys(filter(None, texts))]


def _past_line(one: PastDecision) -> str:
    detail = f" ({one.decision.detail})" if one.decision and one.decision.detail else ""
    when = f"{format_time(one.at)}  {one.source:<8}"
    return f"{when}  {said(one.decision)}{detail}  [{one.session}]"


def _past_json(one: PastDecision) -> dict[str, Any]:
    return {
        "session": one.session,
        "at": format_time(one.at),
        "host": one.host,
        "source": one.source,
        **_decision_json(one.decision),
    }


def _decision_json(decision: Decision | None) -> dict[str, Any]:
    if decision is None:
        return {"known": False}
    return {"known": True, **decision._asdict()}
