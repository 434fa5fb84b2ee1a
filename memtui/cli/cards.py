"""`memtui cards`: the cards of the bank."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memtui.cli.command import OK, Context, answer, no_bank, remark
from memtui.cli.items import item_json, item_line
from memtui.workspace.model import ItemView

if TYPE_CHECKING:
    from memtui.workspace.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Options that narrow the list."""
    parser.add_argument("words", nargs="*", help="only items that hold all these words")
    parser.add_argument("--type", help="only this type")
    parser.add_argument("--tag", help="only this tag")
    parser.add_argument("--tier", help="only this trust tier")
    parser.add_argument("--state", help="only this state, for example stale or drifted")


def run(arguments: argparse.Namespace, context: Context) -> int:
    """Print the list."""
    with context.open() as workspace:
        views = select(workspace.load().cards, arguments)
        remark_empty(context, workspace, views, "card")
    answer(context, [item_json(view) for view in views], map(item_line, views))
    return OK


def remark_empty(context: Context, workspace: Workspace, views: list[ItemView], what: str) -> None:
    """Say why a list is empty."""
    if workspace.bank_root is None:
        error = no_bank()
        remark(context, f"{error.what}; {error.do}")
    elif not views:
        remark(context, f"no {what} matches in {workspace.bank_root}")


def select(views: tuple[ItemView, ...], arguments: argparse.Namespace) -> list[ItemView]:
    """The items that pass every option given."""
    return [view for view in views if _passes(view, arguments)]


def _passes(view: ItemView, arguments: argparse.Namespace) -> bool:
    item = view.item
    text = f"{item.name} {item.title} {' '.join(item.tags)} {item.body}".casefold()
    return (
        all(word.casefold() in text for word in arguments.words)
        and arguments.type in (None, item.type)
        and (arguments.tag is None or arguments.tag in item.tags)
        and arguments.tier in (None, view.trust.tier)
        and (arguments.state is None or arguments.state in [s.reason for s in view.states])
    )
