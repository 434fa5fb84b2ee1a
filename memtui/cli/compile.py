"""`memtui compile`: cards become a page; a page is compiled again from the cards that still hold."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from memtui.bank.model import Card, Page
from memtui.cli.asking import agreed
from memtui.cli.command import NOT_FOUND, OK, CommandError, Context, answer
from memtui.cli.desk import CODES, Desk, desk
from memtui.curate.clusters import clusters, enough
from memtui.curate.compile import PageDraft, RebuildPlan, absent_cards, compile_page, plan_rebuild
from memtui.curate.verbs import compile_cards, rebuild
from memtui.workspace.model import BankView


def configure(parser: argparse.ArgumentParser) -> None:
    """Cards to compile, a page to rebuild, or the question what could be compiled."""
    parser.epilog = CODES
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help="cards for a new page, or the one page to rebuild"
    )
    parser.add_argument(
        "--suggest", action="store_true", help="list cards that could become a page"
    )
    parser.add_argument(
        "--type",
        choices=("procedure", "handbook"),
        default="procedure",
        help="what the new page is: steps to take (the default), or what holds",
    )
    parser.add_argument("--title", default="", help="title of the new page")
    parser.add_argument("--name", default="", help="file name of the new page, without .md")
    parser.add_argument(
        "--override",
        default="",
        metavar="REASON",
        help="compile fewer than three cards from three sessions, for this reason",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the page, change nothing")
    parser.add_argument("--yes", action="store_true", help="rebuild without asking")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """List suggestions, compile a page, or rebuild one after showing what changes."""
    with desk(context) as bank:
        if arguments.suggest:
            return _suggest(bank)
        items = bank.items(arguments.items)
        if len(items) == 1 and isinstance(items[0], Page):
            return _rebuild(bank, items[0], arguments)
        return _compile(bank, bank.cards(arguments.items), arguments)


def absent_in(view: BankView) -> dict[str, str]:
    """The cards that do not hold, with the reason, by id."""
    states = {found.item.id: [state.reason for state in found.states] for found in view.cards}
    return absent_cards(view.contents, states)


def draft_json(draft: PageDraft) -> dict[str, Any]:
    """A page before it is saved."""
    return {
        "title": draft.title,
        "type": draft.type,
        "body": draft.body,
        "sources": dict(draft.sources),
        "tags": list(draft.tags),
    }


def draft_lines(draft: PageDraft) -> list[str]:
    """A page before it is saved, for reading."""
    return [
        f"{draft.title}  ({draft.type}, {len(draft.sources)} cards)",
        "",
        *draft.body.splitlines(),
    ]


def _suggest(bank: Desk) -> int:
    found = clusters(bank.view.contents, absent_in(bank.view))
    data = [
        {
            "subject": cluster.subject,
            "reason": cluster.reason,
            "sessions": cluster.sessions,
            "cards": [{"id": card.id, "name": card.name} for card in cluster.cards],
        }
        for cluster in found
    ]
    lines = []
    for cluster in found:
        names = " ".join(card.name for card in cluster.cards)
        lines += [f"{cluster.subject}: {cluster.reason}", f"  memtui compile {names}"]
    answer(bank.context, data, lines)
    return OK if found else NOT_FOUND


def _compile(bank: Desk, cards: Sequence[Card], arguments: argparse.Namespace) -> int:
    if not cards:
        raise CommandError("no cards are named", "name them, or ask with --suggest")
    absent = absent_in(bank.view)
    for card in cards:
        if card.id in absent:
            raise CommandError(
                f"{card.name} is {absent[card.id]}", "leave it out, or promote it first"
            )
    draft = compile_page(cards, arguments.type, arguments.title)
    if arguments.dry_run:
        answer(bank.context, draft_json(draft), draft_lines(draft))
        return OK
    if not enough(cards) and not arguments.override:
        raise CommandError(
            "a page needs three cards from three sessions", "add cards, or say why with --override"
        )
    name, reason = arguments.name, arguments.override
    result = bank.act(lambda curator: compile_cards(curator, draft, name=name, override=reason))
    bank.tell(result)
    return OK


def _rebuild(bank: Desk, page: Page, arguments: argparse.Namespace) -> int:
    plan = plan_rebuild(page, bank.view.contents, absent_in(bank.view))
    if arguments.dry_run:
        answer(bank.context, _plan_json(plan), _plan_lines(plan))
        return OK
    if not plan.diff and dict(plan.draft.sources) == dict(page.sources):
        raise CommandError(f"{page.name} is as its cards say", "nothing was changed", NOT_FOUND)
    if not arguments.yes and not bank.context.json:
        answer(bank.context, None, _plan_lines(plan))
    if not agreed(f"Rebuild {page.name}?", arguments.yes):
        raise CommandError("nothing was changed", code=NOT_FOUND)
    bank.tell(bank.act(lambda curator: rebuild(curator, plan)), **_plan_json(plan))
    return OK


def _plan_json(plan: RebuildPlan) -> dict[str, Any]:
    return {
        "diff": plan.diff,
        "left_out": dict(plan.left_out),
        "lost": [claim.text for claim in plan.lost],
    }


def _plan_lines(plan: RebuildPlan) -> list[str]:
    lines = plan.diff.splitlines() or ["the text stays as it is"]
    lines += [f"left out: {card} ({reason})" for card, reason in plan.left_out.items()]
    return lines + [f"lost support: {claim.text}" for claim in plan.lost]
