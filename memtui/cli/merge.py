"""`memtui merge`: several cards, or several pages, into one; the sources are kept as retired."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memtui.bank.model import Card, Page
from memtui.cli.asking import text_from
from memtui.cli.command import OK, CommandError, Context, answer
from memtui.cli.compile import absent_in, draft_json, draft_lines
from memtui.cli.desk import CODES, Desk, desk
from memtui.curate.compile import PageDraft
from memtui.curate.hunks import text_of
from memtui.curate.merge import MergeProposal, propose_merge, propose_page_merge
from memtui.curate.verbs import merge, merge_pages


def configure(parser: argparse.ArgumentParser) -> None:
    """What to merge, and what differs from the proposal."""
    parser.epilog = CODES
    parser.add_argument("items", nargs="+", metavar="ITEM", help="two or more cards, or pages")
    parser.add_argument("--title", help="the title, in place of the proposed one")
    parser.add_argument(
        "--body", metavar="FILE", help="the body from this file, `-` for standard input"
    )
    parser.add_argument("--reason", default="", help="why, for the history")
    parser.add_argument("--dry-run", action="store_true", help="print the proposal, change nothing")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the proposal, or write it as a new card or page."""
    with desk(context) as bank:
        items = bank.items(arguments.items)
        cards = [item for item in items if isinstance(item, Card)]
        pages = [item for item in items if isinstance(item, Page)]
        if cards and pages:
            raise CommandError("cards and pages do not merge with each other", "name one kind")
        if pages:
            return _pages(bank, pages, arguments)
        return _cards(bank, cards, arguments)


def _cards(bank: Desk, cards: Sequence[Card], arguments: argparse.Namespace) -> int:
    proposal = propose_merge(cards)
    if arguments.title:
        proposal = replace(proposal, title=arguments.title)
    if arguments.body:
        proposal = replace(proposal, body=text_of(text_from(arguments.body)))
    if arguments.dry_run:
        answer(bank.context, proposal_json(proposal), _proposal_lines(proposal))
        return OK
    events = bank.view.contents.events
    result = bank.act(lambda curator: merge(curator, cards, proposal, events, arguments.reason))
    left = [f"not said any more: {text}" for texts in proposal.left_out.values() for text in texts]
    bank.tell(result, [] if arguments.body else left, left_out=_left_out(proposal))
    return OK


def _pages(bank: Desk, pages: Sequence[Page], arguments: argparse.Namespace) -> int:
    draft: PageDraft = propose_page_merge(pages, bank.view.contents, absent_in(bank.view))
    if arguments.title:
        draft = replace(draft, title=arguments.title)
    if arguments.body:
        raise CommandError("a page is compiled from its cards", "merge, then `memtui edit` it")
    if arguments.dry_run:
        answer(bank.context, draft_json(draft), draft_lines(draft))
        return OK
    events = bank.view.contents.events
    bank.tell(bank.act(lambda curator: merge_pages(curator, pages, draft, events)))
    return OK


def proposal_json(proposal: MergeProposal) -> dict[str, Any]:
    """The card that a merge would make."""
    return {
        "title": proposal.title,
        "body": proposal.body,
        "type": proposal.type,
        "tags": list(proposal.tags),
        "scope": {
            "project": proposal.scope.project,
            "branch": proposal.scope.branch,
            "paths": list(proposal.scope.paths),
        },
        "importance": proposal.importance,
        "origin": proposal.origin,
        "pinned": proposal.pinned,
        "evidence": [{"ref": cited.ref, "quote": cited.quote} for cited in proposal.evidence],
        "left_out": _left_out(proposal),
    }


def _proposal_lines(proposal: MergeProposal) -> list[str]:
    lines = [proposal.title, f"{proposal.type}  {' '.join(f'#{tag}' for tag in proposal.tags)}", ""]
    lines += [*proposal.body.splitlines(), ""]
    lines += [f"evidence: {cited.ref}" for cited in proposal.evidence]
    for name, texts in proposal.left_out.items():
        lines += [f"left out of {name}: {text}" for text in texts]
    return lines


def _left_out(proposal: MergeProposal) -> dict[str, list[str]]:
    return {name: list(texts) for name, texts in proposal.left_out.items()}
